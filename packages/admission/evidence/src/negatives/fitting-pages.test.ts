import { MAX_STANDING_NEGATIVES_BYTES, MOST_NEGATIVES_PAGES } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import { pagesWithin } from './fitting-pages.ts';
import { pagesOfWords } from './list-page.ts';
import { type ListedWord, SPLIT_PAGE_BYTES } from './listed-word.ts';
import { MAX_OTHERS_SHARE_BYTES, MOST_OTHERS, OthersShares } from './others-shares.ts';
import { MAX_SHARE_BYTES, Shares } from './share.ts';

const hex = (n: number) => n.toString(16).padStart(64, '0');
const time = '2026-11-22T10:00:00Z';
const LARGE = Array.from({ length: 900 }, (_, n) => `sha256:${hex(n)}`);

/** So many large rejections by each of so many people. */
function people(count: number, rejections: number): Shares {
  const all = Array.from({ length: count * rejections }, (_, n) => {
    const person = `p${n % count}@example.com`;
    const about = { images: LARGE, commits: [], time, issuer: 'https://agents.acme.example' };
    return { share: person, word: { id: hex(n), content: hex(n), person, subject: `reviewer:${person}`, ...about } };
  });
  return new Shares({ rejections: all, withdrawals: [] });
}

/** Withdrawals by others that fill all their shares. */
const OTHERS = new OthersShares(
  Array.from({ length: MOST_OTHERS * 50 }, (_, n) => ({
    arrival: n,
    word: {
      ...{ id: hex(n), rejection: hex(n), time, reason: 'they left' },
      ...{ issuer: `https://i${n % 2}.example`, subject: `https://ci.example/${n % MOST_OTHERS}` },
    },
  })),
);

test('a list that is nearly full of what people said holds all of that, and of others what there is room for', {
  timeout: 120_000,
}, () => {
  const shares = people(8, 60);
  const pages = pagesWithin(shares, OTHERS);
  expect(pages.reduce((sum, { bytes }) => sum + bytes.length, 0)).toBeLessThanOrEqual(MAX_STANDING_NEGATIVES_BYTES);
  const read = pages.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()));
  const count = (kind: string) => read.reduce((sum, page) => sum + page[kind].length, 0);
  expect([count('rejections'), count('overflows')]).toEqual([8 * 60, 0]);
  expect(count('withdrawals')).toBeGreaterThan(0);
  expect(count('withdrawals')).toBeLessThan(OTHERS.within(MAX_OTHERS_SHARE_BYTES).length);
});

describe('how large shares are', () => {
  const word = (bytes: number, key = '00', text = '{}'): ListedWord => ({ kind: 'withdrawals', key, text, bytes });

  /** Shares of which each size has other words, and the sizes that were asked for. */
  function sized(words: (mostBytes: number) => readonly ListedWord[]) {
    const asked: number[] = [];
    const within = (mostBytes: number) => {
      asked.push(mostBytes);
      return [...words(mostBytes)];
    };
    return { within, asked };
  }
  const none = () => sized(() => []);

  test('as large as they may be where all fits, to the last byte', () => {
    const [shares, others] = [sized(() => [word(MAX_STANDING_NEGATIVES_BYTES)]), none()];
    expect(pagesWithin(shares, others)).toHaveLength(1);
    expect([shares.asked, others.asked]).toEqual([[MAX_SHARE_BYTES], [MAX_OTHERS_SHARE_BYTES]]);
  });

  test('halved until what people said fits, before any others are asked', () => {
    const over = MAX_STANDING_NEGATIVES_BYTES + 1;
    const shares = sized((most) => (most < MAX_SHARE_BYTES / 4 ? [word(1)] : [word(over - 1), word(1)]));
    const others = none();
    expect(pagesWithin(shares, others)).toEqual(pagesOfWords([word(1)]));
    expect(shares.asked).toEqual([1, 2, 4, 8].map((part) => MAX_SHARE_BYTES / part));
    expect(others.asked).toEqual([MAX_OTHERS_SHARE_BYTES]);
  });

  test('those of others halved alone, to nothing in the end', () => {
    const shares = sized(() => [word(MAX_STANDING_NEGATIVES_BYTES - 1)]);
    const others = sized((most) => (most === 0 ? [] : [word(1), word(1)]));
    expect(pagesWithin(shares, others)).toHaveLength(1);
    expect(shares.asked).toEqual([MAX_SHARE_BYTES]);
    expect(others.asked).toHaveLength(Math.log2(MAX_OTHERS_SHARE_BYTES) + 2);
    expect(others.asked.slice(-2)).toEqual([1, 0]);
  });

  test('nothing at last, and where the marks alone do not fit there is no list', () => {
    const shares = sized(() => [word(MAX_STANDING_NEGATIVES_BYTES), word(1)]);
    const others = none();
    expect(() => pagesWithin(shares, others)).toThrow(expect.objectContaining({ code: 'evidence.negatives_too_many' }));
    expect(shares.asked.slice(-2)).toEqual([1, 0]);
    expect(others.asked).toEqual([]);
  });

  test('measured by the pages, too, which are longer than what stands in them', () => {
    const frame = pagesOfWords([word(1, '00', '')])[0]!.bytes.length;
    const pagesOf = (bytes: number) => {
      const shares = sized((most) => {
        return most === 0 ? [] : ['00', '80'].map((key) => word(SPLIT_PAGE_BYTES, key, 'x'.repeat(bytes / 2 - frame)));
      });
      return pagesWithin(shares, none()).length;
    };
    expect(pagesOf(MAX_STANDING_NEGATIVES_BYTES)).toBe(2);
    expect(pagesOf(MAX_STANDING_NEGATIVES_BYTES + 2)).toBe(0);
  });

  test('measured by the number of pages', () => {
    // A word that fills a page leaves each of those beside it a page of its own.
    const full = 127;
    const keyOf = (page: number, low: number) => [page, low].map((n) => n.toString(16).padStart(2, '0')).join('');
    const listOf = (pages: number) => [
      ...Array.from({ length: full }, (_, n) => word(SPLIT_PAGE_BYTES, keyOf(n, 0))),
      ...Array.from({ length: pages - full }, (_, n) => word(1, keyOf(n % full, 1 << Math.floor(n / full)))),
    ];
    const pagesOf = (pages: number) => {
      return pagesWithin(
        sized((most) => (most === 0 ? [] : listOf(pages))),
        none(),
      ).length;
    };
    expect(pagesOfWords(listOf(MOST_NEGATIVES_PAGES + 1))).toHaveLength(MOST_NEGATIVES_PAGES + 1);
    expect(pagesOf(MOST_NEGATIVES_PAGES)).toBe(MOST_NEGATIVES_PAGES);
    expect(pagesOf(MOST_NEGATIVES_PAGES + 1)).toBe(0);
  });
});
