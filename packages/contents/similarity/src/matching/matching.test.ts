import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintOf, GRAM, WINDOW } from '../fingerprint/fingerprint.ts';
import { unitsOf } from '../unit/unit.ts';
import { type Fingerprinted, matchesIn } from './matching.ts';

function streamOf(symbols: readonly number[]): Fingerprinted {
  const tokens = Uint32Array.from(symbols);
  return {
    symbols: tokens,
    values: new Uint32Array(tokens.length),
    lines: tokens,
    units: unitsOf(tokens.length, []),
    vocabulary: new Uint32Array(0),
    vocabularyWithComments: undefined,
    fingerprint: fingerprintOf(tokens),
  };
}

const symbols = (min: number, max = min + 60) =>
  fc.array(fc.integer({ min: 0, max: 5 }), { minLength: min, maxLength: max });

test('what stands in both is found, wherever it stands and however long it is', () => {
  fc.assert(
    fc.property(symbols(WINDOW + GRAM - 1), symbols(0), symbols(0), symbols(0), symbols(0), (shared, a, b, c, d) => {
      const found = matchesIn(streamOf([...a, ...shared, ...b]), streamOf([...c, ...shared, ...d]));
      const covered = found.reduce((sum, { placeInA, length }) => {
        const from = Math.max(placeInA, a.length);
        return sum + Math.max(0, Math.min(placeInA + length, a.length + shared.length) - from);
      }, 0);
      // At each end a run that was not marked may be missing.
      expect(covered).toBeGreaterThanOrEqual(Math.min(shared.length, GRAM));
    }),
  );
});

test('every match is one, in order, without overlap in A', () => {
  fc.assert(
    fc.property(symbols(0, 120), symbols(0, 120), (a, b) => {
      let done = 0;
      for (const { placeInA, placeInB, length } of matchesIn(streamOf(a), streamOf(b))) {
        expect(placeInA).toBeGreaterThanOrEqual(done);
        expect(length).toBeGreaterThan(0);
        expect(a.slice(placeInA, placeInA + length)).toEqual(b.slice(placeInB, placeInB + length));
        done = placeInA + length;
      }
      expect(done).toBeLessThanOrEqual(a.length);
    }),
  );
});

test('a stream stands in itself as a whole', () => {
  fc.assert(
    fc.property(symbols(GRAM, 200), (a) => {
      expect(matchesIn(streamOf(a), streamOf(a)).reduce((sum, { length }) => sum + length, 0)).toBe(a.length);
    }),
  );
});

test('a stream of one symbol is matched without trying every place', () => {
  const table = streamOf(Array.from({ length: 200_000 }, () => 1));
  expect(matchesIn(table, table)).toEqual([{ placeInA: 0, placeInB: 0, length: 200_000 }]);
});

test('hashes that agree by chance are no match', () => {
  const a = streamOf(Array.from({ length: 20 }, (_, index) => index));
  const b = { ...streamOf(Array.from({ length: 20 }, (_, index) => index + 50)), fingerprint: a.fingerprint };
  expect(matchesIn(a, b)).toEqual([]);
  const begun = { ...streamOf([...a.symbols.slice(0, 9), ...b.symbols.slice(9)]), fingerprint: a.fingerprint };
  expect(matchesIn(a, begun)).toEqual([]);
});
