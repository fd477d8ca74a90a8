import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChunkRange, parseRange } from './byte-range.ts';

describe('a range of bytes (RFC 9110 §14)', () => {
  it.each([
    [undefined, 10, 'whole'],
    ['bytes=0-0', 10, { start: 0, end: 0 }],
    ['bytes=5-', 10, { start: 5, end: 9 }],
    ['bytes=-3', 10, { start: 7, end: 9 }],
    ['bytes=-30', 10, { start: 0, end: 9 }],
    ['bytes=5-100', 10, { start: 5, end: 9 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    [`bytes=${'9'.repeat(20)}-`, 10, 'unsatisfiable'],
    [`bytes=5-${'9'.repeat(400)}`, 10, { start: 5, end: 9 }],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=5-3', 10, 'whole'],
    ['bytes=0-1,3-4', 10, 'whole'],
    ['lines=0-1', 10, 'whole'],
  ])('%s of %d bytes', (header, size, expected) => {
    expect(parseRange(header, size)).toEqual(expected);
  });

  it('never leaves the content', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(), fc.option(fc.nat()), fc.option(fc.nat()), (text, size, first, last) => {
        for (const header of [text, `bytes=${first ?? ''}-${last ?? ''}`]) {
          const range = parseRange(header, size);
          if (typeof range === 'string') continue;
          expect(range.start).toBeLessThanOrEqual(range.end);
          expect(range.start).toBeGreaterThanOrEqual(0);
          expect(range.end).toBeLessThan(size);
        }
      }),
    );
  });
});

describe('the range of a chunk', () => {
  it('has both ends', () => {
    expect(parseChunkRange('0-99')).toEqual({ start: 0, end: 99 });
    for (const bad of ['', '5', '5-', '-5', '9-5', 'a-b', '0-1-2']) expect(parseChunkRange(bad)).toBeUndefined();
  });
});
