import { expect, test } from 'vitest';
import { severityOfScore, severityOfWord, worstSeverity } from './severity.ts';

test.each([
  [10, 'critical'],
  [9, 'critical'],
  [8.9, 'high'],
  [7, 'high'],
  [6.9, 'medium'],
  [4, 'medium'],
  [3.9, 'low'],
  [0.1, 'low'],
  [0, 'none'],
])('a score of %d is %s', (score, severity) => {
  expect(severityOfScore(score)).toBe(severity);
});

test.each([
  ['CRITICAL', 'critical'],
  ['Important', 'high'],
  [' moderate ', 'medium'],
  ['Negligible', 'low'],
  ['minor', 'low'],
  ['info', 'none'],
  ['None', 'none'],
  ['UNASSIGNED', 'unknown'],
  ['', 'unknown'],
  ['constructor', undefined],
  ['blocker', undefined],
])('%j means %s', (word, severity) => {
  expect(severityOfWord(word)).toBe(severity);
});

test('of several words the worst counts, and one that says nothing counts least', () => {
  expect(worstSeverity(['low', 'high', 'unknown'])).toBe('high');
  expect(worstSeverity(['none', 'unknown'])).toBe('none');
  expect(worstSeverity([])).toBe('unknown');
});
