import { VERDICTS } from '@colophon/similarity';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isGateClosed, unreadOf } from './unread.ts';

describe('files that were not read', () => {
  test('are counted once each, and named in the order of their paths', () => {
    const files = ['b', 'a', 'b', 'c'].map((file) => ({ file, reason: `of ${file}` }));
    expect(unreadOf(files)).toEqual({
      count: 3,
      files: [
        { file: 'a', reason: 'of a' },
        { file: 'b', reason: 'of b' },
        { file: 'c', reason: 'of c' },
      ],
    });
    expect(unreadOf([])).toEqual({ count: 0, files: [] });
  });

  test('are all counted, and a hundred of them named', () => {
    const files = Array.from({ length: 250 }, (_, i) => ({ file: `${1000 + i}`, reason: '' })).reverse();
    const { count, files: named } = unreadOf(files);
    expect([count, named.length, named[0]?.file, named.at(-1)?.file]).toEqual([250, 100, '1000', '1099']);
  });
});

describe('a gate', () => {
  const verdict = fc.constantFrom(...VERDICTS);
  const gate = fc.record({ failOn: fc.constantFrom('strong' as const, 'weak' as const), allowUnread: fc.boolean() });

  test.each([
    ['strong', 'strong', true],
    ['strong', 'weak', false],
    ['strong', 'noise', false],
    ['strong', 'too small to tell', false],
    ['weak', 'strong', true],
    ['weak', 'weak', true],
    ['weak', 'noise', false],
    ['weak', 'too small to tell', false],
  ] as const)('--fail-on %s with the verdict %s is closed: %s', (failOn, found, expected) => {
    expect(isGateClosed({ failOn, allowUnread: false }, ['noise', found], { count: 0 })).toBe(expected);
    expect(isGateClosed({ failOn, allowUnread: true }, [found], { count: 7 })).toBe(expected);
  });

  test('is closed by any file that was not read, whatever the verdicts, unless that is allowed', () => {
    fc.assert(
      fc.property(gate, fc.array(verdict), fc.integer({ min: 1, max: 5 }), (one, verdicts, count) => {
        expect(isGateClosed({ ...one, allowUnread: false }, verdicts, { count })).toBe(true);
        expect(isGateClosed({ ...one, allowUnread: true }, verdicts, { count })).toBe(
          isGateClosed(one, verdicts, { count: 0 }),
        );
      }),
    );
  });
});
