// Writes the SBOM of each form of the program into dist: `node release/sbom/write-sboms.ts`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatBom } from '@colophon/sbom';
import { PLATFORMS } from '../executable/node-binary.ts';
import { ARCHITECTURES } from '../image/lock.ts';
import { DIST, MANIFEST, NAMES } from '../names.ts';
import { sourceTime } from '../source-time.ts';
import { executableSbom, imageSbom, programSbom } from './shipped.ts';

const created = sourceTime();
const sboms = new Map([
  ['', await programSbom(created)],
  ...(await Promise.all(PLATFORMS.map(async (one) => [`-${one}`, await executableSbom(one, created)] as const))),
  ...(await Promise.all(ARCHITECTURES.map(async (one) => [`-image-${one}`, await imageSbom(one, created)] as const))),
]);
mkdirSync(DIST, { recursive: true });
for (const [form, bom] of sboms) {
  writeFileSync(join(DIST, `${NAMES.program}-${MANIFEST.version}${form}.cdx.json`), formatBom(bom));
}
