import { MAX_STANDING_NEGATIVES_BYTES, MOST_NEGATIVES_PAGES } from '@colophon/records';
import { EvidenceError } from '../evidence-error/evidence-error.ts';
import { type ListPage, pagesOfWords } from './list-page.ts';
import type { ListedWord } from './listed-word.ts';
import { MAX_OTHERS_SHARE_BYTES, type OthersShares } from './others-shares.ts';
import { MAX_SHARE_BYTES, type Shares } from './share.ts';

/**
 * Every word of people, and a mark in place of each that does not fit: with all shares as large as they may be, or all halved
 * until the list is as long as a list may be, at last with the marks alone. What is left of it is for others, whose shares are
 * halved by themselves: nothing that people said is left out because of them.
 * @throws EvidenceError `evidence.negatives_too_many`: a list without its last marks would admit what they refuse
 */
export function pagesWithin(shares: Pick<Shares, 'within'>, others: Pick<OthersShares, 'within'>): readonly ListPage[] {
  for (const bytes of halves(MAX_SHARE_BYTES)) {
    const words = shares.within(bytes);
    if (pagesThatFit(words) === undefined) continue;
    for (const othersBytes of halves(MAX_OTHERS_SHARE_BYTES)) {
      const pages = pagesThatFit([...words, ...others.within(othersBytes)]);
      if (pages !== undefined) return pages;
    }
  }
  const message = 'More people have rejected too much than one list may name.';
  throw new EvidenceError('evidence.negatives_too_many', message);
}

function* halves(bytes: number): Generator<number> {
  for (let half = bytes; half > 0; half = Math.floor(half / 2)) yield half;
  yield 0;
}

function pagesThatFit(words: readonly ListedWord[]): readonly ListPage[] | undefined {
  // Before they are sorted: pages are longer than what stands in them.
  if (words.reduce((all, { bytes }) => all + bytes, 0) > MAX_STANDING_NEGATIVES_BYTES) return undefined;
  const pages = pagesOfWords(words);
  const fit =
    pages.length <= MOST_NEGATIVES_PAGES &&
    pages.reduce((all, { bytes }) => all + bytes.length, 0) <= MAX_STANDING_NEGATIVES_BYTES;
  return fit ? pages : undefined;
}
