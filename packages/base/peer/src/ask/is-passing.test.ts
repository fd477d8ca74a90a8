import { expect, test } from 'vitest';
import { isPassing } from './is-passing.ts';
import { NoAnswer } from './no-answer.ts';

const url = new URL('http://127.0.0.1');

test.each([
  [429, true],
  [502, true],
  [503, true],
  [504, true],
  [200, false],
  [400, false],
  [500, false],
  [501, false],
])('asking again after HTTP %i may help: %s', (status, passes) => {
  expect(isPassing({ status, isOk: false, headers: new Headers(), url, body: new Uint8Array() })).toBe(passes);
});

test('asking again helps after a timeout, and not after an answer that is too large', () => {
  expect(isPassing(new NoAnswer('timeout', 'timeout', url))).toBe(true);
  expect(isPassing(new NoAnswer('too-large', 'too large', url))).toBe(false);
});
