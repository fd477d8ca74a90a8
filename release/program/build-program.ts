import { chmodSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Metafile } from 'esbuild';
import { DIST, MANIFEST, NAMES, ROOT } from '../names.ts';
import { assetFiles, readCarried } from './assets.ts';
import { bundleModules, OPENPGP_FILE } from './bundle.ts';

/** The npm package of the program: no dependencies, everything that it needs inside. */
export const PROGRAM_FOLDER: string = join(DIST, 'npm', NAMES.program);

/** Writes the package, and tells what was bundled. */
export async function buildProgram(): Promise<Metafile> {
  rmSync(PROGRAM_FOLDER, { recursive: true, force: true });
  const lib = join(PROGRAM_FOLDER, 'lib');
  const metafile = await bundleModules(lib);
  cpSync(openpgpModule(), join(lib, OPENPGP_FILE));
  for (const [name, file] of assetFiles()) {
    const carried = join(PROGRAM_FOLDER, 'assets', name);
    mkdirSync(dirname(carried), { recursive: true });
    writeFileSync(carried, readCarried(file));
  }
  const bin = join(PROGRAM_FOLDER, 'bin', `${NAMES.program}.cjs`);
  mkdirSync(dirname(bin), { recursive: true });
  cpSync(join(import.meta.dirname, 'entry/start.cjs'), bin);
  chmodSync(bin, 0o755);
  cpSync(join(ROOT, 'LICENSE'), join(PROGRAM_FOLDER, 'LICENSE'));
  writeFileSync(join(PROGRAM_FOLDER, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  return metafile;
}

/** The file of the package `openpgp` that Node.js imports, unchanged. */
function openpgpModule(): string {
  const folder = dirname(createRequire(join(ROOT, 'packages/openpgp/package.json')).resolve('openpgp'));
  return join(folder, 'openpgp.min.mjs');
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
    files: ['assets', 'bin', 'lib', 'THIRD-PARTY-NOTICES.txt'],
  };
}
