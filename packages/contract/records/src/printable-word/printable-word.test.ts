import { describe, expect, it } from 'vitest';
import { parsePathSegment, parsePrintableWord } from './printable-word.ts';

const accepted = ['1', '1.2.3-rc.1+build.5', 'vendor-4:0', '!', '~', 'a@b', '-', 'unknown-1', 'x'.repeat(256)];
const refused: [string, string][] = [
  ['nothing', ''],
  ['257 characters', 'x'.repeat(257)],
  ['a space', '1 2'],
  ['a trailing space', '1 '],
  ['a tab', '1\t'],
  ['a trailing newline', '1\n'],
  ['DEL', '1\u007f'],
  ['a C1 control', '1\u0085'],
  ['a letter beyond ASCII', 'é'],
  ['a zero-width space', '1\u200b'],
  ['a bidi override', '1\u202e2'],
  ['the word for a missing claim', 'unknown'],
];

describe('parsePrintableWord', () => {
  it.each([...accepted, 'us.vendor/model', '/'])('accepts %s as it is', (text) => {
    expect(parsePrintableWord(text)).toBe(text);
  });

  it.each(refused)('refuses %s', (_title, text) => {
    expect(parsePrintableWord(text)).toBeUndefined();
  });
});

describe('parsePathSegment', () => {
  it.each([...accepted, '.0'])('accepts %s as it is', (text) => {
    expect(parsePathSegment(text)).toBe(text);
  });

  it.each([...refused, ['a slash', 'a/b'], ['a slash alone', '/']] as const)('refuses %s', (_title, text) => {
    expect(parsePathSegment(text)).toBeUndefined();
  });
});
