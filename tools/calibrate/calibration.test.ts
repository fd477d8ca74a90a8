import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES, SCALES } from '@colophon/similarity';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Calibration, calibrate } from './calibration.ts';
import { fitScale, LEAST_STRONG } from './fit-scale.ts';
import { dealProjects, type LabelledPair, type Pairs, readPairs } from './pairs.ts';
import { areaUnderCurve, recallAtPrecision } from './ranking.ts';
import { calledStrong } from './report.ts';

const FOLDER = join(process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../shared/data'), 'similarity');

describe.skipIf(!existsSync(join(FOLDER, 'pairs.json')))('calibration on the labelled pairs', () => {
  let pairs: Pairs;
  let found: Calibration;
  beforeAll(async () => {
    pairs = await readPairs(FOLDER);
  });
  beforeAll(() => {
    found = calibrate(pairs);
  });

  test('finds the scales that are committed', () => {
    expect(found.halves.fitted.scales).toEqual(SCALES);
  });

  test.each(LANGUAGES)('nine of ten strong verdicts on what was kept back of %s are right', (language) => {
    const { called, right } = calledStrong(found.halves, language);
    expect(called).toBeGreaterThan(0);
    expect(right / called).toBeGreaterThanOrEqual(0.9);
  });

  test('nine of ten strong verdicts are right in every fold', () => {
    for (const fold of found.folds) {
      const { called, right } = calledStrong(fold);
      expect(right / called).toBeGreaterThanOrEqual(0.9);
    }
  });

  test.each(LANGUAGES)('the ranking of what was kept back of %s is not behind that of a token set', (language) => {
    const pairs = found.halves.keptBack.filter((pair) => pair.language === language);
    const ours = pairs.map(({ measured, isRelated }) => ({ measure: measured, isRelated }));
    const baseline = pairs.map((pair) => ({ measure: pair.baseline, isRelated: pair.isRelated }));
    expect(areaUnderCurve(ours)).toBeGreaterThanOrEqual(areaUnderCurve(baseline)!);
    expect(recallAtPrecision(ours, 0.95)).toBeGreaterThanOrEqual(recallAtPrecision(baseline, 0.95));
  });

  test('no project is on both sides of a trial', () => {
    const projectsOf = (pairs: readonly LabelledPair[]) => new Set(pairs.flatMap(({ projects }) => projects));
    for (const { tunedOn, keptBack } of [found.halves, ...found.folds]) {
      const seen = projectsOf(tunedOn);
      expect([...projectsOf(keptBack)].filter((project) => seen.has(project))).toEqual([]);
      expect(keptBack.length).toBeGreaterThan(50);
    }
  });
});

const pair = (a: string, b: string): LabelledPair => ({
  label: 'renamed',
  isRelated: true,
  language: 'go',
  a,
  b,
  projects: [a, b],
});

test('projects are dealt in turn, and always in the same way', () => {
  const pairs = ['c', 'a', 'd', 'b'].map((name) => pair(name, name));
  const deal = dealProjects(pairs, 2);
  expect(pairs.map((one) => deal(one)[0])).toEqual([0, 0, 1, 1]);
  expect(dealProjects(pairs.toReversed(), 2)(pair('a', 'b'))).toEqual([0, 1]);
});

describe('a scale', () => {
  const strangers = Array.from({ length: 100 }, (_, index) => index / 200);

  test('has noise where strangers end, and strong a quarter of the way from the highest to identity', () => {
    expect(fitScale([0.8], strangers, LEAST_STRONG)).toEqual({ strong: 0.85, noise: 0.47 });
  });

  test('calls nothing strong below the least', () => {
    expect(fitScale([], strangers, LEAST_STRONG).strong).toBe(0.62);
    expect(fitScale([], [0.1, 0.1], LEAST_STRONG)).toEqual({ strong: LEAST_STRONG, noise: 0.35 });
    expect(fitScale([], [], LEAST_STRONG)).toEqual({ strong: LEAST_STRONG, noise: 0.35 });
  });

  test('keeps room for what is weak', () => {
    const { strong, noise } = fitScale([], [0.98, 0.98], LEAST_STRONG);
    expect(strong - noise).toBeCloseTo(0.1, 9);
  });
});

describe('a ranking', () => {
  const samples = (text: string) => [...text].map((kind, index) => ({ measure: 10 - index, isRelated: kind === 'r' }));

  test('is as good as often a related pair stands above another', () => {
    expect(areaUnderCurve(samples('rro'))).toBe(1);
    expect(areaUnderCurve(samples('orr'))).toBe(0);
    expect(areaUnderCurve(samples('ror'))).toBe(0.5);
    expect(areaUnderCurve([...samples('r'), { measure: 10, isRelated: false }])).toBe(0.5);
    expect(areaUnderCurve(samples('rr'))).toBeUndefined();
  });

  test('finds as much as the best threshold with the precision does', () => {
    expect(recallAtPrecision(samples('rroro'), 0.95)).toBe(2 / 3);
    expect(recallAtPrecision(samples('rroro'), 0.75)).toBe(1);
    expect(recallAtPrecision(samples('orr'), 0.95)).toBe(0);
    expect(recallAtPrecision([], 0.95)).toBe(0);
  });
});
