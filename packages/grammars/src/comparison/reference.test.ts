import { expect, test } from 'vitest';
import { referenceAmong } from './reference.ts';

test.each([
  [['/work/tree'], ['/work/tree'], 'judged tree'],
  [['/work/tree/node_modules/pad'], ['/work/tree'], 'judged tree'],
  [['/work/tree/pad'], ['/other', '/work/tree'], 'judged tree'],
  [['/work/link', '/work/tree/pad'], ['/work/tree'], 'judged tree'],
  [['/work/tree/link', '/elsewhere/pad'], ['/work/tree'], 'judged tree'],
  [['/work'], ['/'], 'judged tree'],
  [['/'], ['/'], 'judged tree'],
  [['/work/tree2'], ['/work/tree'], 'given'],
  [['/work'], ['/work/tree'], 'given'],
  [['/work/pad'], [], 'given'],
  [[], ['/work'], 'given'],
])('a reference reached as %j by judges of %j is: %s', (names, trees, expected) => {
  expect(referenceAmong(names, trees)).toBe(expected);
});
