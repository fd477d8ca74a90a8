import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { documentedCodes, errorCodeProblems, listedCodes, usedCodes } from './error-codes.ts';

function repository(page: string, source: string): string {
  const root = mkdtempSync(join(tmpdir(), 'codes-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'docs'));
  writeFileSync(join(root, 'docs/errors.md'), page);
  writeFileSync(join(root, 'a.ts'), source);
  return root;
}

const SOURCE = `
export const A_ERROR_CODES = ['a.one', 'a.two'] as const;
export const WIRE_CODES = ['MANIFEST_UNKNOWN'];
export const EXIT_CODES = { 'a.one': 1 };
const answer = { path: 'a.path', code: 'a.one' };
`;

const ROW = (code: string) => `| \`${code}\` | what it means | 400 | what to do |\n`;

test('codes come from every exported list of our shape, also a computed one', async () => {
  const root = repository('', `${SOURCE}export const B_CODES = Object.keys({ 'b.x_1': 1 });`);
  expect([...(await listedCodes(root, ['a.ts'])).keys()]).toEqual(['a.one', 'a.two', 'b.x_1']);
});

test('a literal counts as a code where an error is made of it', () => {
  const text = `{ code: 'a.x' }; throw new CliError('a.y', 'm'); return refused("no"); issueAt('a.z'); get('wire.path')`;
  expect(usedCodes(text).sort()).toEqual(['a.x', 'a.y', 'a.z']);
});

test('an error may be made on several lines', () => {
  expect(usedCodes(`new ServerError(\n  'a.long',\n  'text',\n)`)).toEqual(['a.long']);
});

test('rows are read with their cells', () => {
  expect(documentedCodes(ROW('a.one'))).toEqual([{ code: 'a.one', cells: ['what it means', '400', 'what to do'] }]);
});

test('list, source and page that agree are no problem', async () => {
  expect(await errorCodeProblems(repository(ROW('a.one') + ROW('a.two'), SOURCE), ['a.ts'])).toEqual([]);
});

test.each([
  ['a row is missing', ROW('a.one'), SOURCE, /no row for a\.two/],
  ['a row has no list', ROW('a.one') + ROW('a.two') + ROW('a.gone'), SOURCE, /a\.gone stands in no list/],
  ['a row is there twice', ROW('a.one') + ROW('a.two') + ROW('a.two'), SOURCE, /a\.two has two rows/],
  ['a cell is empty', `${ROW('a.one')}| \`a.two\` | meaning | 400 | |\n`, SOURCE, /a\.two needs/],
  [
    'the source uses an unlisted code',
    ROW('a.one') + ROW('a.two'),
    `${SOURCE}fail('a.new')`,
    /a\.new stands in no exp/,
  ],
])('it is noticed when %s', async (_, page, source, expected) => {
  const body = source.replace("fail('a.new')", "const fail = (code) => code;\nfail('a.new')");
  const problems = await errorCodeProblems(repository(page, body), ['a.ts']);
  expect(problems.join('\n')).toMatch(expected);
});
