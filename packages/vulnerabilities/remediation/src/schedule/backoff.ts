/** After the first failure, milliseconds. */
const FIRST_MS = 60_000;
const LONGEST_MS = 3_600_000;

/**
 * How long after a failure a job is tried again, milliseconds: twice as long each time, at most an hour and never longer
 * than its interval. Half of it is chance, so that replicas and jobs that failed together do not come back together.
 * @param attempts runs that were begun since the last one that was done, from 1
 * @param random from 0 to below 1
 */
export function backoffMs(attempts: number, everySeconds: number, random: number): number {
  const longest = Math.min(LONGEST_MS, everySeconds * 1000);
  const wait = Math.min(longest, FIRST_MS * 2 ** Math.min(attempts - 1, 30));
  return Math.round(wait / 2 + (wait / 2) * random);
}
