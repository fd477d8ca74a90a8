import { licenceWords } from '../../packages/contents/licences/src/text/licence-words.ts';
import { diffWords } from '../../packages/contents/licences/src/text/word-diff.ts';
import { ANY } from './alternatives.ts';
import type { LicenceXml } from './licence-xml.ts';
import type { PublishedVariant } from './published-variants.ts';

/** What may stand in the place of some words of a licence: from, how many, and the texts by their words. */
export type PlacedVariant = readonly [start: number, length: number, ...alternatives: string[]];

/** What differs by more words between the two sources is another text, and no variant. */
const MOST_DIFFERING_WORDS = 30;

/** The variants of a licence, counted in the words of the text that the product has. */
export function placeVariants(listed: string, { pieces, places }: LicenceXml): PlacedVariant[] {
  const list = licenceWords(listed);
  const words: string[] = [];
  const isMark: boolean[] = [];
  const spans = places.map(() => ({ start: Number.POSITIVE_INFINITY, end: -1 }));
  for (const piece of pieces) {
    const found = licenceWords(piece.text);
    for (const place of piece.places) {
      const span = spans[place]!;
      span.start = Math.min(span.start, words.length);
      span.end = Math.max(span.end, words.length + found.words.length);
    }
    words.push(...found.words);
    isMark.push(...found.isMark);
  }
  const ids = new Map<string, number>();
  const idOf = (word: string) => ids.get(word) ?? ids.set(word, ids.size).size - 1;
  const hunks = diffWords(words.map(idOf), list.words.map(idOf));

  /** Where a boundary between two words of the XML's text is in the listed one. */
  const boundary = (at: number, isEnd: boolean): number => {
    let shift = 0;
    for (const hunk of hunks) {
      if (hunk.knownStart > at || (hunk.knownStart === at && isEnd)) break;
      if (hunk.knownEnd > at || (hunk.knownEnd === at && !isEnd && hunk.knownStart < at)) {
        return hunk.knownEnd === at ? hunk.foundEnd : isEnd ? hunk.foundEnd : hunk.foundStart;
      }
      shift = hunk.foundEnd - hunk.knownEnd;
    }
    return at + shift;
  };
  const variants = new Map<string, PlacedVariant>();
  const add = (start: number, length: number, alternatives: readonly string[]) => {
    const own = list.words.slice(start, start + length).join(' ');
    const others = [...new Set(alternatives.map(inWords))].filter((one) => one !== own);
    const isBullet = list.isMark.slice(start, start + length).every(Boolean) && others.join() === '';
    if (others.length === 0 || isBullet) return;
    const key = `${start} ${length}`;
    const before = variants.get(key)?.slice(2) as string[] | undefined;
    variants.set(key, [start, length, ...new Set([...(before ?? []), ...others])]);
  };
  for (const [place, { start, end }] of spans.entries()) {
    if (end < 0) continue;
    const from = boundary(start, false);
    const to = Math.max(from, boundary(end, true));
    add(from, to - from, places[place]!);
  }
  for (const { knownStart, knownEnd, foundStart, foundEnd } of hunks) {
    const count = Math.max(knownEnd - knownStart, foundEnd - foundStart);
    if (count > MOST_DIFFERING_WORDS) continue;
    add(foundStart, foundEnd - foundStart, [words.slice(knownStart, knownEnd).join(' ')]);
  }
  return [...variants.values()].sort(([a, aLength], [b, bLength]) => a - b || aLength - bLength);
}

/** By its words, so that it is compared as texts are. */
function inWords(alternative: string): string {
  return alternative
    .split(ANY)
    .map((part) => licenceWords(part).words.join(' '))
    .join(` ${ANY} `)
    .replace(/\s+/g, ' ')
    .replace(/(?:\* )+\*/g, '*')
    .trim();
}

/** Wordings that the SPDX list does not have, at their place in the list's text. */
export function placePublished(listed: string, variants: readonly PublishedVariant[]): PlacedVariant[] {
  const { words } = licenceWords(listed);
  return variants.map(({ after = '', words: replaced = '', instead }) => {
    const [before, own] = [licenceWords(after).words, licenceWords(replaced).words];
    const start = positionOf([...before, ...own], words) + before.length;
    return [start, own.length, ...instead.map(inWords)];
  });
}

/** The words from the last place where one text stands to the end of where the other stands after it. */
export function wordRange(listed: string, from: string, to: string): [start: number, length: number] {
  const text = listed.replace(/\s+/g, ' ');
  const start = text.lastIndexOf(from);
  const end = text.indexOf(to, start);
  if (start < 0 || end < 0) throw new TypeError(`the text has no part from “${from}” to “${to}”`);
  const before = licenceWords(text.slice(0, start)).words.length;
  return [before, licenceWords(text.slice(start, end + to.length)).words.length];
}

function positionOf(wanted: readonly string[], words: readonly string[]): number {
  const found = words.findIndex((_, at) => wanted.every((word, index) => words[at + index] === word));
  if (found < 0) throw new TypeError(`the text has no “${wanted.join(' ')}”`);
  return found;
}
