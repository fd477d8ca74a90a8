import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINIMUM_TOKENS, spansIn, UnitList, unitsOf } from './unit.ts';

/** One token a place of the text; `[start, end]` are functions. */
function rangesOf(tokens: number, functions: ReadonlyArray<readonly [start: number, end: number]>) {
  const list = new UnitList();
  for (let token = 0; token < tokens; token += 1) {
    list.closeBefore(token, token);
    for (const [start, end] of functions) if (start === token) list.open(end, token);
  }
  return list.closed(tokens);
}

test('functions of at least 50 tokens are units, shorter ones are not', () => {
  expect(
    rangesOf(300, [
      [10, 10 + MINIMUM_TOKENS],
      [100, 99 + MINIMUM_TOKENS],
    ]),
  ).toEqual([{ start: 10, end: 60 }]);
});

test('functions inside functions are units to some depth', () => {
  const nested = Array.from({ length: 40 }, (_, depth) => [depth, 1000 - depth] as const);
  const ranges = rangesOf(1000, nested);
  expect(ranges.length).toBeLessThan(nested.length);
  expect(ranges[0]).toEqual({ start: 0, end: 1000 });
});

describe('the units of a file', () => {
  test('are the file, what is outside of its functions, and each of these', () => {
    const { units } = unitsOf(300, [
      { start: 50, end: 150 },
      { start: 60, end: 120 },
      { start: 200, end: 260 },
    ]);
    expect(units.map(({ tokens }) => tokens)).toEqual([300, 140, 100, 60, 60]);
  });

  test('are the file alone where there is no function', () => {
    expect(unitsOf(30, [])).toEqual({
      units: [{ tokens: 30, start: 0, end: 30 }],
      spans: [{ start: 0, end: 30, unit: 0, parent: -1 }],
    });
  });

  test('are found by a range as by looking at each', () => {
    const functions = fc.array(fc.tuple(fc.nat(300), fc.integer({ min: 60, max: 200 })), { maxLength: 8 });
    fc.assert(
      fc.property(functions, fc.nat(299), fc.integer({ min: 1, max: 100 }), (drawn, start, length) => {
        const inOrder = drawn
          .map(([from, size]) => [from, Math.min(300, from + size)] as const)
          .sort((one, other) => one[0] - other[0] || other[1] - one[1]);
        const nested: Array<readonly [number, number]> = [];
        for (const one of inOrder) {
          if (nested.every(([from, to]) => one[1] <= to || one[0] >= to || one[0] < from)) nested.push(one);
        }
        const units = unitsOf(300, rangesOf(300, nested));
        const end = Math.min(300, start + length);
        const all = units.spans.filter((span) => span.start < end && span.end > start);
        expect(new Set(spansIn(units, start, end))).toEqual(new Set(all));
        const outside = units.spans.filter(({ unit }) => unit === 1 && units.units.length > 1);
        expect(outside.reduce((sum, span) => sum + span.end - span.start, 0)).toBe(
          units.units.length > 1 ? units.units[1]!.tokens : 0,
        );
      }),
    );
  });
});
