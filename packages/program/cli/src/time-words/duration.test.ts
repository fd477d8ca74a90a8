import { expect, test } from 'vitest';
import { parseDuration } from './duration.ts';

test.each([
  ['45s', 45],
  ['15m', 900],
  ['6h', 21_600],
  ['90d', 7_776_000],
  ['0d', 0],
])('%s is %i seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each(['', '90', 'd', '1.5d', '-1d', '1w', '90 d', '90D', '1d\n', '12345678s'])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
