// `npm run calibrate`: finds the scales of the similarity score on labelled pairs and says how good they are on projects
// that they have not seen. The pairs are in $COLOPHON_DATA/similarity.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { SCALES } from '@colophon/similarity';
import { calibrate } from './calibrate/calibration.ts';
import { readPairs } from './calibrate/pairs.ts';
import { describeCalibration } from './calibrate/report.ts';

const data = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../shared/data');
const folder = join(data, 'similarity');
if (!existsSync(join(folder, 'pairs.json'))) {
  console.error(
    `there are no labelled pairs in ${folder}; COLOPHON_DATA names the folder that has similarity/pairs.json`,
  );
  process.exit(1);
}
const calibration = calibrate(await readPairs(folder));
process.stdout.write(describeCalibration(calibration));
const found = JSON.stringify(calibration.halves.fitted.scales);
if (found !== JSON.stringify(SCALES)) {
  console.error(`\nSCALES in packages/similarity/src/scale/scale.ts is to be:\n${found.replaceAll('},', '},\n')}`);
  process.exitCode = 1;
}
