import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashPolicyPack } from './policy-pack.ts';

const hexOf = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const file = (path: string, text: string) => ({ path, bytes: new TextEncoder().encode(text) });

describe('hashPolicyPack', () => {
  it('hashes the exact bytes of a single file, however it is given', () => {
    const bytes = new TextEncoder().encode('never push to main\n');
    expect(hashPolicyPack(bytes)).toBe(`sha256:${hexOf(bytes)}`);
    expect(hashPolicyPack([{ path: 'rules.md', bytes }])).toBe(`sha256:${hexOf(bytes)}`);
  });

  it('hashes several files as sha256sum lists them, sorted by line', () => {
    const lines = [`${hexOf('one')}  a/1.md\n`, `${hexOf('two')}  b.md\n`].sort();
    expect(hashPolicyPack([file('a/1.md', 'one'), file('b.md', 'two')])).toBe(`sha256:${hexOf(lines.join(''))}`);
  });

  it('does not depend on the order in which files are given', () => {
    const paths = fc.uniqueArray(fc.stringMatching(/^[a-z/.é😀\ufb33]{1,6}$/u), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(paths, fc.boolean(), (names, isSame) => {
        const files = names.map((name, index) => file(name, isSame ? 'same' : `${index}`));
        expect(hashPolicyPack([...files].reverse())).toBe(hashPolicyPack(files));
      }),
    );
  });

  it('sorts by bytes, as LC_ALL=C sort does, and not by UTF-16 code units', () => {
    const listed = [`${hexOf('x')}  \ufb33\n`, `${hexOf('x')}  😀\n`].join('');
    expect(hashPolicyPack([file('😀', 'x'), file('\ufb33', 'x')])).toBe(`sha256:${hexOf(listed)}`);
  });

  it('sorts a path before the longer one that it begins', () => {
    const listed = [`${hexOf('x')}  a\n`, `${hexOf('x')}  a.md\n`].join('');
    expect(hashPolicyPack([file('a.md', 'x'), file('a', 'x')])).toBe(`sha256:${hexOf(listed)}`);
  });

  it('tells packs apart by path and by content', () => {
    const base = hashPolicyPack([file('a', '1'), file('b', '2')]);
    expect(hashPolicyPack([file('a', '1'), file('c', '2')])).not.toBe(base);
    expect(hashPolicyPack([file('a', '2'), file('b', '1')])).not.toBe(base);
  });

  it.each([
    ['no file', []],
    ['an empty path', [file('', '1')]],
    ['a newline in a path', [file('a\nb', '1')]],
    ['a NUL in a path', [file('a\0', '1')]],
    ['a backslash in a path', [file('a\\b', '1'), file('c', '2')]],
    ['the same path twice', [file('a', '1'), file('a', '2')]],
  ])('throws TypeError for %s', (_title, files) => {
    expect(() => hashPolicyPack(files)).toThrow(TypeError);
  });
});
