import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addLiteral, addWords, countCommon, overlapOf, sortedSet } from './vocabulary.ts';

function wordsOf(text: string): Set<number> {
  const words = new Set<number>();
  addWords(words, text, 0, text.length);
  return words;
}

function literalOf(text: string): Set<number> {
  const words = new Set<number>();
  addLiteral(words, text, 0, text.length);
  return words;
}

test('words are letters, digits, _ and $, and every letter beyond ASCII', () => {
  expect(wordsOf('one, $two _3;Zoë')).toHaveLength(4);
  expect(wordsOf('one one one')).toHaveLength(1);
  expect(wordsOf(' .;')).toHaveLength(0);
  expect(wordsOf('one')).toEqual(wordsOf('(one)'));
});

test('the quotes of a literal make no difference', () => {
  expect(literalOf('"a b"')).toEqual(literalOf("'a b'"));
});

test('a literal that says the same words otherwise has its words in common and not itself', () => {
  const [one, other] = [literalOf('"read a number"'), literalOf('"a number: read"')];
  expect([...one].filter((word) => other.has(word))).toHaveLength(3);
  expect(one).toHaveLength(5);
});

test('common numbers of two sets are counted', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(60)), fc.uniqueArray(fc.nat(60)), (a, b) => {
      const common = countCommon(sortedSet(new Set(a)), sortedSet(new Set(b)));
      expect(common).toBe(a.filter((number) => b.includes(number)).length);
    }),
  );
});

test('overlap is 1 for the same set, 0 for strangers, and more than half for a part of a whole', () => {
  expect(overlapOf(10, 10, 10)).toBe(1);
  expect(overlapOf(0, 10, 10)).toBe(0);
  expect(overlapOf(0, 0, 0)).toBe(0);
  expect(overlapOf(10, 10, 10_000)).toBeGreaterThan(0.5);
});
