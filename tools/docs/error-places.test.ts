import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answersOfCodes } from './answers-of-codes.ts';
import { documentedCodes } from './error-codes.ts';
import { packageSources } from './tracked-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const ROWS = documentedCodes(readFileSync(join(ROOT, 'docs/errors.md'), 'utf8')).map(
  ({ code, cells: [, place = ''] }) => ({ code, place }),
);
const ANSWERS = answersOfCodes(
  ROOT,
  packageSources(ROOT),
  ROWS.map(({ code }) => code),
);

const numbersIn = (place: string) => [...place.matchAll(/\b\d+\b/g)].map(Number).sort((a, b) => a - b);
const areOfTheErrorAround = (place: string, own: readonly number[]) =>
  /^issue, exit \d+$/.test(place) && own.length === 0;

test.each(ROWS)(
  'the page says how the program ends with $code, and how a server answers: $place',
  ({ code, place }) => {
    const { exits = [], statuses = [] } = ANSWERS.get(code) ?? {};
    const own = [...exits, ...statuses].sort((a, b) => a - b);
    if (areOfTheErrorAround(place, own)) return;
    expect(numbersIn(place.replace(/ in 1\.2 and 1\.3$/, ''))).toEqual(own);
  },
);
