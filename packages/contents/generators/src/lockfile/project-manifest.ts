import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { readGoMod } from './go-mod.ts';
import type { LockedProject } from './locked-project.ts';
import { npmName } from './npm-name.ts';
import { packagePurl } from './purl.ts';
import { manifestRoot } from './python-lockfile.ts';
import { isTable, optionalTable, textOf } from './table.ts';

const MOST_MANIFEST_BYTES = 4 * 1024 * 1024;

type Root = LockedProject['root'];

const MANIFESTS: ReadonlyArray<readonly [file: string, read: (text: string) => Root]> = [
  ['package.json', (text) => npmRoot(JSON.parse(text))],
  ['pyproject.toml', (text) => manifestRoot(parseToml(text))],
  ['Cargo.toml', (text) => cargoRoot(parseToml(text))],
  ['go.mod', (text) => readGoMod(text).root],
];

/** What a project in a folder is called, by the first manifest that says so, else by its folder. */
export async function projectRoot(folder: string): Promise<Root & { readonly name: string }> {
  for (const [file, read] of MANIFESTS) {
    const path = join(folder, file);
    if (!existsSync(path)) continue;
    try {
      const root = read(await readStart(path));
      if (root.name !== undefined) return { ...root, name: root.name };
    } catch {
      // A manifest that cannot be read gives no name; the build tool will say why.
    }
  }
  return { name: basename(folder) || 'unknown' };
}

function npmRoot(manifest: unknown): Root {
  if (!isTable(manifest)) return {};
  const name = textOf(manifest['name']);
  const licence = textOf(manifest['license']);
  if (name === undefined) return {};
  return { ...npmName(name, textOf(manifest['version']), undefined), ...(licence && { licence }) };
}

function cargoRoot(manifest: unknown): Root {
  const described = isTable(manifest) ? optionalTable(manifest, 'package') : {};
  const [name, version, licence] = ['name', 'version', 'license'].map((key) => textOf(described[key]));
  if (name === undefined) return {};
  const purl = packagePurl('cargo', undefined, name, version);
  return { name, ...(version && { version }), ...(purl && { purl }), ...(licence && { licence }) };
}

async function readStart(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_MANIFEST_BYTES), 0, MOST_MANIFEST_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
