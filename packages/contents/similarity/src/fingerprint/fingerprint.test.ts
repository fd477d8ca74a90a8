import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fingerprintOf, GRAM, WINDOW } from './fingerprint.ts';

const symbol = fc.integer({ min: 0, max: 6 });
const stream = (min: number) => fc.array(symbol, { minLength: min, maxLength: min + 60 });

test('two streams with WINDOW + GRAM - 1 tokens in a row in common have a mark in common', () => {
  fc.assert(
    fc.property(stream(WINDOW + GRAM - 1), stream(0), stream(0), stream(0), stream(0), (shared, a, b, c, d) => {
      const one = fingerprintOf(Uint32Array.from([...a, ...shared, ...b]));
      const other = fingerprintOf(Uint32Array.from([...c, ...shared, ...d]));
      expect(one.hashes.some((hash) => other.hashes.includes(hash))).toBe(true);
    }),
  );
});

test('of WINDOW runs in a row at least one is marked, and of a single run that one', () => {
  fc.assert(
    fc.property(stream(GRAM), (symbols) => {
      const { places } = fingerprintOf(Uint32Array.from(symbols));
      const runs = symbols.length - GRAM + 1;
      expect(places.length).toBeGreaterThan(0);
      const edges = [-1, ...places, Math.max(runs, places.at(-1)! + 1)];
      for (let i = 1; i < edges.length; i += 1) expect(edges[i]! - edges[i - 1]!).toBeLessThanOrEqual(WINDOW);
    }),
  );
});

test('a mark is of its run and not of where it stands', () => {
  fc.assert(
    fc.property(stream(GRAM), stream(1), (symbols, before) => {
      const alone = fingerprintOf(Uint32Array.from(symbols.slice(0, GRAM)));
      const all = [...before, ...symbols];
      const { hashes, places } = fingerprintOf(Uint32Array.from(all));
      places.forEach((place, index) => {
        const run = fingerprintOf(Uint32Array.from(all.slice(place, place + GRAM)));
        expect(run.hashes[0]).toBe(hashes[index]);
      });
      expect(alone.hashes).toHaveLength(1);
    }),
  );
});

test('fewer tokens than a run have no marks', () => {
  expect(fingerprintOf(new Uint32Array(GRAM - 1)).hashes).toHaveLength(0);
  expect(fingerprintOf(new Uint32Array(0)).hashes).toHaveLength(0);
});
