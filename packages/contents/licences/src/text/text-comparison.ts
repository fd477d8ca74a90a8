import { isHolderName, linesWithTerms, type Surroundings } from './holder-name.ts';
import { ANY_NAME, type KnownText, type Variant } from './known-text.ts';
import { type LicenceWords, licenceWords } from './licence-words.ts';
import { diffWords, type Hunk } from './word-diff.ts';

/** Words of a text by their position: from, and up to but not including. */
export type Span = readonly [start: number, end: number];

/** How a part of a text stands to a known one. */
export type Comparison = {
  readonly known: KnownText;
  /** From the first to the last word that both have. */
  readonly span: Span;
  /** Words that both have. */
  readonly matched: number;
  /** Words of the text, inside of the span, that the known text does not have and that may be terms. */
  readonly additions: readonly Span[];
  /** Words of the known text that are missing and are terms. */
  readonly omissions: readonly Span[];
};

/** Holds a window of a text against a known text; undefined where they have no word in common. */
export function compareTexts(
  known: KnownText,
  text: LicenceWords,
  numbers: Int32Array,
  [from, to]: Span,
  licenceNames: ReadonlySet<string>,
): Comparison | undefined {
  const hunks = withoutStrayWords(known, diffWords(known.words, numbers.subarray(from, to)), to - from).map((hunk) => ({
    ...withoutMarks(known, hunk),
    foundStart: hunk.foundStart + from,
    foundEnd: hunk.foundEnd + from,
  }));
  const [first] = hunks;
  const last = hunks.at(-1);
  // What stands before the first and after the last common word is not between them.
  const start = first?.foundStart === from ? first.foundEnd : from;
  const end = last?.foundEnd === to ? last.foundStart + trailingWords(known, text, numbers, last) : to;
  if (start >= end) return undefined;
  const inner = hunks.map((hunk) => ({
    ...hunk,
    foundStart: Math.max(hunk.foundStart, start),
    foundEnd: Math.min(Math.max(hunk.foundEnd, start), end),
  }));
  const surroundings = { titleWords: known.titleWords, licenceNames, mayBeHeaded: false };
  const explained = explainVariants(known, text, numbers, inner, surroundings);
  const additions: Span[] = [];
  const omissions: Span[] = [];
  for (const hunk of inner) {
    if (explained.has(hunk)) continue;
    const { knownStart, knownEnd, foundStart, foundEnd } = hunk;
    if (!mayBeMissing(known, knownStart, knownEnd)) omissions.push([knownStart, knownEnd]);
    const isHead = knownEnd <= known.headWords;
    const around = isHead ? { ...surroundings, mayBeHeaded: true } : { ...surroundings, titleWords: NO_TITLE };
    if (!isNoTerm(text, [foundStart, foundEnd], knownStart === knownEnd, around))
      additions.push([foundStart, foundEnd]);
  }
  const missing = hunks.reduce((sum, { knownStart, knownEnd }) => sum + knownEnd - knownStart, 0);
  return { known, span: [start, end], matched: known.words.length - missing, additions, omissions };
}

/** So few common words between two differences are common by chance. */
const MOST_STRAY_WORDS = 2;

/** At its start and end a text is not said to begin with a word that stands somewhere before it. */
function withoutStrayWords({ words }: KnownText, hunks: readonly Hunk[], foundLength: number): readonly Hunk[] {
  const kept = [...hunks];
  while (kept.length > 1) {
    const [first, second] = kept as [Hunk, Hunk];
    const isStray = second.knownStart - first.knownEnd <= MOST_STRAY_WORDS && second.foundEnd - second.foundStart > 4;
    if (first.knownStart > 0 || first.foundStart > 0 || !isStray) break;
    kept.splice(0, 2, { ...second, knownStart: 0, foundStart: 0 });
  }
  while (kept.length > 1) {
    const [last, before] = [kept.at(-1)!, kept.at(-2)!];
    const isStray = last.knownStart - before.knownEnd <= MOST_STRAY_WORDS && before.foundEnd - before.foundStart > 4;
    if (last.knownEnd < words.length || last.foundEnd < foundLength || !isStray) break;
    kept.splice(-2, 2, { ...before, knownEnd: words.length, foundEnd: foundLength });
  }
  return kept;
}

/** A difference without the marks of lists at its ends, which may be there or not. */
function withoutMarks({ isMark }: KnownText, hunk: Hunk): Hunk {
  let { knownStart, knownEnd } = hunk;
  while (knownStart < knownEnd && isMark[knownStart]) knownStart++;
  while (knownEnd > knownStart && isMark[knownEnd - 1]) knownEnd--;
  return { ...hunk, knownStart, knownEnd };
}

/** How many words after the last common one are what may stand at the known text's end: a name, an appendix. */
function trailingWords(known: KnownText, text: LicenceWords, numbers: Int32Array, last: Hunk): number {
  if (last.knownEnd < known.words.length) return 0;
  const room = last.foundEnd - last.foundStart;
  for (const { start, end, alternatives } of known.variants) {
    if (start !== last.knownStart || end !== last.knownEnd) continue;
    for (const one of alternatives) {
      const counts = one.includes(ANY_NAME)
        ? lineEnds(text, last.foundStart, Math.min(MOST_TRAILING_WORDS, room))
        : [one.length];
      const count = counts.find(
        (count) => count <= room && isAlternative(one, text, numbers, [last.foundStart, last.foundStart + count]),
      );
      if (count !== undefined && count > 0) return count;
    }
  }
  return 0;
}

/** After how many words, at most `most`, a line or a sentence ends; the longest first. */
function lineEnds({ source, starts, ends, words }: LicenceWords, start: number, most: number): number[] {
  const counts: number[] = [];
  for (let count = most; count > 0; count--) {
    const end = start + count;
    const isEnd = end === words.length || /\n|\.\s/.test(source.slice(ends[end - 1], starts[end]));
    if (isEnd) counts.push(count);
  }
  return counts;
}
const MOST_TRAILING_WORDS = 14;

/** The hunks that a variant of the known text explains. */
function explainVariants(
  known: KnownText,
  text: LicenceWords,
  numbers: Int32Array,
  hunks: readonly Hunk[],
  surroundings: Around,
): ReadonlySet<Hunk> {
  const explained = new Set<Hunk>();
  for (const hunk of hunks) {
    if (explained.has(hunk)) continue;
    const around = known.variants
      .filter(({ start, end }) => start <= hunk.knownStart && end >= hunk.knownEnd)
      .sort((left, right) => left.end - left.start - (right.end - right.start));
    for (const variant of around) {
      const within = hunks.filter(({ knownStart, knownEnd }) => knownStart >= variant.start && knownEnd <= variant.end);
      const span = foundSpan(variant, hunks);
      if (span === undefined) continue;
      const isExplained = variant.alternatives.some((one) =>
        one.length === 0
          ? termLines(text, span, { ...surroundings, mayBeHeaded: variant.end <= known.headWords }).length === 0
          : isAlternative(one, text, numbers, span),
      );
      if (!isExplained) continue;
      for (const one of within) explained.add(one);
      break;
    }
  }
  return explained;
}

/** The words of the text that stand where a variant's words stand in the known one. */
function foundSpan({ start, end }: Variant, hunks: readonly Hunk[]): Span | undefined {
  const first = hunks.findIndex(({ knownStart, knownEnd }) => knownEnd >= start && knownStart >= start);
  const hunk = hunks[first];
  if (hunk === undefined || hunk.knownStart > end) return undefined;
  const from = hunk.foundStart - (hunk.knownStart - start);
  const last = hunks.findLast(({ knownStart, knownEnd }) => knownEnd <= end && knownStart >= start);
  return last === undefined ? undefined : [from, last.foundEnd + (end - last.knownEnd)];
}

function isAlternative(
  alternative: readonly number[],
  text: LicenceWords,
  numbers: Int32Array,
  [start, end]: Span,
): boolean {
  const open = alternative.indexOf(ANY_NAME);
  if (open < 0)
    return alternative.length === end - start && alternative.every((word, index) => numbers[start + index] === word);
  const after = alternative.slice(open + 1);
  // A second name in one alternative is not looked for.
  if (after.includes(ANY_NAME) || end - start < alternative.length - 1) return false;
  const isFramed =
    alternative.slice(0, open).every((word, index) => numbers[start + index] === word) &&
    after.every((word, index) => numbers[end - after.length + index] === word);
  return isFramed && isHolderName(...partOf(text, start + open, end - after.length));
}

function partOf(
  { words, starts, ends, source }: LicenceWords,
  start: number,
  end: number,
): [words: readonly string[], source: string] {
  return start >= end ? [[], ''] : [words.slice(start, end), source.slice(starts[start], ends[end - 1])];
}

/** So many words in a row, or all, of what may be left out. */
const LEAST_LEFT_OUT = 8;

/** Whether every one of these words is a mark of a list, or in a part that may be left out and of which a part is. */
function mayBeMissing({ isMark, variants }: KnownText, start: number, end: number): boolean {
  const optional = variants.filter(({ alternatives }) => alternatives.some((words) => words.length === 0));
  for (let at = start; at < end; at++) {
    if (isMark[at]) continue;
    const isLeftOut = optional.some(
      (one) =>
        one.start <= at &&
        at < one.end &&
        ((start <= one.start && one.end <= end) ||
          Math.min(end, one.end) - Math.max(start, one.start) >= LEAST_LEFT_OUT),
    );
    if (!isLeftOut) return false;
  }
  return true;
}

/** Whether added words are marks of a list, or lines that say who holds the copyright or what a title says. */
function isNoTerm(text: LicenceWords, [start, end]: Span, isNothingMissing: boolean, surroundings: Around): boolean {
  if (start >= end) return true;
  if (isNothingMissing && text.isMark.slice(start, end).every(Boolean)) return true;
  return termLines(text, [start, end], surroundings).length === 0;
}

/** The lines of a part of a text that may be terms: no copyright, no title. */
export function termLines(text: LicenceWords, [start, end]: Span, around: Around): Span[] {
  const lines: Array<{ words: readonly string[]; source: string; before: string; span: Span }> = [];
  const { words, starts, ends, source } = text;
  const isTitle = (line: readonly string[]) =>
    line.length <= MOST_TITLE_WORDS && line.every((word) => around.titleWords.has(word));
  let lineStart = start === 0 ? 0 : ends[start - 1]!;
  const stop = end === words.length ? source.length : starts[end]!;
  let at = start;
  for (const line of source.slice(lineStart, stop).split('\n')) {
    const lineEnd = lineStart + line.length;
    const from = at;
    while (at < end && starts[at]! < lineEnd) at++;
    const before = lines.length === 0 ? source.slice(source.lastIndexOf('\n', lineStart - 1) + 1, lineStart) : '';
    const tagged = taggedWords(line);
    lines.push({
      words: tagged !== undefined && isTitle(tagged) ? tagged : words.slice(from, at),
      source: line,
      before,
      span: [from, at],
    });
    lineStart = lineEnd + 1;
  }
  return linesWithTerms(lines, { ...around, isTitle }).map(({ span }) => span);
}

/** A line's words where its hyphens are blanks, `SPDX-License-Identifier:` left out: `BSD-3-Clause` is a title then. */
function taggedWords(line: string): readonly string[] | undefined {
  if (line.length > LONGEST_TAG) return undefined;
  return licenceWords(line.replace(/SPDX-License-Identifier:/i, '').replaceAll('-', ' ')).words;
}

const LONGEST_TAG = 100;
const MOST_TITLE_WORDS = 14;
/** Between the terms nothing is a title. */
const NO_TITLE: ReadonlySet<string> = new Set();
/** What may stand around the terms of a licence. */
export type Around = Omit<Surroundings, 'isTitle'> & { readonly titleWords: ReadonlySet<string> };
