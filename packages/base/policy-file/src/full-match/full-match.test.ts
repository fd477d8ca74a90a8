import { expect, test } from 'vitest';
import { compileFullMatch, MAX_MATCHED_LENGTH, MAX_PATTERN_LENGTH, MAX_PATTERN_SIZE } from './full-match.ts';

function compile(pattern: string) {
  const compiled = compileFullMatch(pattern);
  if (!compiled.ok) throw new Error(compiled.message);
  return compiled;
}

test.each([
  ['SEC-[0-9]+', 'SEC-12', true],
  ['SEC-[0-9]+', 'SEC-12 or so', false],
  ['a|b', 'ab', false],
  ['(?m)^a$', 'a\nb', false],
  ['', '', true],
])('%j on %j: %s', (pattern, text, expected) => {
  expect(compile(pattern).matches(text)).toBe(expected);
});

test('a pattern is refused when it is too long, and not at the limit', () => {
  expect(compileFullMatch('a'.repeat(MAX_PATTERN_LENGTH)).ok).toBe(true);
  const tooLong = compileFullMatch('a'.repeat(MAX_PATTERN_LENGTH + 1));
  expect(tooLong).toEqual({ ok: false, message: expect.stringContaining(String(MAX_PATTERN_LENGTH)) });
});

test.each([
  ['(?:.?){0,999}'.repeat(70)],
  ['((a{50}){50}){50}'],
  ['(?:[a-z]{1000}){5}'],
  ['a{1000}{5}'],
  ['\\p{Greek}{1000}'.repeat(5)],
])('%s is refused before it is compiled: it would be too large', (pattern) => {
  expect(compileFullMatch(pattern)).toEqual({ ok: false, message: expect.stringContaining(String(MAX_PATTERN_SIZE)) });
});

test.each([
  ['[0-9a-f]{40}', '0'.repeat(40)],
  ['(?:sha256:)?[0-9a-f]{64}', '0'.repeat(64)],
  ['(a{20}){20}', 'a'.repeat(400)],
  ['[{]9999[}]', '{9999}'],
  ['\\{9999}', '{9999}'],
  ['[]{9999]+', ']{9'],
])('%s is not', (pattern, text) => {
  expect(compile(pattern).matches(text)).toBe(true);
});

const FOUR_THOUSAND = 'a{1000}'.repeat(4);

test.each([
  ['atoms', `${FOUR_THOUSAND}${'b'.repeat(96)}`],
  ['escaped atoms', `${FOUR_THOUSAND}${'\\.'.repeat(96)}`],
  ['braces that repeat nothing', `${FOUR_THOUSAND}${'{'.repeat(96)}`],
  ['classes', `${'[a-z{}]{1000}'.repeat(4)}${'[]b]'.repeat(96)}`],
  ['a class of a POSIX name', `${'[[:alpha:]]{1000}'.repeat(4)}${'b'.repeat(96)}`],
  ['a group, which counts as one', `${'(a{250}){4}'.repeat(4)}${'b'.repeat(80)}`],
  ['groups in a group', `((ab){2}c){500}(?:${'d'.repeat(93)})`],
  ['a lower and an upper bound', `${'a{2,1000}'.repeat(4)}${'b'.repeat(96)}`],
  ['a lower bound alone', `${'a{1000,}'.repeat(4)}${'b'.repeat(96)}`],
  ['a bound of none', `${FOUR_THOUSAND}${'b{0}'.repeat(96)}`],
])('a pattern of the largest size is compiled, and one with an atom more is not: %s', (_, pattern) => {
  expect(compileFullMatch(pattern)).toMatchObject({ ok: true });
  expect(compileFullMatch(`${pattern}z`)).toMatchObject({ ok: false });
});

test('a text that is too long matches nothing', () => {
  const { matches } = compile('a+');
  expect(matches('a'.repeat(MAX_MATCHED_LENGTH))).toBe(true);
  expect(matches('a'.repeat(MAX_MATCHED_LENGTH + 1))).toBe(false);
});

test.each(['a)(b', '(', '(?=a)', '\\Qa'])('%s is refused when it is compiled', (pattern) => {
  expect(compileFullMatch(pattern)).toEqual({ ok: false, message: expect.stringMatching(/./) });
});

test.each([
  ['Alice|Bob', 'aLICE', true],
  ['[^A-Z]+', 'abc', true],
  ['[^A-Z]+', 'ABC', false],
  ['Alice', 'Alicex', false],
])('%j on %j in any case: %s', (pattern, text, expected) => {
  expect(compile(pattern).matchesInAnyCase(text)).toBe(expected);
});

test('a text that is too long matches in no case either', () => {
  expect(compile('a+').matchesInAnyCase('A'.repeat(MAX_MATCHED_LENGTH))).toBe(true);
  expect(compile('a+').matchesInAnyCase('A'.repeat(MAX_MATCHED_LENGTH + 1))).toBe(false);
});
