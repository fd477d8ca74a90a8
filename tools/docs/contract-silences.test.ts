import { expect, test } from 'vitest';
import { SILENCES, silenceProblems } from './contract-silences.ts';

const row = (section: string) => `| ${section} | silence | choice | reason | now | code |\n`;
const page = Object.entries(SILENCES)
  .map(([section, count]) => row(section).repeat(count))
  .join('');

test('the contract leaves fourteen things open, and a row for each is enough', () => {
  expect(Object.values(SILENCES).reduce((sum, count) => sum + count, 0)).toBe(14);
  expect(silenceProblems(page)).toEqual([]);
});

test('a missing row and an empty cell are noticed', () => {
  expect(silenceProblems(page.replace(row('§4.1'), ''))).toEqual(['docs/spec-decisions.md: 2 of 3 rows for §4.1']);
  expect(silenceProblems(`${page}| §2.2 | silence | | reason | now | code |\n`)).toHaveLength(1);
});
