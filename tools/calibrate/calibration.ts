import { LANGUAGES, type Language, type Scale } from '@colophon/similarity';
import { fitScale, LEAST_STRONG } from './fit-scale.ts';
import { type MeasuredPair, measurePairs, pairStrangers } from './measured-pair.ts';
import { dealProjects, type Pairs } from './pairs.ts';

/** Thresholds found on some pairs, to be tried on others. */
export type Fitted = {
  readonly scales: Readonly<Record<Language, Scale>>;
  /** The baseline's own strong threshold per language, found by the same rule. */
  readonly baseline: Readonly<Record<Language, number>>;
};

/** Thresholds, the pairs they were found on, and pairs of projects that they have not seen. */
export type Trial = {
  readonly fitted: Fitted;
  readonly tunedOn: readonly MeasuredPair[];
  readonly keptBack: readonly MeasuredPair[];
};

/** What a calibration found. */
export type Calibration = {
  /** Tuned on one half of the projects, tried on the other. The scales that are committed are these. */
  readonly halves: Trial;
  /** Tuned on four fifths, tried on one, five times. */
  readonly folds: readonly Trial[];
  /** Pairs of strangers among the projects that were kept back, which nobody labelled. */
  readonly strangers: readonly MeasuredPair[];
};

const FOLDS = 5;

/** Calibrates on labelled pairs. The same pairs give the same numbers. */
export function calibrate({ pairs, files }: Pairs): Calibration {
  const measured = measurePairs(pairs, files);
  const tryOut = (tunedOn: readonly MeasuredPair[], keptBack: readonly MeasuredPair[]): Trial => ({
    fitted: fitAll(tunedOn, measurePairs(pairStrangers(tunedOn), files)),
    tunedOn,
    keptBack,
  });

  const half = dealProjects(pairs, 2);
  const isWithin = (pair: MeasuredPair, part: number) => half(pair).every((of) => of === part);
  const keptBack = measured.filter((pair) => isWithin(pair, 1));

  const fold = dealProjects(pairs, FOLDS);
  const folds = Array.from({ length: FOLDS }, (_, part) =>
    tryOut(
      measured.filter((pair) => !fold(pair).includes(part)),
      measured.filter((pair) => fold(pair).every((of) => of === part)),
    ),
  );
  return {
    halves: tryOut(
      measured.filter((pair) => isWithin(pair, 0)),
      keptBack,
    ),
    folds,
    strangers: measurePairs(pairStrangers(keptBack), files),
  };
}

function fitAll(tuning: readonly MeasuredPair[], strangers: readonly MeasuredPair[]): Fitted {
  const scales: Partial<Record<Language, Scale>> = {};
  const baseline: Partial<Record<Language, number>> = {};
  for (const language of LANGUAGES) {
    const ofLanguage = tuning.filter((pair) => pair.language === language && !pair.isTooSmall);
    const unrelated = ofLanguage.filter(({ isRelated }) => !isRelated);
    const ofStrangers = strangers.filter((pair) => pair.language === language && !pair.isTooSmall);
    const fitTo = (measure: (pair: MeasuredPair) => number, leastStrong: number) =>
      fitScale(unrelated.map(measure), ofStrangers.map(measure), leastStrong);
    scales[language] = fitTo(({ measured }) => measured, LEAST_STRONG);
    baseline[language] = fitTo((pair) => pair.baseline, 0).strong;
  }
  return { scales, baseline } as Fitted;
}
