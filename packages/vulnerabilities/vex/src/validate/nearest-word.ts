/** Longer than any word that is asked for; what is longer was not meant as one of them. */
const LONGEST = 80;

/** The word of a list that somebody probably meant: other case, other separators, or a few letters off. */
export function nearestOf<Word extends string>(words: readonly Word[], text: string): Word | undefined {
  if (text.length > LONGEST) return undefined;
  const meant = text
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  let nearest: Word | undefined;
  let least = Math.max(2, Math.floor(meant.length / 4)) + 1;
  for (const word of words) {
    const distance = distanceOf(word, meant);
    if (distance < least) {
      least = distance;
      nearest = word;
    }
  }
  return nearest;
}

/** Letters to change, add or leave out. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
