import { expect, test } from 'vitest';
import { formatSeconds, parseInterval } from './interval.ts';

test.each([
  ['60s', 60],
  ['15m', 900],
  ['6h', 21_600],
  ['1d', 86_400],
  ['31d', 2_678_400],
])('%s is %i seconds', (text, seconds) => {
  expect(parseInterval(text)).toBe(seconds);
});

test.each(['', '0h', '59s', '32d', '1w', '1.5h', '-1h', '6', '6 h', '1h30m', '99999999s', '1e3s'])(
  '%j is no interval that is taken',
  (text) => {
    expect(() => parseInterval(text)).toThrow(/15m, 6h or 1d/);
  },
);

test.each([
  [0.4, '0 s'],
  [45, '45 s'],
  [60, '1 min'],
  [899, '14 min'],
  [3600, '1 h'],
  [23_400, '6 h 30 min'],
  [86_400, '1 d'],
  [100_000, '1 d 3 h'],
])('%d seconds are %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
});
