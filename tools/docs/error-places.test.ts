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
const firstOf = (place: string, form: RegExp) => form.exec(place)?.slice(1).map(Number) ?? [];

// An issue is one of several findings, and names the exit of the error that it stands in.
test.each(ROWS.filter(({ place }) => !place.startsWith('issue')))(
  'the program ends, and a server answers, as the page says: $code, $place',
  ({ code, place }) => {
    const { exits = [], statuses = [] } = ANSWERS.get(code) ?? {};
    expect(exits).toEqual(expect.arrayContaining(firstOf(place, /\bexit (\d+)/)));
    expect(statuses).toEqual(expect.arrayContaining(firstOf(place, /^(\d{3})\b/)));
  },
);
