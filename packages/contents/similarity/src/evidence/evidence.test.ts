import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprintOf } from '../fingerprint/fingerprint.ts';
import { type Fingerprinted, matchesIn } from '../matching/matching.ts';
import { NAME } from '../normal-form/normal-form.ts';
import { unitsOf } from '../unit/unit.ts';
import { bestEvidence } from './evidence.ts';

type Token = readonly [symbol: number, value?: number];

function fileOf(
  tokens: readonly Token[],
  functions: ReadonlyArray<{ start: number; end: number }> = [],
): Fingerprinted {
  const symbols = Uint32Array.from(tokens, ([symbol]) => symbol);
  return {
    symbols,
    values: Uint32Array.from(tokens, ([, value = 0]) => value),
    lines: symbols.map((_, index) => index + 1),
    units: unitsOf(tokens.length, functions),
    vocabulary: new Uint32Array(0),
    vocabularyWithComments: undefined,
    fingerprint: fingerprintOf(symbols),
  };
}

const all = () => 1;
const evidenceOf = (a: Fingerprinted, b: Fingerprinted, rarity: (mark: number) => number = all) =>
  bestEvidence(a, b, matchesIn(a, b), rarity);
/** Tokens that are no names, each another one. */
const other = (from: number, length: number): Token[] => Array.from({ length }, (_, index) => [from + index]);
/** A function of 120 tokens, every third of them one of eight names. */
const copied = (rename: (name: number) => number): Token[] =>
  Array.from({ length: 120 }, (_, index) =>
    index % 3 === 0 ? [NAME, rename((index * 5) % 8) + 1] : [5000 + (index % 37)],
  );
const range = (start: number, length: number) => ({ start, end: start + length });

describe('a function that stands in a larger file', () => {
  const a = fileOf([...other(0, 40), ...copied((name) => name), ...other(100, 60)], [range(40, 120)]);
  const inside = (rename: (name: number) => number, before = 700) =>
    fileOf([...other(1000, before), ...copied(rename), ...other(3000, 900)], [range(before, 120)]);

  test('is the best part, wherever it stands', () => {
    const found = evidenceOf(
      a,
      inside((name) => name),
    )!;
    expect([found.a, found.b]).toEqual([
      { tokens: 120, start: 40, end: 160 },
      { tokens: 120, start: 700, end: 820 },
    ]);
    expect(found.run).toBeGreaterThan(110);
    expect(found.coverage).toBeGreaterThan(0.9);
    expect(
      evidenceOf(
        a,
        inside((name) => name, 0),
      )!.strength,
    ).toBeCloseTo(found.strength, 1);
  });

  test('is worth as much by other names, as long as they go together', () => {
    const same = evidenceOf(
      a,
      inside((name) => name),
    )!;
    expect(
      evidenceOf(
        a,
        inside((name) => 900 + name),
      )!.run,
    ).toBe(same.run);
    let count = 0;
    const mixed = evidenceOf(
      a,
      inside(() => 900 + ((count++ * 3) % 7)),
    );
    expect(mixed?.run ?? 0).toBeLessThan(same.run / 3);
  });

  test('is worth nothing where all of its marks are common', () => {
    expect(
      evidenceOf(
        a,
        inside((name) => name),
        () => 0,
      ),
    ).toBeUndefined();
    const half = evidenceOf(
      a,
      inside((name) => name),
      () => 0.5,
    )!;
    expect(half.run).toBeCloseTo(
      evidenceOf(
        a,
        inside((name) => name),
      )!.run / 2,
      6,
    );
  });
});

test('another text or number takes away from a run', () => {
  const literals = (value: number): Token[] =>
    copied((name) => name).map((token, index) => (index % 40 === 20 ? [77, value + index] : token));
  const [a, b, c] = [fileOf(literals(0)), fileOf(literals(0)), fileOf(literals(9000))];
  expect(evidenceOf(a, c)!.run).toBeLessThan(evidenceOf(a, b)!.run - 20);
});

test('a part of fewer than 50 tokens is no evidence, and one of 50 is', () => {
  const small = copied((name) => name).slice(0, 49);
  expect(evidenceOf(fileOf(small), fileOf([...other(100, 80), ...small, ...other(400, 80)]))).toBeUndefined();
  const large = copied((name) => name).slice(0, 50);
  expect(evidenceOf(fileOf(large), fileOf([...other(100, 80), ...large, ...other(400, 80)]))).toBeDefined();
});

test('code outside of functions is a part of its own, in pieces', () => {
  const outside = [copied((name) => name).slice(0, 60), other(8000, 60)] as const;
  const a = fileOf([...outside[0], ...other(100, 80), ...outside[1]], [range(60, 80)]);
  const b = fileOf([...outside[0], ...other(300, 400), ...outside[1]], [range(60, 400)]);
  const found = evidenceOf(a, b)!;
  expect([found.a.tokens, found.b.tokens]).toEqual([120, 120]);
  expect(found.coverage).toBeGreaterThan(0.9);
});

test('no number is out of its bounds, whatever the files are', () => {
  const token = fc.tuple(fc.constantFrom(NAME, 1, 2), fc.nat(3));
  fc.assert(
    fc.property(fc.array(token, { maxLength: 200 }), fc.array(token, { maxLength: 200 }), (one, two) => {
      const found = evidenceOf(fileOf(one), fileOf(two));
      if (found === undefined) return;
      expect(found.coverage).toBeGreaterThanOrEqual(0);
      expect(found.coverage).toBeLessThanOrEqual(1);
      expect(found.strength).toBeLessThan(1);
      expect(found.run).toBeLessThanOrEqual(Math.min(one.length, two.length));
      expect(found.match.placeInB + found.match.length).toBeLessThanOrEqual(two.length);
    }),
  );
});
