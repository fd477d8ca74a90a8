/** The names that differ least from `typed`, in their order; none where they differ in more than a third of it. */
export function nearestNames(typed: string, names: readonly string[]): string[] {
  const most = Math.max(1, Math.floor(typed.length / 3));
  const lower = typed.slice(0, 64).toLowerCase();
  const distances = names.map((name) => editDistance(lower, name.toLowerCase()));
  const least = Math.min(...distances);
  return least > most ? [] : names.filter((_, index) => distances[index] === least);
}

/** How many characters to insert, remove, change or swap with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwapped ? beforePrevious[j - 2]! + 1 : change;
      current.push(Math.min(change, swap, previous[j]! + 1, current[j - 1]! + 1));
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}
