import { expect, test } from 'vitest';
import { shownScore } from './shown-score.ts';

test.each([
  [0.7999, '0.79'],
  [0.7391, '0.73'],
  [0.8, '0.80'],
  [0.57, '0.57'],
  [0.29, '0.29'],
  [1, '1.00'],
  [0, '0.00'],
])('%f is shown as %s, never as a threshold that it has not reached', (score, shown) => {
  expect(shownScore(score)).toBe(shown);
});
