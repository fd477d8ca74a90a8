import { expect, test } from 'vitest';
import { sizeOf } from './data-size.ts';

test.each<[unknown, number]>([
  [null, 1],
  [7, 1],
  ['', 1],
  ['x'.repeat(15), 1],
  ['x'.repeat(16), 2],
  ['x'.repeat(160), 11],
  [[], 1],
  [[1, [2, 3], null], 6],
  [{ a: { b: 'x'.repeat(32) }, c: true }, 6],
  [{ ['k'.repeat(48)]: 1 }, 5],
  [undefined, 1],
])('the size of data is its values, and its text at 16 characters a step (%#)', (data, size) => {
  expect(sizeOf(data)).toBe(size);
});
