// Builds executables into dist: `node release/executable/build-executable.ts [PLATFORM...]`, without one for this machine.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { DIST, MANIFEST, NAMES } from '../names.ts';
import { bundledPackages, NOTICES_FILE, nodeNotice, noticesText } from '../notices/notices.ts';
import { executableAssets, readCarried } from '../program/assets.ts';
import { bundleOne } from '../program/bundle.ts';
import { bringNode, nodeLicence, PLATFORMS, type Platform, platformsNamed } from './node-binary.ts';

const HERE = PLATFORMS.find((platform) => platform === `${process.platform}-${process.arch}`);

/** The file for one platform. */
export const executableFile = (platform: Platform): string =>
  join(DIST, `${NAMES.program}-${MANIFEST.version}-${platform}${platform === 'win32-x64' ? '.exe' : ''}`);

/** Builds the program as one file for each platform: Node.js, and in it the bundle and what it carries. */
export async function buildExecutables(platforms: readonly Platform[]): Promise<void> {
  if (HERE === undefined) throw new Error(`nothing is built on ${process.platform}-${process.arch}`);
  const builder = bringNode(HERE);
  const work = join(DIST, 'executable');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const main = join(work, 'main.cjs');
  const bundle = await bundleOne(main);
  const carried = executableAssets();
  const packages = bundledPackages(bundle, carried.values());
  const assets = Object.fromEntries(
    [...carried].map(([name, file]) => [name, writeAsset(join(work, 'assets', name), readCarried(file))]),
  );
  const licence = nodeLicence();
  for (const platform of platforms) {
    const node = platform === HERE ? builder : bringNode(platform);
    const notices = Buffer.from(noticesText([nodeNotice(node.version, licence), ...packages]));
    const config = join(work, `${platform}.json`);
    const description = {
      // Node.js writes this path into the executable, which is to be the same wherever it is built.
      main: basename(main),
      mainFormat: 'commonjs',
      executable: node.program,
      output: executableFile(platform),
      assets: { ...assets, [NOTICES_FILE]: writeAsset(join(work, `${platform}-${NOTICES_FILE}`), notices) },
      disableExperimentalSEAWarning: true,
      // What V8 compiled here is of no use to another architecture.
      useCodeCache: platform === HERE,
    };
    writeFileSync(config, JSON.stringify(description));
    // Without a seed of its own V8 gives strings other hashes in each run, and writes them into the code cache.
    const build = ['--random-seed=1', '--build-sea', config];
    execFileSync(builder.program, build, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
    if (platform === 'darwin-arm64') signForApple(executableFile(platform));
  }
}

/** Apple's processors run nothing without a signature; this one names nobody. */
function signForApple(executable: string): void {
  if (process.platform !== 'darwin') throw new Error('an executable for macOS is built on macOS, which signs it');
  execFileSync('codesign', ['--force', '--sign', '-', executable]);
}

/** Writes what an executable carries, compressed, and answers with the file. */
function writeAsset(file: string, bytes: Uint8Array): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, brotliCompressSync(bytes));
  return file;
}

if (import.meta.main) await buildExecutables(platformsNamed(PLATFORMS, HERE === undefined ? [] : [HERE]));
