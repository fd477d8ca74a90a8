import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix, relative } from 'node:path';
import { type Library, SOURCE_SCOPE } from './libraries.ts';

/** Newer compilers load the types of no package that is not asked for, and ours do not write this line. */
const NODE_REFERENCE = '/// <reference types="node" />';

/** The modules of one library as the compiler writes them. */
export type EmittedLibrary = {
  /** Text by path below the library's `src`: JavaScript, declarations, maps, JSON. */
  readonly files: ReadonlyMap<string, string>;
  /** Paths below `src` of the source of each, without declarations and maps. */
  readonly sources: readonly string[];
};

/**
 * Compiles what the entries of the libraries reach, in one run: a module that only our program loads is not among
 * it, and no test is.
 * @param scratch - a folder that is made anew and removed
 * @throws Error with the compiler's words
 */
export function emitLibraries(
  root: string,
  scratch: string,
  libraries: readonly Library[],
): ReadonlyMap<string, EmittedLibrary> {
  rmSync(scratch, { recursive: true, force: true });
  const output = join(scratch, 'output');
  mkdirSync(output, { recursive: true });
  const project = join(scratch, 'tsconfig.json');
  writeFileSync(project, JSON.stringify(compilerProject(root, output, libraries)));
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { status, stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the libraries do not compile:\n${stdout}${stderr}`);
    return new Map(
      libraries.map((library) => [library.name, readLibrary(join(output, library.folder, 'src'), library)]),
    );
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function compilerProject(root: string, output: string, libraries: readonly Library[]) {
  const sources = libraries.flatMap(({ name, folder, entries }) =>
    Object.entries(entries).map(([entry, path]) => ({
      specifier: posix.join(SOURCE_SCOPE, name, entry),
      file: join(root, folder, path),
    })),
  );
  return {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      rootDir: root,
      outDir: output,
      allowImportingTsExtensions: false,
      rewriteRelativeImportExtensions: true,
      declaration: true,
      declarationMap: true,
      sourceMap: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
      // What is found through node_modules counts as somebody else's and is not written, and of a module that is found
      // both ways it is chance which comes first.
      paths: Object.fromEntries(sources.map(({ specifier, file }) => [specifier, [file]])),
    },
    files: sources.map(({ file }) => file),
  };
}

function readLibrary(folder: string, { isPure }: Library): EmittedLibrary {
  const files = new Map<string, string>();
  const sources: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).replaceAll('\\', '/');
    const text = readFileSync(file, 'utf8');
    if (path.endsWith('.js')) sources.push(path.replace(/\.js$/, '.ts'));
    files.set(path, path.endsWith('.map') ? withSource(text, path) : path.endsWith('.d.ts') ? withJsNames(text) : text);
  }
  if (!isPure) {
    const map = JSON.parse(files.get('index.d.ts.map')!) as { mappings: string };
    files.set('index.d.ts', `${NODE_REFERENCE}\n${files.get('index.d.ts')}`);
    files.set('index.d.ts.map', JSON.stringify({ ...map, mappings: `;${map.mappings}` }));
  }
  return { files, sources: sources.sort() };
}

/** A map that names its source as it is shipped: in `src`, beside the folder of what was made from it. */
function withSource(text: string, path: string): string {
  const map = JSON.parse(text) as { sources: string[] };
  const source = posix.join('src', dirname(path), basename(map.sources[0]!));
  return JSON.stringify({ ...map, sources: [posix.relative(posix.join('lib', dirname(path)), source)] });
}

/** The compiler leaves `.ts` in the specifiers of declarations; older compilers refuse it there. */
function withJsNames(text: string): string {
  return text.replace(/((?:\bfrom |\bimport\()["']\.[^"']*)\.ts(?=["'])/g, '$1.js');
}

/** `text` with our packages in another scope. */
export function inScope(text: string, scope: string): string {
  return scope === SOURCE_SCOPE ? text : text.replaceAll(`${SOURCE_SCOPE}/`, `${scope}/`);
}
