/**
 * Says on standard error what a bench does now, behind the seconds since it began: one that is silent for minutes looks like
 * one that hangs. What is measured stands on standard output alone.
 */
export function doing(what: string): void {
  process.stderr.write(
    `${Math.round(performance.now() / 1000)
      .toString()
      .padStart(6)} s  ${what}\n`,
  );
}

/** Names a round of those of which the first does not count. */
export function roundOf(round: number, rounds: number): string {
  return round === 0 ? 'the round that does not count' : `round ${round} of ${rounds}`;
}
