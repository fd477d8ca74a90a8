import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LANGUAGES } from '../language/language.ts';
import { COMMON_MARKS } from './common-marks.ts';
import { decodeMarks, encodeMarks, shortened } from './mark-set.ts';
import { rarityAmong, rarityIn } from './rarity.ts';

const mark = fc.nat(0xffff_ffff);

test('a set of marks is read as it was written, by their upper bits', () => {
  fc.assert(
    fc.property(fc.array(mark, { maxLength: 200 }), (marks) => {
      expect(decodeMarks(encodeMarks(marks))).toEqual(new Set(marks.map(shortened)));
    }),
  );
});

test.each(LANGUAGES)('%s has a table of common marks, of which each says nothing', (language) => {
  const family = language === 'typescript' ? 'javascript' : language;
  const common = [...decodeMarks(COMMON_MARKS[family])];
  expect(common.length).toBeGreaterThan(10);
  const rarity = rarityIn(language);
  for (const one of common) expect(rarity(one * 256)).toBe(0);
  const rare = Array.from({ length: 1000 }, (_, index) => Math.imul(index, 0x9e3779b1) >>> 0);
  expect(rare.filter((one) => rarity(one) === 1).length).toBeGreaterThan(950);
});

test('the table is at most 200 KB', () => {
  expect(Object.values(COMMON_MARKS).join('').length).toBeLessThanOrEqual(200_000);
});

test('a mark that more packages of an index have never says more', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 5000 }), fc.nat(5000), fc.nat(5000), (packages, one, other) => {
      const [few, many] = [Math.min(one, other, packages), Math.min(Math.max(one, other), packages)];
      expect(rarityAmong(few, packages)).toBeGreaterThanOrEqual(rarityAmong(many, packages));
    }),
  );
  expect([rarityAmong(5, 1000), rarityAmong(10, 1000), rarityAmong(50, 1000)]).toEqual([1, 1, 0]);
  expect(rarityAmong(3, 10)).toBe(1);
});
