import { expect, test } from 'vitest';
import { wholeSeconds } from './time-words.ts';

test.each([
  ['2026-11-21T14:01:34.783071339Z', '2026-11-21T14:01:34Z'],
  ['2026-11-21T14:01:34Z', '2026-11-21T14:01:34Z'],
  ['2026-11-21T14:01:34.5+01:00', '2026-11-21T14:01:34+01:00'],
  ['2026-11-21', '2026-11-21'],
])('%s is shown as %s', (time, shown) => {
  expect(wholeSeconds(time)).toBe(shown);
});
