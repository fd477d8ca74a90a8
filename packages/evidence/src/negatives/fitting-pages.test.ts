import { MAX_STANDING_NEGATIVES_BYTES } from '@colophon/records';
import { expect, test } from 'vitest';
import { pagesWithin } from './fitting-pages.ts';
import { MAX_OTHERS_SHARE_BYTES, MOST_OTHERS, OthersShares } from './others-shares.ts';
import { Shares } from './share.ts';

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
