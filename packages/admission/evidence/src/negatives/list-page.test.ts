import { createHash } from 'node:crypto';
import { canonicalJson } from '@colophon/json';
import { encodeNegativesPage, type NegativesPage, parseNegativesPage } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pagesOfWords } from './list-page.ts';
import { type ListedWord, listedWord, SPLIT_PAGE_BYTES } from './listed-word.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const mark = (n: number, length = 1) => ({
  person: 'alice@example.com',
  issuer: 'https://i.example',
  subject: `${n}${'x'.repeat(length)}`,
  overflow: true,
});
const word = (n: number, length?: number): ListedWord => listedWord('overflows', `share ${n % 5}`, mark(n, length));
const read = (bytes: Uint8Array): NegativesPage => {
  const parsed = parseNegativesPage(bytes);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.value;
};
const many = (count: number, length = 1900) => Array.from({ length: count }, (_, n) => word(n, length));
const digestsOf = (words: readonly ListedWord[]) => pagesOfWords(words).map(({ digest }) => digest);

describe('pages of a list', () => {
  test('are none of nothing, and one of a few words, in canonical JSON under its own digest', () => {
    expect(pagesOfWords([])).toEqual([]);
    const [page, ...others] = pagesOfWords([word(1), word(2)]);
    expect(others).toEqual([]);
    expect(page!.digest).toBe(`sha256:${sha256(Buffer.from(page!.bytes).toString())}`);
    expect(Buffer.from(canonicalJson(JSON.parse(Buffer.from(page!.bytes).toString())))).toEqual(page!.bytes);
    expect(Buffer.from(encodeNegativesPage(read(page!.bytes)))).toEqual(page!.bytes);
  });

  test('order words of one key by their text, whichever came first', () => {
    const same = ['b', 'a', 'c', 'a'].map((name) =>
      listedWord('overflows', 'share', { ...mark(1), subject: name }, '00'),
    );
    const subjects = (words: readonly ListedWord[]) =>
      pagesOfWords(words).flatMap(({ bytes }) => read(bytes).overflows.map(({ subject }) => subject));
    expect(subjects(same)).toEqual(['a', 'a', 'b', 'c']);
    expect(digestsOf(same.toReversed())).toEqual(digestsOf(same));
    const [first = same[0]!, second = first] = [word(1), word(2)].sort((a, b) => (a.key < b.key ? -1 : 1));
    expect(subjects([second, first])).toEqual([first, second].map(({ text }) => JSON.parse(text).subject));
  });

  test('are split only above the size of one', () => {
    const of = (bytes: number): ListedWord[] => {
      const [one, other] = [word(1), word(2)];
      return [one, { ...other, bytes: bytes - one.bytes }];
    };
    expect(pagesOfWords(of(SPLIT_PAGE_BYTES))).toHaveLength(1);
    expect(pagesOfWords(of(SPLIT_PAGE_BYTES + 1))).toHaveLength(2);
  });

  test('hold every word once, and no more than a page may have, whatever the order', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(100_000), { maxLength: 400 }),
        fc.integer({ min: 1, max: 2000 }),
        (names, length) => {
          const words = names.map((n) => word(n, length));
          const pages = pagesOfWords(words);
          const found = pages.flatMap(({ bytes }) => read(bytes).overflows.map(({ subject }) => subject));
          expect(found.sort()).toEqual(names.map((n) => mark(n, length).subject).sort());
          expect(pagesOfWords([...words].reverse())).toEqual(pages);
          for (const { bytes } of pages) expect(bytes.length).toBeLessThan(SPLIT_PAGE_BYTES + 100);
        },
      ),
      { numRuns: 30 },
    );
  });

  test('are split only where they are too long', () => {
    const words = many(200);
    const text = (list: readonly ListedWord[]) => list.reduce((sum, { bytes }) => sum + bytes, 0);
    const fitting = words.slice(
      0,
      words.findIndex((_, n) => text(words.slice(0, n + 1)) > SPLIT_PAGE_BYTES),
    );
    expect(pagesOfWords(fitting)).toHaveLength(1);
    expect(pagesOfWords(words.slice(0, fitting.length + 1)).length).toBeGreaterThan(1);
  });

  test('stay the same but for one where a word comes or goes', () => {
    const words = many(2_000);
    const before = digestsOf(words);
    expect(before.length).toBeGreaterThan(15);
    const after = digestsOf(words.slice(0, -1));
    expect(before.filter((digest) => !after.includes(digest)).length).toBeLessThanOrEqual(2);
    expect(after.filter((digest) => !before.includes(digest)).length).toBeLessThanOrEqual(1);
  });

  test('are split between shares first, and inside of a share where all is one person’s', () => {
    const ofOne = Array.from({ length: 300 }, (_, n) => listedWord('overflows', 'one', mark(n, 1900)));
    const pages = pagesOfWords(ofOne);
    expect(pages.length).toBeGreaterThan(2);
    const with_ = pagesOfWords([...ofOne, listedWord('overflows', 'two', mark(1))]).map(({ digest }) => digest);
    expect(pages.filter(({ digest }) => !with_.includes(digest))).toEqual([]);
  });

  test('put words together whose keys are the same', () => {
    const same = many(300).map((one) => ({ ...one, key: 'ab'.repeat(64) }));
    expect(pagesOfWords(same)).toHaveLength(1);
  });

  test.each([
    ['0', '1'],
    ['7', '8'],
    ['a', 'b'],
    ['8', 'c'],
    ['00f', '010'],
  ])('are split between keys that begin with %s and %s', (one, other) => {
    const key = (start: string) => start.padEnd(128, '0');
    const words = many(200).map((entry, n) => ({ ...entry, key: key(n < 100 ? one : other) }));
    const pages = pagesOfWords([...words].reverse());
    expect(pages.map(({ bytes }) => read(bytes).overflows.length)).toEqual([100, 100]);
  });
});
