import { describe, expect, it } from 'vitest';
import { parseCommitId } from './commit-id.ts';

const sha1 = '0123456789abcdef0123456789abcdef01234567';
const sha256 = '0123456789abcdef'.repeat(4);

describe('parseCommitId', () => {
  it.each([sha1, sha256])('accepts %s as it is', (text) => {
    expect(parseCommitId(text)).toBe(text);
  });

  it.each([
    ['nothing', ''],
    ['an abbreviation', sha1.slice(0, 7)],
    ['39 digits', sha1.slice(1)],
    ['41 digits', `${sha1}0`],
    ['63 digits', sha256.slice(1)],
    ['65 digits', `${sha256}0`],
    ['upper case', sha1.toUpperCase()],
    ['a branch', 'main'],
    ['a prefix', `sha1:${sha1}`],
    ['a trailing newline', `${sha1}\n`],
    ['a g', `g${sha1.slice(1)}`],
  ])('refuses %s', (_title, text) => {
    expect(parseCommitId(text)).toBeUndefined();
  });
});
