import fc from 'fast-check';
import { expect, test } from 'vitest';
import { becomesLatest, latestOf } from './version-order.ts';

// Semantic Versioning 2.0.0 §11, its own example.
const ASCENDING = [
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '2.0.0',
  '2.1.0',
  'v2.1.1',
  '10.0.0',
  '24.04.1-rc.09',
  '24.04.1-rc.10',
  '24.04.1',
  '24.10.0',
  '20261123.235959.0',
];

test('the latest moves forward by precedence', () => {
  ASCENDING.forEach((lower, i) => {
    for (const higher of ASCENDING.slice(i + 1)) {
      expect([lower, higher, becomesLatest(higher, lower)]).toEqual([lower, higher, true]);
      expect([higher, lower, becomesLatest(lower, higher)]).toEqual([higher, lower, false]);
    }
  });
});

test('what has no precedence over the other becomes the latest by being published last', () => {
  expect(becomesLatest('1', undefined)).toBe(true);
  expect(becomesLatest('1.0.0+b', '1.0.0+c')).toBe(true);
  expect(becomesLatest('2026-11', '2026-12')).toBe(true);
  expect(becomesLatest('1.0.0', 'nightly')).toBe(true);
});

test('the order of publication does not change which semantic version is latest', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(ASCENDING, { minLength: 1 }), (versions) => {
      expect(latestOf(versions)).toBe(ASCENDING.filter((version) => versions.includes(version)).at(-1));
    }),
  );
  expect(latestOf([])).toBeUndefined();
});
