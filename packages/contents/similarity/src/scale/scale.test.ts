import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '../language/language.ts';
import { NOISE, SCALES, STRONG, scaleFor, scoreOf } from './scale.ts';

const measures = LANGUAGES.flatMap((language) => [[language, 'runs'] as const, [language, 'words'] as const]);

describe.each(measures)('the scale of %s, %s', (language, measure) => {
  const scale = SCALES[language][measure];

  test('puts its thresholds at those of the contract (§8)', () => {
    expect(scoreOf(scale.strong, scale)).toBe(STRONG);
    expect(scoreOf(scale.noise, scale)).toBeCloseTo(NOISE, 12);
  });

  test('leaves nothing at 0 and identity at 1', () => {
    expect(scoreOf(0, scale)).toBe(0);
    expect(scoreOf(1, scale)).toBe(1);
  });

  test('keeps the order', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, (one, other) => {
        const [less, more] = one < other ? [one, other] : [other, one];
        expect(scoreOf(less, scale)).toBeLessThanOrEqual(scoreOf(more, scale));
        expect(scoreOf(more, scale)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

test('files of two languages are held to the more demanding of both', () => {
  const scale = scaleFor('javascript', 'typescript');
  expect(scale).toEqual(scaleFor('typescript', 'javascript'));
  for (const measure of ['runs', 'words'] as const) {
    const { javascript, typescript } = SCALES;
    expect(scale[measure].strong).toBe(Math.max(javascript[measure].strong, typescript[measure].strong));
  }
});
