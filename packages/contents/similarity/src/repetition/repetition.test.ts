import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Repetition } from './repetition.ts';

function kept(symbols: readonly number[]): number[] {
  const repetition = new Repetition();
  return symbols.filter((symbol) => !repetition.isMore(symbol));
}

test('of a long table the beginning is kept', () => {
  expect(kept(Array.from({ length: 10_000 }, () => 7)).length).toBeLessThan(20);
  expect(kept(Array.from({ length: 12_000 }, (_, index) => index % 12)).length).toBeLessThan(40);
});

test('how long a table is makes no difference', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 16 }),
      fc.integer({ min: 40, max: 80 }),
      fc.integer({ min: 40, max: 80 }),
      (round, few, more) => {
        const table = (rounds: number) => Array.from({ length: rounds }, () => round).flat();
        expect(kept(table(few))).toEqual(kept(table(more)));
      },
    ),
  );
});

test('what is said twice is no table', () => {
  const once = Array.from({ length: 30 }, (_, index) => index);
  expect(kept([...once, ...once])).toHaveLength(60);
  const round = once.slice(0, 12);
  expect(kept([...round, ...round, ...round])).toHaveLength(36);
  expect(kept([1, 1, 1, 1, 2, 2, 2, 2, 3])).toHaveLength(9);
});
