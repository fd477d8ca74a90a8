import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolders } from '../../tools/packages.ts';

/** The libraries that are made for others' programs. What they depend on is published with them. */
export const LIBRARIES: readonly string[] = ['records', 'sigstore', 'admission'];

/** The scope of our packages in the source, whatever scope they are published under. */
export const SOURCE_SCOPE = '@colophon';

/** The part of a package.json that is read here. */
export type Manifest = {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly engines: { readonly node: string };
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
};

/** A package of this repository that is published. */
export type Library = {
  /** In its scope. */
  readonly name: string;
  /** Below the repository's root. */
  readonly folder: string;
  readonly manifest: Manifest;
  /** Its dependencies among the packages of this repository, by name. */
  readonly siblings: readonly string[];
  /**
   * What of its `exports` is published: the main entry, and each that another published library imports. The others
   * are for our program.
   */
  readonly entries: Readonly<Record<string, string>>;
  /** It uses nothing of Node, nor do its declarations. */
  readonly isPure: boolean;
};

/** Every published package of the repository at `root`, each after the packages that it depends on. */
export function publishedLibraries(root: string): Library[] {
  const folders = packageFolders(root);
  const manifests = new Map<string, Manifest>();
  const add = (name: string): void => {
    if (manifests.has(name)) return;
    const manifest = JSON.parse(readFileSync(join(root, folders.get(name)!, 'package.json'), 'utf8')) as Manifest;
    for (const sibling of siblingsIn(manifest)) add(sibling);
    manifests.set(name, manifest);
  };
  for (const name of LIBRARIES) add(name);
  const imported = importedEntries([...manifests.keys()].map((name) => join(root, folders.get(name)!, 'src')));
  const pure = JSON.parse(readFileSync(join(root, 'tsconfig.pure.json'), 'utf8')) as { include: string[] };
  return [...manifests].map(([name, manifest]) => ({
    name,
    folder: folders.get(name)!,
    manifest,
    siblings: siblingsIn(manifest),
    entries: Object.fromEntries(
      Object.entries(manifest.exports).filter(([entry]) => entry === '.' || imported.has(name + entry.slice(1))),
    ),
    isPure: pure.include.includes(`${folders.get(name)}/src/**/*.ts`),
  }));
}

function siblingsIn({ dependencies = {} }: Manifest): string[] {
  return Object.keys(dependencies)
    .filter((one) => one.startsWith(`${SOURCE_SCOPE}/`))
    .map((one) => one.slice(SOURCE_SCOPE.length + 1));
}

/** The entries beside the main ones, as `records/result`, that the shipped source in these folders imports. */
function importedEntries(folders: readonly string[]): Set<string> {
  const found = new Set<string>();
  const pattern = new RegExp(`'${SOURCE_SCOPE}/([\\w-]+/[\\w/-]+)'`, 'g');
  for (const folder of folders) {
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts') || path.endsWith('.test.ts')) continue;
      for (const [, entry] of readFileSync(join(folder, path), 'utf8').matchAll(pattern)) found.add(entry!);
    }
  }
  return found;
}

/** The libraries that an installation of `name` consists of, itself last. */
export function withDependencies(libraries: readonly Library[], name: string): Library[] {
  const wanted = new Set([name]);
  for (const library of [...libraries].reverse()) {
    if (wanted.has(library.name)) for (const sibling of library.siblings) wanted.add(sibling);
  }
  return libraries.filter((library) => wanted.has(library.name));
}
