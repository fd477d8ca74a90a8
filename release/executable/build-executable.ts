// Builds executables into dist: `node release/executable/build-executable.ts [PLATFORM...]`, without one for this machine.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';
import { DIST, MANIFEST, NAMES } from '../names.ts';
import { bundledPackages, NOTICES_FILE, nodeNotice, noticesText } from '../notices/notices.ts';
import { executableAssets, readCarried } from '../program/assets.ts';
import { bundleOne } from '../program/bundle.ts';
import { bringNode, PLATFORMS, type Platform } from './node-binary.ts';

const HERE = PLATFORMS.find((platform) => platform === `${process.platform}-${process.arch}`);

/** The file for one platform. */
export const executableFile = (platform: Platform): string =>
  join(DIST, `${NAMES.program}-${MANIFEST.version}-${platform}`);

/** Builds the program as one file for each platform: Node.js, and in it the bundle and what it carries. */
export async function buildExecutables(platforms: readonly Platform[]): Promise<void> {
  if (HERE === undefined) throw new Error(`nothing is built on ${process.platform}-${process.arch}`);
  const work = join(DIST, 'executable');
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
  const main = join(work, 'main.cjs');
  const bundle = await bundleOne(main);
  const carried = executableAssets();
  for (const platform of platforms) {
    const node = bringNode(platform);
    const notices = join(work, `${platform}-${NOTICES_FILE}`);
    const packages = bundledPackages(bundle, carried.values());
    writeFileSync(notices, noticesText([nodeNotice(node.version, node.licence), ...packages]));
    const config = join(work, `${platform}.json`);
    const description = {
      // Node.js writes this path into the executable, which is to be the same wherever it is built.
      main: basename(main),
      mainFormat: 'commonjs',
      executable: node.program,
      output: executableFile(platform),
      assets: writeAssets(join(work, 'assets'), new Map([...carried, [NOTICES_FILE, notices]])),
      disableExperimentalSEAWarning: true,
      // What V8 compiled here is of no use to another architecture.
      useCodeCache: platform === HERE,
    };
    writeFileSync(config, JSON.stringify(description));
    // Without a seed of its own V8 gives strings other hashes in each run, and writes them into the code cache.
    const build = ['--random-seed=1', '--build-sea', config];
    execFileSync(bringNode(HERE).program, build, { cwd: work, stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

/** Compresses each carried file, and tells under which name it is carried. */
function writeAssets(folder: string, files: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries(
    [...files].map(([name, file]) => {
      const compressed = join(folder, name);
      mkdirSync(join(compressed, '..'), { recursive: true });
      writeFileSync(compressed, brotliCompressSync(readCarried(file)));
      return [name, compressed];
    }),
  );
}

if (import.meta.main) {
  const { positionals } = parseArgs({ allowPositionals: true });
  const known = PLATFORMS.filter((platform) => positionals.includes(platform));
  if (known.length < positionals.length) throw new Error(`platforms: ${PLATFORMS.join(', ')}`);
  await buildExecutables(known.length > 0 || HERE === undefined ? known : [HERE]);
}
