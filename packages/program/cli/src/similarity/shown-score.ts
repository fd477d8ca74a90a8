/**
 * A similarity score with two decimals, rounded downwards as in a component's `source-similarity`: 0.7999 is not shown
 * as 0.80, which would be a threshold that it has not reached.
 */
export function shownScore(score: number): string {
  return (Math.floor(score * 100 + 1e-7) / 100).toFixed(2);
}
