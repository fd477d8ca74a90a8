import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answersOfCodes, throwSites } from './answers-of-codes.ts';
import { listedCodes } from './error-codes.ts';
import { packageSources } from './tracked-files.ts';

const ROOT = join(import.meta.dirname, '../..');
// Rows are only added, for new codes: a code never ends the program, or answers a request, in another way than it did.
const [HEAD, ...ROWS] = readFileSync(join(ROOT, 'packages/program/cli/test/frozen/error-codes.tsv'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => line.split('\t'));

test('every code ends the program, and answers over HTTP, as it was frozen', async () => {
  const sources = packageSources(ROOT);
  const codes = (await listedCodes(ROOT, sources)).keys();
  const today = [...answersOfCodes(ROOT, sources, codes)].map(([code, { exits, statuses }]) => [
    code,
    exits.join(',') || '-',
    statuses.join(',') || '-',
  ]);
  expect(HEAD).toEqual(['code', 'exits', 'statuses']);
  expect(today).toEqual(ROWS);
  expect(ROWS.length).toBeGreaterThan(600);
});

test('the arguments of a throw are read as they stand', () => {
  const source = "throw new CliError('cli.a', f(`(,`), c ? EXIT.x : EXIT.y, { d: [1, 2] });";
  expect(throwSites(source, 'CliError')).toEqual([["'cli.a'", 'f(`(,`)', 'c ? EXIT.x : EXIT.y', '{ d: [1, 2] }']]);
});
