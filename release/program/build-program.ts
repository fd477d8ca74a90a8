import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DIST, MANIFEST, NAMES, ROOT } from '../names.ts';
import { bundledPackages, NOTICES_FILE, noticesText } from '../notices/notices.ts';
import { packageFolder, programAssets, readCarried } from './assets.ts';
import { bundleModules, OPENPGP_FILE } from './bundle.ts';

/** The npm package of the program: no dependencies, everything that it needs inside. */
export const PROGRAM_FOLDER: string = join(DIST, 'npm', NAMES.program);

/** Writes the package. */
export async function buildProgram(): Promise<void> {
  rmSync(PROGRAM_FOLDER, { recursive: true, force: true });
  const lib = join(PROGRAM_FOLDER, 'lib');
  const metafile = await bundleModules(lib);
  // The file that Node.js imports of the package, unchanged.
  const openpgp = join(packageFolder('openpgp', 'openpgp'), 'dist/node/openpgp.min.mjs');
  cpSync(openpgp, join(lib, OPENPGP_FILE));
  const assets = programAssets();
  for (const [name, file] of assets) {
    const carried = join(PROGRAM_FOLDER, 'assets', name);
    mkdirSync(dirname(carried), { recursive: true });
    writeFileSync(carried, readCarried(file));
  }
  const bin = join(PROGRAM_FOLDER, 'bin', `${NAMES.program}.cjs`);
  mkdirSync(dirname(bin), { recursive: true });
  cpSync(join(import.meta.dirname, 'entry/start.cjs'), bin);
  chmodSync(bin, 0o755);
  cpSync(join(ROOT, 'LICENSE'), join(PROGRAM_FOLDER, 'LICENSE'));
  const packages = bundledPackages(metafile, [openpgp, ...assets.values()]);
  writeFileSync(join(PROGRAM_FOLDER, 'assets', NOTICES_FILE), noticesText(packages));
  writeFileSync(join(PROGRAM_FOLDER, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

function manifest(): object {
  const { version, description, license } = MANIFEST;
  return {
    name: NAMES.program,
    version,
    description,
    license,
    type: 'module',
    engines: { node: '>=24.15' },
    bin: { [NAMES.program]: `bin/${NAMES.program}.cjs` },
    files: ['assets', 'bin', 'lib'],
  };
}
