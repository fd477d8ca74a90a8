import { licenceTerm } from '../spdx/licence-term.ts';
import { spdxId } from '../spdx/spdx-list.ts';
import { licenceWords } from './licence-words.ts';

/** What may stand in the place of some words: sequences of words by their numbers, {@link ANY_NAME} for a name. */
export type Variant = {
  readonly start: number;
  readonly end: number;
  readonly alternatives: ReadonlyArray<readonly number[]>;
};

/** A text of the SPDX list, ready to be compared with others. */
export type KnownText = {
  /** Every licence that has this text. */
  readonly ids: readonly string[];
  /** By {@link KnownTexts.wordNumbers}. */
  readonly words: Int32Array;
  readonly isMark: readonly boolean[];
  readonly variants: readonly Variant[];
  /** The words of its title and its copyright line, which stand before its terms. */
  readonly headWords: number;
  /** Words that a title of it may be made of. */
  readonly titleWords: ReadonlySet<string>;
};
export type KnownTexts = {
  readonly texts: readonly KnownText[];
  readonly wordNumbers: ReadonlyMap<string, number>;
  readonly wordOf: readonly string[];
  /** Words of the licences' ids, such as `gpl` and `mozilla`. */
  readonly licenceNames: ReadonlySet<string>;
};

/** Stands for a name in an alternative. */
export const ANY_NAME = -2;
/** The number of every word that no known text has. */
export const UNKNOWN_WORD = -1;

type PlacedVariant = ReadonlyArray<number | string>;
/**
 * What may vary in the texts of the SPDX list, counted in their words; `notices` are the parts of a text that stand alone in
 * files, for which the licence is said.
 */
export type Variations = {
  readonly variants: Readonly<Record<string, ReadonlyArray<PlacedVariant>>>;
  readonly notices: ReadonlyArray<ReadonlyArray<number | string>>;
};
type Listed = Readonly<Record<string, { readonly name: string; readonly licenseText: string }>>;

/** Title words of any licence; no restriction can be said with them. */
const TITLE_WORDS =
  'the a an license licenses licensed under version v software terms conditions copying file text full this these is are ' +
  'project package library module program code notice information legal and of released distributed available provided ' +
  'published free source following as opensource org php html txt spdx';
/** Words of licences' ids that say something, so that a title of them may too. */
const NO_TITLE_WORDS = new Set(
  'no non not without only or later copyleft exception noncommercial commercial military share alike'.split(' '),
);
/** Words of licences' names that others have in theirs too. */
const SMALL_TITLE_WORDS =
  'the a an of for in to with and or library package module client driver framework project'.split(' ');
/** What a licence is called beside its name in the list. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  MIT: 'expat x11',
  '0BSD': 'zero clause',
  'BSD-3-Clause': 'revised modified',
};

/**
 * Reads the texts of the SPDX list with what may vary in them.
 * @param variations of variants, by id: `[first word, number of words, ...what else may stand there]`; of notices:
 *   `[id whose text has it, first word, number of words, id that it says]`
 */
export function readKnownTexts(list: Listed, { variants, notices }: Variations): KnownTexts {
  const wordNumbers = new Map<string, number>();
  const wordOf: string[] = [];
  const numberOf = (word: string): number => {
    const known = wordNumbers.get(word);
    if (known !== undefined) return known;
    wordNumbers.set(word, wordOf.length);
    return wordOf.push(word) - 1;
  };
  const numbersOf = (alternative: string) =>
    alternative
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => (word === '*' ? ANY_NAME : numberOf(word)));
  type Reading = { ids: string[]; titles: Set<string>; variants: Variant[] } & Pick<KnownText, 'words' | 'isMark'>;
  const byText = new Map<string, Reading>();
  for (const [id, { name, licenseText }] of Object.entries(list)) {
    // One text for `GPL-2.0`, `GPL-2.0+` and what replaced them.
    const current = spdxId(licenceTerm(id).text);
    if (current === undefined) continue;
    let known = byText.get(licenseText);
    if (known === undefined) {
      const { words, isMark } = licenceWords(licenseText);
      known = {
        ids: [],
        titles: new Set(TITLE_WORDS.split(' ')),
        words: Int32Array.from(words, numberOf),
        isMark,
        variants: [],
      };
      byText.set(licenseText, known);
    }
    if (!known.ids.includes(current)) known.ids.push(current);
    for (const [start, length, ...alternatives] of variants[id] ?? []) {
      known.variants.push({
        start: Number(start),
        end: Number(start) + Number(length),
        alternatives: alternatives.map((one) => numbersOf(String(one))),
      });
    }
    for (const word of licenceWords(`${name} ${id.replaceAll('-', ' ')} ${OTHER_NAMES[id] ?? ''}`).words)
      if (!NO_TITLE_WORDS.has(word)) known.titles.add(word);
  }
  const texts = [...byText.values()].map(
    ({ titles, ...known }): KnownText => ({
      ...known,
      variants: withNeighbours(distinctVariants(known.variants)),
      headWords: headOf(known.variants),
      titleWords: titles,
    }),
  );
  for (const [from, start, length, id] of notices) {
    const whole = texts.find(({ ids }) => ids.includes(String(from)));
    if (whole !== undefined) texts.push(partOf(whole, Number(start), Number(start) + Number(length), String(id)));
  }
  const licenceNames = new Set(
    Object.entries(list).flatMap(([id, { name }]) => licenceWords(`${id.replaceAll('-', ' ')} ${name}`).words),
  );
  for (const word of [...SMALL_TITLE_WORDS]) licenceNames.delete(word);
  return { texts, wordNumbers, wordOf, licenceNames };
}

/** Ids with one text mostly have the same variants. */
function distinctVariants(variants: readonly Variant[]): Variant[] {
  return [...new Map(variants.map((one) => [JSON.stringify(one), one])).values()].sort((a, b) => a.start - b.start);
}

/** Neighbours that may both be left out may be left out, and written otherwise, as one: a title and a copyright line. */
function withNeighbours(variants: readonly Variant[]): readonly Variant[] {
  const optional = variants.filter(
    (one) => one.end > one.start && one.alternatives.some((words) => words.length === 0),
  );
  const pairs = optional.flatMap((left) =>
    optional
      .filter((right) => right.start === left.end)
      .map((right) => ({ start: left.start, end: right.end, alternatives: [[]] })),
  );
  return [...variants, ...pairs];
}

/** How far the parts reach that may be left out at the start, one after the other. */
function headOf(variants: readonly Variant[]): number {
  let head = 0;
  for (const { start, end, alternatives } of variants) {
    if (start <= head && end > head && alternatives.some((one) => one.length === 0)) head = end;
  }
  return Math.min(head, MOST_HEAD_WORDS);
}
const MOST_HEAD_WORDS = 40;

function partOf(whole: KnownText, start: number, end: number, id: string): KnownText {
  return {
    ids: [id],
    words: whole.words.subarray(start, end),
    isMark: whole.isMark.slice(start, end),
    variants: whole.variants
      .filter((one) => one.start >= start && one.end <= end)
      .map((one) => ({ ...one, start: one.start - start, end: one.end - start })),
    headWords: 0,
    titleWords: whole.titleWords,
  };
}
