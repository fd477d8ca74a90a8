/** A part of a file that is compared by itself. */
export type Unit = {
  /** How many tokens it has. */
  readonly tokens: number;
  /** Its first token, and the one after its last. What is outside of all functions has those of the file. */
  readonly start: number;
  readonly end: number;
};

/** A stretch of tokens and the unit that it is of. */
export type Span = {
  readonly start: number;
  readonly end: number;
  /** Index into the units. */
  readonly unit: number;
  /** Index of the span that this one is inside; -1 for that of the whole file. */
  readonly parent: number;
};

/** The units of a file: the whole of it, what is outside of its functions and classes, and each of those. */
export type Units = {
  readonly units: readonly Unit[];
  /** Where they are, by where they begin, a span before those inside it. */
  readonly spans: readonly Span[];
};

/** A unit with fewer tokens says nothing: what everybody would write is already so long. */
export const MINIMUM_TOKENS = 50;
/** Functions inside functions inside functions: deeper ones count with what they stand in. */
const DEEPEST = 8;
const FILE = 0;
const OUTSIDE = 1;

type Range = { readonly start: number; readonly end: number };

/** Collects the functions and classes of a file while its tokens are read in the order of the text. */
export class UnitList {
  readonly #open: Array<{ readonly start: number; readonly endInText: number }> = [];
  readonly #ranges: Range[] = [];

  /** The token at this place of the text is the next to be read: what ends before it is closed. */
  closeBefore(placeInText: number, tokens: number): void {
    for (let last = this.#open.at(-1); last !== undefined && last.endInText <= placeInText; last = this.#open.at(-1)) {
      this.#close(tokens);
    }
  }

  /** A function or class begins with the token that is read next. */
  open(endInText: number, tokens: number): void {
    this.#open.push({ start: tokens, endInText });
  }

  /** The ranges of all of at least {@link MINIMUM_TOKENS}, by where they begin, the longer one first. */
  closed(tokens: number): Range[] {
    while (this.#open.length > 0) this.#close(tokens);
    return this.#ranges.sort((one, other) => one.start - other.start || other.end - one.end);
  }

  #close(end: number): void {
    const { start } = this.#open.pop()!;
    if (end - start >= MINIMUM_TOKENS && this.#open.length < DEEPEST) this.#ranges.push({ start, end });
  }
}

/** The units of a file of so many tokens with these functions and classes, in the order of {@link UnitList.closed}. */
export function unitsOf(tokens: number, ranges: readonly Range[]): Units {
  const units: Unit[] = [{ tokens, start: 0, end: tokens }];
  const spans: Span[] = [{ start: 0, end: tokens, unit: FILE, parent: -1 }];
  if (ranges.length === 0) return { units, spans };
  let outside = 0;
  let done = 0;
  const addOutside = (end: number) => {
    if (end <= done) return;
    spans.push({ start: done, end, unit: OUTSIDE, parent: 0 });
    outside += end - done;
  };
  units.push({ tokens: 0, start: 0, end: tokens });
  let parent = 0;
  for (const { start, end } of ranges) {
    addOutside(start);
    while (spans[parent]!.end <= start) parent = spans[parent]!.parent;
    spans.push({ start, end, unit: units.length, parent });
    units.push({ tokens: end - start, start, end });
    parent = spans.length - 1;
    done = Math.max(done, end);
  }
  addOutside(tokens);
  units[OUTSIDE] = { tokens: outside, start: 0, end: tokens };
  return { units, spans };
}

/** The spans that have tokens in a range, in no order. */
export function spansIn({ spans }: Units, start: number, end: number): Span[] {
  let low = 0;
  let high = spans.length;
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (spans[middle]!.start <= start) low = middle;
    else high = middle;
  }
  const found: Span[] = [];
  for (let at = low; at !== -1; at = spans[at]!.parent) if (spans[at]!.end > start) found.push(spans[at]!);
  for (let at = low + 1; at < spans.length && spans[at]!.start < end; at += 1) found.push(spans[at]!);
  return found;
}
