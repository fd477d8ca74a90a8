/** The name that differs least from `typed`, or undefined where even that differs in more than a third of it. */
export function nearestName(typed: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1;
  for (const name of names) {
    const distance = editDistance(typed.slice(0, 64).toLowerCase(), name.toLowerCase());
    if (distance < least) {
      least = distance;
      nearest = name;
    }
  }
  return nearest;
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
