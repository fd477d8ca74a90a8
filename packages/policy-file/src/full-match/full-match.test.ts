import { expect, test } from 'vitest';
import { compileFullMatch, MAX_MATCHED_LENGTH, MAX_PATTERN_LENGTH } from './full-match.ts';

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

test('a text that is too long matches nothing', () => {
  const { matches } = compile('a+');
  expect(matches('a'.repeat(MAX_MATCHED_LENGTH))).toBe(true);
  expect(matches('a'.repeat(MAX_MATCHED_LENGTH + 1))).toBe(false);
});

test.each(['a)(b', '(', '(?=a)', '\\Qa'])('%s is refused when it is compiled', (pattern) => {
  expect(compileFullMatch(pattern)).toEqual({ ok: false, message: expect.stringMatching(/./) });
});
