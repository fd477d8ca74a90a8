import { expect, test } from 'vitest';
import { referenceAmong } from './reference.ts';

test.each([
  [['/a/tree'], ['/a/tree'], 'judged tree'],
  [['/a/tree/node_modules/pad'], ['/a/tree'], 'judged tree'],
  [['/a/tree/pad'], ['/other', '/a/tree'], 'judged tree'],
  [['/a/link', '/a/tree/pad'], ['/a/tree'], 'judged tree'],
  [['/a/tree/link', '/elsewhere/pad'], ['/a/tree'], 'judged tree'],
  [['/a'], ['/'], 'judged tree'],
  [['/'], ['/'], 'judged tree'],
  [['/a/tree2'], ['/a/tree'], 'given'],
  [['/a'], ['/a/tree'], 'given'],
  [['/a/pad'], [], 'given'],
  [[], ['/a'], 'given'],
])('a reference reached as %j by judges of %j is: %s', (names, trees, expected) => {
  expect(referenceAmong(names, trees)).toBe(expected);
});
