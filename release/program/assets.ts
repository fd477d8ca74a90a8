import { readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { GRAMMAR_ASSETS, PARSER_ASSET } from '@colophon/grammars';
import { OFFICIAL_SCHEMA_FILES } from '@colophon/sbom';
import { packageFolders } from '../../tools/packages.ts';
import { ROOT } from '../names.ts';

/** OpenPGP.js as the executable carries it. */
export const OPENPGP_ASSET = 'openpgp/dist/node/openpgp.min.cjs';
/** The licence texts of SPDX, which would be half of the executable's bundle. */
export const LICENCE_TEXTS_ASSET = 'spdx-license-list/spdx-full.json';

/** Of each file that the program reads beside its code, the name that it asks for, and where it is installed. */
export function programAssets(): ReadonlyMap<string, string> {
  const library = '@cyclonedx/cyclonedx-library';
  const schemas = join(packageFolder('cli', library), 'res/schema');
  return new Map([
    ...[PARSER_ASSET, ...Object.values(GRAMMAR_ASSETS)].map((name) => [name, grammars.resolve(name)] as const),
    ...OFFICIAL_SCHEMA_FILES.map((file) => [`${library}/res/schema/${file}`, join(schemas, file)] as const),
  ]);
}

/** The same, and what other forms of the program have as files of their own. */
export function executableAssets(): ReadonlyMap<string, string> {
  return new Map([
    ...programAssets(),
    [OPENPGP_ASSET, join(packageFolder('openpgp', 'openpgp'), 'dist/node/openpgp.min.cjs')],
    [LICENCE_TEXTS_ASSET, join(packageFolder('licences', 'spdx-license-list'), 'spdx-full.json')],
  ]);
}

const packages = packageFolders(ROOT);
const grammars = createRequire(join(ROOT, packages.get('grammars')!, 'package.json'));

/** Where a package is installed that one of ours depends on. */
export function packageFolder(of: string, name: string): string {
  const manifest = findPackageJSON(name, pathToFileURL(join(ROOT, packages.get(of)!, 'package.json')));
  if (manifest === undefined) throw new Error(`${name} is not installed`);
  return dirname(manifest);
}

/** A carried schema without its indentation, which is a third of it; anything else as it is. */
export function readCarried(file: string): Uint8Array {
  const bytes = readFileSync(file);
  return file.endsWith('.json') ? Buffer.from(JSON.stringify(JSON.parse(bytes.toString('utf8')))) : bytes;
}
