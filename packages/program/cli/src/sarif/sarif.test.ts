import { expect, test } from 'vitest';
import { sarifLog } from './sarif.ts';

const FINDING = { code: 'sbom.purl_invalid', level: 'warning', message: 'It is none.', file: 'a.json' } as const;

test('every code is one rule, and every result points to its own', () => {
  const { runs } = sarifLog([FINDING, { ...FINDING, code: 'sbom.ref_unknown', line: 3, column: 5 }, FINDING]);
  const [{ tool, results = [] }] = runs as [(typeof runs)[number]];
  expect(tool.driver.rules?.map(({ id }) => id)).toEqual(['sbom.purl_invalid', 'sbom.ref_unknown']);
  expect(results.map(({ ruleId, ruleIndex }) => [ruleId, ruleIndex])).toEqual([
    ['sbom.purl_invalid', 0],
    ['sbom.ref_unknown', 1],
    ['sbom.purl_invalid', 0],
  ]);
  expect(results.map(({ locations }) => locations?.[0]?.physicalLocation?.region)).toEqual([
    undefined,
    { startLine: 3, startColumn: 5 },
    undefined,
  ]);
});

test('what has to be a URI by the format is one: no rule has a relative one', () => {
  const rules = sarifLog([FINDING]).runs[0]?.tool.driver.rules ?? [];
  expect(rules.map(({ helpUri, help }) => [helpUri, help?.text])).toEqual([
    [undefined, expect.stringMatching('sbom.purl_invalid')],
  ]);
});

test.each([
  ['a b#?%é.json', 'a%20b%23%3F%25%C3%A9.json'],
  ['dir\\a.json', 'dir/a.json'],
  ['/tmp/a.json', 'file:///tmp/a.json'],
  ['[x]/a.json', '%5Bx%5D/a.json'],
])('the file %s is the URI %s', (file, uri) => {
  const [result] = sarifLog([{ ...FINDING, file }]).runs[0]?.results ?? [];
  expect(result?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe(uri);
});

test('text from outside is on one line, and nothing in it moves or hides what is around it', () => {
  const [result] = sarifLog([{ ...FINDING, message: 'a\u202eb\nc', path: 'pkg:npm/a\u009b2J' }]).runs[0]?.results ?? [];
  expect(result?.message.text).toBe('a\\u{202e}b\\u{a}c');
  expect(result?.locations?.[0]?.logicalLocations?.[0]?.fullyQualifiedName).toBe('pkg:npm/a\\u{9b}2J');
});
