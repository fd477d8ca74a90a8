import { hashOf, type ListedWord, SPLIT_PAGE_BYTES } from './listed-word.ts';

/** A page of the list as it is served. */
export type ListPage = { readonly digest: string; readonly bytes: Uint8Array };

/**
 * The pages of a list. Words whose keys begin with the same bits stand in one page, which is split at the first bit in which
 * its keys differ where its words have more than {@link SPLIT_PAGE_BYTES}: so the same words have the same pages, in whatever order
 * they came, and a further word changes one page.
 */
export function pagesOfWords(words: Iterable<ListedWord>): ListPage[] {
  const sorted = [...words].sort((one, other) =>
    one.key < other.key ? -1 : one.key > other.key ? 1 : one.text < other.text ? -1 : 1,
  );
  return sorted.length === 0 ? [] : split(sorted).map(pageOf);
}

function split(words: readonly ListedWord[]): ReadonlyArray<readonly ListedWord[]> {
  const bytes = words.reduce((sum, word) => sum + word.bytes, 0);
  const [first, last] = [words[0] as ListedWord, words.at(-1) as ListedWord];
  if (bytes <= SPLIT_PAGE_BYTES || first.key === last.key) return [words];
  const bit = firstOtherBit(first.key, last.key);
  const at = words.findIndex(({ key }) => hasBit(key, bit));
  return [...split(words.slice(0, at)), ...split(words.slice(at))];
}

/** Of two different keys in hex, the first of which is the smaller one: there it has 0 and the other 1. */
function firstOtherBit(one: string, other: string): number {
  let digit = 0;
  while (one[digit] === other[digit]) digit += 1;
  return digit * 4 + Math.clz32(digitAt(one, digit) ^ digitAt(other, digit)) - 28;
}

function hasBit(key: string, bit: number): boolean {
  return ((digitAt(key, Math.floor(bit / 4)) >> (3 - (bit % 4))) & 1) === 1;
}

function digitAt(key: string, digit: number): number {
  return Number.parseInt(key.charAt(digit), 16);
}

/** Canonical JSON, put together out of that of the words. */
function pageOf(words: readonly ListedWord[]): ListPage {
  const of = (kind: ListedWord['kind']) =>
    `"${kind}":[${words.flatMap((word) => (word.kind === kind ? [word.text] : [])).join(',')}]`;
  const bytes = Buffer.from(`{${of('overflows')},${of('rejections')},${of('withdrawals')}}`);
  return { digest: `sha256:${hashOf(bytes)}`, bytes };
}
