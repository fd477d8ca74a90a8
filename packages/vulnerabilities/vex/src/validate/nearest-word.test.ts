import { VEX_JUSTIFICATIONS, VEX_STATUSES } from '@colophon/records';
import { expect, test } from 'vitest';
import { nearestOf } from './nearest-word.ts';

test.each([
  ['Not Affected', 'not_affected'],
  ['not-affected', 'not_affected'],
  ['under_investigaton', 'under_investigation'],
  ['AFFECTED', 'affected'],
  ['fixd', 'fixed'],
])('%s was meant as %s', (text, word) => {
  expect(nearestOf(VEX_STATUSES, text)).toBe(word);
});

test('nothing is guessed of another word, or of one that is too long to be one', () => {
  expect(nearestOf(VEX_STATUSES, 'exploitable')).toBeUndefined();
  expect(nearestOf(VEX_JUSTIFICATIONS, 'because')).toBeUndefined();
  expect(nearestOf(VEX_STATUSES, 'fixed'.repeat(1000))).toBeUndefined();
});
