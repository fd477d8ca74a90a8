// A mark is known by its upper 24 bits: of ten thousand marks one in 1,700 others is taken for one of them.
const DROPPED_BITS = 8;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** A mark as a set holds it. */
export function shortened(mark: number): number {
  return mark >>> DROPPED_BITS;
}

/** Marks as a text: each one's distance from the one before, in groups of five bits, a sixth says that more follow. */
export function encodeMarks(marks: Iterable<number>): string {
  const sorted = [...new Set(Array.from(marks, shortened))].sort((one, other) => one - other);
  let text = '';
  let last = 0;
  for (const mark of sorted) {
    let distance = mark - last;
    for (; distance >= 32; distance >>>= 5) text += ALPHABET[32 + (distance & 31)];
    text += ALPHABET[distance];
    last = mark;
  }
  return text;
}

/** The shortened marks that {@link encodeMarks} wrote. */
export function decodeMarks(text: string): ReadonlySet<number> {
  const digits = new Map(Array.from(ALPHABET, (sign, digit) => [sign, digit]));
  const marks = new Set<number>();
  let last = 0;
  let distance = 0;
  let shift = 0;
  for (const sign of text) {
    const digit = digits.get(sign)!;
    distance |= (digit & 31) << shift;
    shift += 5;
    if (digit >= 32) continue;
    last += distance;
    marks.add(last);
    distance = 0;
    shift = 0;
  }
  return marks;
}
