// `npm run calibrate`: finds the scales of the similarity score on code of many projects and says how good they are on
// projects that they have not seen. With --download FOLDER the projects are fetched first; --write-marks writes the table
// of common marks anew. Labelled pairs, where there are some, are in $COLOPHON_DATA/similarity.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { LANGUAGES, SCALES, type Scales } from '@colophon/similarity';
import { type Calibration, calibrate } from './calibrate/calibration.ts';
import { commonMarksFile } from './calibrate/common-marks-file.ts';
import { downloadCorpus, emptyCorpus } from './calibrate/corpus-download.ts';
import { type MeasuredPair, measurePairs } from './calibrate/measured-pair.ts';
import { halfOf, readPairs } from './calibrate/pairs.ts';
import { describeCalibration, describeLabelled, figuresOf, missesOf } from './calibrate/report.ts';

const { values } = parseArgs({
  options: {
    from: { type: 'string' },
    download: { type: 'string' },
    'write-marks': { type: 'boolean' },
  },
});
const folder = values.download ?? values.from;
if (folder === undefined) {
  console.error(
    'npm run calibrate -- --from FOLDER, which has LANGUAGE/PROJECT/files; --download FOLDER makes one first',
  );
  process.exit(1);
}
if (values.download !== undefined) {
  emptyCorpus(folder);
  downloadCorpus(folder);
}
if (values['write-marks'] === true) {
  const file = join(import.meta.dirname, '../packages/contents/similarity/src/rarity/common-marks.ts');
  writeFileSync(file, await commonMarksFile(folder));
  console.error(`${file} is written; run this again without --write-marks`);
  process.exit(0);
}

const data = join(process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../shared/data'), 'similarity');
const independent: MeasuredPair[] = [];
let keptBack: readonly MeasuredPair[] = [];
if (existsSync(join(data, 'pairs.json'))) {
  const pairs = await readPairs(data);
  const half = halfOf(pairs.pairs);
  independent.push(...measurePairs(half.tuning, pairs.files).filter(({ label }) => label === 'independent'));
  keptBack = measurePairs(half.keptBack, pairs.files);
} else
  console.error(
    `there are no labelled pairs in ${data}; COLOPHON_DATA names the folder that has similarity/pairs.json`,
  );

const calibrations: Calibration[] = [];
const found: Partial<Record<string, Scales>> = {};
for (const language of LANGUAGES) {
  if (!existsSync(join(folder, language))) continue;
  console.error(`measuring ${language}`);
  const large = independent.filter((pair) => pair.language === language && pair.verdict !== 'too small to tell');
  const calibration = await calibrate(folder, language, large);
  calibrations.push(calibration);
  found[language] = calibration.fitted;
}
process.stdout.write(describeCalibration(calibrations, SCALES));
process.stdout.write(`\n${describeLabelled(keptBack)}`);
for (const calibration of calibrations) {
  if (missesOf(figuresOf(calibration, SCALES[calibration.language])).length > 0) process.exitCode = 1;
}
if (calibrations.some(({ language }) => JSON.stringify(found[language]) !== JSON.stringify(SCALES[language]))) {
  console.error(
    `\nSCALES in packages/contents/similarity/src/scale/scale.ts is to be:\n${JSON.stringify(found, undefined, 2)}`,
  );
  process.exitCode = 1;
}
