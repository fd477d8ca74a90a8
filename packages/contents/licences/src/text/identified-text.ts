import { licenceTerm } from '../spdx/licence-term.ts';
import { type KnownTexts, UNKNOWN_WORD } from './known-text.ts';
import { type LicenceWords, licenceWords } from './licence-words.ts';
import { type Comparison, compareTexts, type Span, termLines } from './text-comparison.ts';
import type { Hits, TextSearch } from './text-search.ts';

/** A licence in a text, and what is different from its known text. */
export type FoundLicence = {
  /** Every licence that has this text: `GPL-3.0-only` and `-or-later` come together. */
  readonly ids: readonly string[];
  /** Runs of words in it that its text does not have, as they stand there. */
  readonly additions: readonly string[];
  /** Runs of words that its text has and that are missing. */
  readonly omissions: readonly string[];
};

/** Which licences a text holds, and everything in it that is no part of them. */
export type IdentifiedText = {
  /** The one licence that the whole text is, but for title, copyright lines, names and appendix. */
  readonly is?: readonly string[];
  readonly licences: readonly FoundLicence[];
  /** What stands before, between and after the licences and may be a term. */
  readonly additions: readonly string[];
};

const MOST_LICENCES = 100;
/** Shown of a run of words, and of all runs. */
const LONGEST_RUN = 300;
const MOST_RUNS = 20;
/** A text is like a known one where it has at least this share of its words; a long run of words is no chance. */
const LEAST_LIKE = 0.8;
const LEAST_LIKE_LONG = 0.4;
const LONG_WORDS = 400;
const LEAST_WORDS = 20;
/** Of a long text so many words are read at once: more than twice the longest licence has. */
const WORDS_AT_ONCE = 16_000;
const AROUND = 60;
/** Texts of which nearly the same number of words stands there, and nothing else, are not told apart. */
const ABOUT_AS_MUCH = 0.99;

/** Recognises the licences in a text, and tells everything in it that is none of them. */
export function identifyText(text: string, known: KnownTexts, search: TextSearch): IdentifiedText {
  const words = licenceWords(text);
  const numbers = Int32Array.from(words.words, (word) => known.wordNumbers.get(word) ?? UNKNOWN_WORD);
  const { licenceNames } = known;
  const compared = (hits: Hits, part: Span) =>
    search
      .candidates(hits, part)
      .flatMap(({ known, window }) => compareTexts(known, words, numbers, window, licenceNames) ?? []);
  const termsAbove = ({ known: { titleWords }, span }: Comparison, top: number): number => {
    const isAtHead = top <= AROUND && span[0] <= top + AROUND;
    return isAtHead ? wordsIn(termLines(words, [top, span[0]], { titleWords, licenceNames, mayBeHeaded: true })) : 0;
  };
  const bestIn = (hits: Hits, part: Span): Comparison[] => {
    const all = compared(hits, part);
    const ranked = bestOf(all, termsAbove);
    const [first] = ranked;
    if (first === undefined) return [];
    if (part[1] - part[0] <= first.span[1] - first.span[0] + AROUND) return ranked;
    // Others matched elsewhere better, and are compared with the same place once more.
    const [start, end] = first.span;
    const around: Span = [Math.max(part[0], start - AROUND), Math.min(part[1], end + AROUND)];
    return bestOf([first, ...compared(hits, around).filter(({ known }) => known !== first.known)], termsAbove);
  };
  const found: Comparison[][] = [];
  /** Finds the licences in a part of the text; returned is what is none of them. */
  const scan = (part: Span): Span[] => {
    const hits = search.hits(numbers, part);
    const left: Span[] = [];
    const open: Array<{ readonly part: Span; readonly isTold: boolean }> = [{ part, isTold: false }];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const { part, isTold } = next;
      const isWorthwhile = part[1] - part[0] >= LEAST_WORDS && found.length < MOST_LICENCES;
      const best = isWorthwhile ? bestIn(hits, part) : [];
      const [first] = best;
      if (first === undefined) {
        if (!isTold && part[1] > part[0]) left.push(part);
        continue;
      }
      found.push(best);
      open.push({ part: [part[0], first.span[0]], isTold }, { part: [first.span[1], part[1]], isTold });
      // A licence may stand in the middle of another one.
      for (const addition of first.additions) open.push({ part: addition, isTold: true });
    }
    return left.sort(([a], [b]) => a - b);
  };
  const left: Span[] = [];
  for (let start = 0; start < numbers.length; ) {
    const end = Math.min(numbers.length, start + WORDS_AT_ONCE);
    const rest = scan([start, end]);
    const last = rest.at(-1);
    start = end;
    if (end < numbers.length && last?.[1] === end) {
      // What stands at the end may be the beginning of a licence.
      start = Math.max(last[0], end - WORDS_AT_ONCE / 2);
      rest.splice(-1, 1, ...(start > last[0] ? [[last[0], start] as const] : []));
    }
    left.push(...rest);
  }
  found.sort(([a], [b]) => a!.span[0] - b!.span[0]);
  const titleWords = new Set(found.flatMap((ones) => ones.flatMap((one) => [...one.known.titleWords])));
  const licences = found.map((ones) => describeFound(ones, words, known));
  const lines = left.flatMap((span) =>
    termLines(words, span, { titleWords, licenceNames, mayBeHeaded: span[0] === 0 && found.length > 0 }),
  );
  const additions = shown(joined(lines).map((span) => excerpt(words, span)));
  const isPlain = additions.length === 0 && licences.every((one) => one.additions.length + one.omissions.length === 0);
  // The same text twice is one licence: a package, and what is bundled with it.
  const ids = (licences[0]?.ids ?? []).filter((id) => licences.every((one) => one.ids.includes(id)));
  return { ...(isPlain && ids.length > 0 ? { is: ids } : {}), licences, additions };
}

/**
 * The known text that explains most of a part, and those that explain it as well.
 * @param termsAbove at the head of the text, how many words that may be terms stand between `top`, where the first of
 *   those begins that stand in one place, and a known text's own beginning: one that takes in the lines above its terms is not held worse for them than one that leaves them out
 */
function bestOf(
  comparisons: readonly Comparison[],
  termsAbove: (comparison: Comparison, top: number) => number,
): Comparison[] {
  const likely = comparisons.filter(
    ({ matched, omissions, additions }) =>
      wordsIn(additions) <= matched &&
      matched >= LEAST_WORDS &&
      matched >= (matched < LONG_WORDS ? LEAST_LIKE : LEAST_LIKE_LONG) * (matched + wordsIn(omissions)),
  );
  const topOf = ({ span: [start] }: Comparison) =>
    Math.min(...likely.filter(({ span }) => span[1] > start).map(({ span }) => span[0]));
  const rated = likely
    .map((comparison) => {
      const differing = wordsIn([...comparison.additions, ...comparison.omissions]);
      return {
        comparison,
        differing,
        worth: comparison.matched - 2 * (differing + termsAbove(comparison, topOf(comparison))),
      };
    })
    .sort((a, b) => b.worth - a.worth);
  const [best] = rated;
  if (best === undefined) return [];
  // By what may vary in each, both are the text: which one is meant, it does not say.
  const asGood = rated.filter(
    ({ comparison, differing }) =>
      comparison.matched >= best.comparison.matched * ABOUT_AS_MUCH &&
      (best.differing === 0
        ? differing === 0
        : differing <= best.differing + 2 && isSameButForVersions(comparison, best.comparison)),
  );
  return asGood.map(({ comparison }) => comparison);
}

/** `GPL-3.0-only` and `GPL-3.0-or-later`, whose texts differ by an address. */
function isSameButForVersions({ known: left }: Comparison, { known: right }: Comparison): boolean {
  return left === right || licenceTerm(left.ids[0]!).base === licenceTerm(right.ids[0]!).base;
}

function wordsIn(spans: readonly Span[]): number {
  return spans.reduce((sum, [start, end]) => sum + end - start, 0);
}

function describeFound(ones: readonly Comparison[], words: LicenceWords, { wordOf }: KnownTexts): FoundLicence {
  const { additions, omissions, known } = ones[0]!;
  return {
    ids: [...new Set(ones.flatMap((one) => one.known.ids))],
    additions: shown(additions.map((span) => excerpt(words, span))),
    omissions: shown(
      omissions.map(([start, end]) =>
        cut(Array.from(known.words.subarray(start, end), (word) => wordOf[word]).join(' ')),
      ),
    ),
  };
}

/** Lines that follow each other are one run. */
function joined(spans: readonly Span[]): Span[] {
  const runs: Span[] = [];
  for (const span of spans) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === span[0]) runs[runs.length - 1] = [last[0], span[1]];
    else runs.push(span);
  }
  return runs;
}

function excerpt({ source, starts, ends }: LicenceWords, [start, end]: Span): string {
  return cut(source.slice(starts[start], Math.min(ends[end - 1]!, starts[start]! + 4 * LONGEST_RUN)));
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_RUN ? `${line.slice(0, LONGEST_RUN)}…` : line;
}

function shown(runs: readonly string[]): string[] {
  return runs.length > MOST_RUNS ? [...runs.slice(0, MOST_RUNS), `… and ${runs.length - MOST_RUNS} more`] : [...runs];
}
