// Writes the SBOM of each form of the program into dist: `node release/sbom/write-sboms.ts`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatBom } from '@colophon/sbom';
import { PLATFORMS, type Platform } from '../executable/node-binary.ts';
import { ARCHITECTURES } from '../image/lock.ts';
import { DIST, MANIFEST, NAMES } from '../names.ts';
import { sourceTime } from '../source-time.ts';
import { executableSbom, imageSbom, programSbom } from './shipped.ts';

/** Writes them, of this time, with the executables of these platforms, and answers with their files. */
export async function writeSboms(created: Date, platforms: readonly Platform[]): Promise<readonly string[]> {
  const sboms = [
    ['', await programSbom(created)],
    ...(await Promise.all(platforms.map(async (one) => [`-${one}`, await executableSbom(one, created)] as const))),
    ...(await Promise.all(ARCHITECTURES.map(async (one) => [`-image-${one}`, await imageSbom(one, created)] as const))),
  ] as const;
  mkdirSync(DIST, { recursive: true });
  return sboms.map(([form, bom]) => {
    const file = join(DIST, `${NAMES.program}-${MANIFEST.version}${form}.cdx.json`);
    writeFileSync(file, formatBom(bom));
    return file;
  });
}

if (import.meta.main) await writeSboms(sourceTime(), PLATFORMS);
