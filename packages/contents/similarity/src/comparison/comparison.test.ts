import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprintOf } from '../fingerprint/fingerprint.ts';
import type { Language } from '../language/language.ts';
import type { Source } from '../source/source.ts';
import { createSourceIndex } from '../source-index/source-index.ts';
import { MINIMUM_TOKENS, unitsOf } from '../unit/unit.ts';
import { sortedSet } from '../vocabulary/vocabulary.ts';
import { areComparable, compareSources } from './comparison.ts';

type Parts = {
  readonly symbols: readonly number[];
  readonly words?: readonly number[];
  readonly comments?: readonly number[] | undefined;
};

function sourceOf({ symbols, words = [], comments }: Parts, language: Language = 'go'): Source {
  const tokens = Uint32Array.from(symbols);
  return {
    symbols: tokens,
    values: new Uint32Array(tokens.length),
    lines: tokens.map((_, index) => index + 1),
    units: unitsOf(tokens.length, []),
    vocabulary: sortedSet(new Set(words)),
    vocabularyWithComments: comments === undefined ? undefined : sortedSet(new Set([...words, ...comments])),
    fingerprint: fingerprintOf(tokens),
    language,
    unparsed: 0,
  };
}

const numbers = (max: number, maxLength: number) => fc.array(fc.nat(max), { maxLength });
const source = fc
  .record({
    symbols: numbers(8, 150),
    words: numbers(80, 60),
    comments: fc.option(numbers(80, 20), { nil: undefined }),
  })
  .map((parts) => sourceOf(parts));
const range = (from: number, length: number) => Array.from({ length }, (_, index) => from + index);

describe('the score of two files', () => {
  test('is from 0 to 1, and the same whichever comes first', () => {
    fc.assert(
      fc.property(source, source, (a, b) => {
        const [one, other] = [compareSources(a, b), compareSources(b, a)];
        expect(one.score).toBe(other.score);
        expect(one.verdict).toBe(other.verdict);
        expect(one.contained).toEqual({ a: other.contained.b, b: other.contained.a });
        for (const share of [
          one.score,
          one.measured.runs,
          one.measured.words,
          one.vocabulary,
          one.contained.a,
          one.contained.b,
        ]) {
          expect(share).toBeGreaterThanOrEqual(0);
          expect(share).toBeLessThanOrEqual(1);
        }
      }),
    );
  });

  test('is 1 for a file and itself, as long as it has one word', () => {
    fc.assert(
      fc.property(source, (a) => {
        fc.pre(a.vocabulary.length > 0);
        expect(compareSources(a, a).score).toBe(1);
      }),
    );
  });

  test('is strong for a part taken out of a much longer file, with all names changed', () => {
    const whole = range(0, 3000);
    const part = sourceOf({ symbols: whole.slice(1000, 1300), words: range(5000, 40) });
    const comparison = compareSources(part, sourceOf({ symbols: whole, words: range(9000, 400) }));
    expect(comparison.verdict).toBe('strong');
    expect(comparison.contained.a).toBe(1);
    expect(comparison.contained.b).toBe(0.1);
  });

  test('is strong for other statements with the same words', () => {
    const a = sourceOf({ symbols: range(0, 100), words: range(0, 50) });
    const b = sourceOf({ symbols: range(500, 100), words: range(5, 50) });
    expect(compareSources(a, b).verdict).toBe('strong');
  });

  test('is noise for strangers', () => {
    const a = sourceOf({ symbols: range(0, 100), words: range(0, 50) });
    const b = sourceOf({ symbols: range(500, 100), words: range(45, 50) });
    expect(compareSources(a, b).verdict).toBe('noise');
  });

  test('counts comments where both files have some, and does not mind that they were left out', () => {
    const code = { symbols: range(0, 10), words: range(0, 100) };
    const a = sourceOf({ ...code, comments: range(1000, 50) });
    expect(compareSources(a, sourceOf(code)).score).toBe(1);
    expect(compareSources(a, sourceOf({ ...code, comments: range(2000, 50) })).score).toBeLessThan(1);
    expect(compareSources(a, sourceOf({ ...code, comments: range(1000, 50) })).score).toBe(1);
  });
});

test('of files below the minimum size nothing is said, however alike they are', () => {
  const small = sourceOf({ symbols: range(0, MINIMUM_TOKENS - 1), words: [1] });
  expect(compareSources(small, small)).toMatchObject({ score: 1, verdict: 'too small to tell' });
  const large = sourceOf({ symbols: range(0, MINIMUM_TOKENS), words: [1] });
  expect(compareSources(large, large).verdict).toBe('strong');
  expect(compareSources(small, large).verdict).toBe('too small to tell');
});

test('thresholds can be others', () => {
  const a = sourceOf({ symbols: range(0, 100), words: range(0, 100) });
  const b = sourceOf({ symbols: range(500, 100), words: range(10, 100) });
  const { score } = compareSources(a, b);
  expect(compareSources(a, b, { thresholds: { strong: score, noise: 0 } }).verdict).toBe('strong');
  expect(compareSources(a, b, { thresholds: { strong: 1, noise: score } }).verdict).toBe('noise');
  expect(compareSources(a, b, { thresholds: { strong: 1, noise: 0 } }).verdict).toBe('weak');
});

test('JavaScript is comparable with TypeScript, and nothing else with another language', () => {
  expect(areComparable('javascript', 'typescript')).toBe(true);
  expect(areComparable('typescript', 'javascript')).toBe(true);
  expect(areComparable('go', 'go')).toBe(true);
  expect(areComparable('javascript', 'python')).toBe(false);
});

describe('an index of files', () => {
  test('has the best of all comparisons, where one stands out', () => {
    fc.assert(
      fc.property(fc.array(source, { minLength: 1, maxLength: 12 }), fc.nat(11), (files, at) => {
        const asked = files[at % files.length]!;
        fc.pre(asked.vocabulary.length > 0);
        const best = createSourceIndex(files).bestMatch(asked);
        expect(best?.comparison.score).toBe(1);
      }),
    );
  });

  test('passes over files of languages that cannot be compared', () => {
    const parts = { symbols: range(0, 100), words: range(0, 50) };
    const index = createSourceIndex([sourceOf(parts, 'python'), sourceOf(parts, 'typescript')]);
    expect(index.bestMatch(sourceOf(parts, 'javascript'))?.index).toBe(1);
    expect(index.bestMatch(sourceOf(parts, 'rust'))).toBeUndefined();
  });

  test('names the first of equals', () => {
    const parts = { symbols: range(0, 100), words: range(0, 50) };
    expect(createSourceIndex([sourceOf(parts), sourceOf(parts)]).bestMatch(sourceOf(parts))?.index).toBe(0);
  });

  test('has a match for a file that is like none', () => {
    const index = createSourceIndex([sourceOf({ symbols: [1], words: [1] })]);
    expect(index.bestMatch(sourceOf({ symbols: [2], words: [2] }))).toMatchObject({
      index: 0,
      comparison: { score: 0 },
    });
  });

  test('names a file that is too small only where there is no other', () => {
    const asked = sourceOf({ symbols: range(0, 100), words: range(0, 60) });
    const small = sourceOf({ symbols: [900], words: range(0, 20) });
    const large = sourceOf({ symbols: range(500, 100), words: [0, ...range(200, 59)] });
    const index = createSourceIndex([small, small, small, small, small, small, small, small, large]);
    expect(compareSources(asked, small).score).toBeGreaterThan(compareSources(asked, large).score);
    expect(index.bestMatch(asked)).toMatchObject({ index: 8, comparison: { verdict: 'noise' } });
    expect(createSourceIndex([small]).bestMatch(asked)).toMatchObject({ index: 0 });
    expect(index.bestMatch(small)).toMatchObject({ index: 0, comparison: { score: 1 } });
  });

  test('finds the one among thousands that all have its commonest words', () => {
    const files = Array.from({ length: 3000 }, (_, file) => sourceOf({ symbols: [1], words: [1, 2, 3, 100 + file] }));
    const index = createSourceIndex(files);
    expect(index.bestMatch(sourceOf({ symbols: [1], words: [1, 2, 3, 2900] }))?.index).toBe(2800);
    expect(index.bestMatch(sourceOf({ symbols: [1], words: [1, 2, 3] }))?.index).toBe(0);
  });

  test('an empty one has nothing', () => {
    expect(createSourceIndex([]).bestMatch(sourceOf({ symbols: [1], words: [1] }))).toBeUndefined();
  });
});
