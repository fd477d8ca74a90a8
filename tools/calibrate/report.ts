import { LANGUAGES, type Language } from '@colophon/similarity';
import type { Calibration, Trial } from './calibration.ts';
import type { MeasuredPair } from './measured-pair.ts';
import { areaUnderCurve, recallAtPrecision } from './ranking.ts';

/** Pairs that were called, and how many of them are related. */
export type Called = { readonly called: number; readonly right: number };

/** What the verdicts of a trial are worth. */
export function calledStrong({ fitted, keptBack }: Trial, language?: Language): Called {
  return count(keptBack, language, (pair) => !pair.isTooSmall && pair.measured >= fitted.scales[pair.language].strong);
}

function calledAboveNoise({ fitted, keptBack }: Trial, language?: Language): Called {
  return count(keptBack, language, (pair) => !pair.isTooSmall && pair.measured > fitted.scales[pair.language].noise);
}

function calledByBaseline({ fitted, keptBack }: Trial, language?: Language): Called {
  return count(keptBack, language, (pair) => !pair.isTooSmall && pair.baseline >= fitted.baseline[pair.language]);
}

function count(
  pairs: readonly MeasuredPair[],
  language: Language | undefined,
  isCalled: (pair: MeasuredPair) => boolean,
): Called {
  const called = pairs.filter((pair) => (language === undefined || pair.language === language) && isCalled(pair));
  return { called: called.length, right: called.filter(({ isRelated }) => isRelated).length };
}

/** The report as Markdown, as docs/similarity.md has it. */
export function describeCalibration({ halves, folds, strangers }: Calibration): string {
  const { keptBack, fitted } = halves;
  return [
    'Thresholds, as found on the tuning half (measured similarity, not score):\n',
    table(
      ['language', 'strong from', 'noise up to', 'strong from, range over 5 folds', 'baseline: strong from'],
      LANGUAGES.map((language) => {
        const strong = folds.map((fold) => fold.fitted.scales[language].strong);
        return [
          language,
          fitted.scales[language].strong.toFixed(2),
          fitted.scales[language].noise.toFixed(2),
          `${Math.min(...strong).toFixed(2)} to ${Math.max(...strong).toFixed(2)}`,
          fitted.baseline[language].toFixed(2),
        ];
      }),
    ),
    'The half that was kept back, by language. P: precision, R: recall, over pairs that are not too small:\n',
    table(
      ['language', 'related', 'not', 'too small', 'strong: P', 'R', 'above noise: P', 'R', 'baseline: P', 'R'],
      [...LANGUAGES, undefined].map((language) => languageRow(halves, language)),
    ),
    'The same, as rankings, too small ones included. AUC: how often a related pair stands above one that is not:\n',
    table(
      ['language', 'AUC', 'AUC, baseline', 'R at P 0.95', 'R at P 0.95, baseline'],
      LANGUAGES.map((language) => rankingRow(keptBack, language)),
    ),
    'The half that was kept back, by language and label: how many of the pairs were called what:\n',
    table(
      ['language', 'label', 'pairs', 'strong', 'weak', 'noise', 'too small', 'baseline: strong'],
      labelRows(halves),
    ),
    'Five folds by project, each tried on what it was not tuned on:\n',
    table(
      ['fold', 'pairs', 'strong: P', 'R', 'above noise: P', 'R', 'baseline: P', 'R'],
      folds.map((fold, index) => [`${index + 1}`, `${fold.keptBack.length}`, ...shares(fold)]),
    ),
    strangersLine(halves, strangers),
  ].join('\n');
}

function languageRow(trial: Trial, language: Language | undefined): string[] {
  const pairs = trial.keptBack.filter((pair) => language === undefined || pair.language === language);
  const related = pairs.filter(({ isRelated }) => isRelated).length;
  const tooSmall = pairs.filter(({ isTooSmall }) => isTooSmall).length;
  return [language ?? '**all**', `${related}`, `${pairs.length - related}`, `${tooSmall}`, ...shares(trial, language)];
}

function shares(trial: Trial, language?: Language): string[] {
  const pairs = trial.keptBack.filter((pair) => language === undefined || pair.language === language);
  const related = pairs.filter(({ isRelated, isTooSmall }) => isRelated && !isTooSmall).length;
  return [calledStrong, calledAboveNoise, calledByBaseline].flatMap((callOf) => {
    const { called, right } = callOf(trial, language);
    return [ratio(right, called), ratio(right, related)];
  });
}

function rankingRow(pairs: readonly MeasuredPair[], language: Language): string[] {
  const ofLanguage = pairs.filter((pair) => pair.language === language);
  const ours = ofLanguage.map(({ measured, isRelated }) => ({ measure: measured, isRelated }));
  const theirs = ofLanguage.map(({ baseline, isRelated }) => ({ measure: baseline, isRelated }));
  return [
    language,
    areaUnderCurve(ours)?.toFixed(3) ?? '-',
    areaUnderCurve(theirs)?.toFixed(3) ?? '-',
    recallAtPrecision(ours, 0.95).toFixed(2),
    recallAtPrecision(theirs, 0.95).toFixed(2),
  ];
}

function labelRows({ fitted, keptBack }: Trial): string[][] {
  return LANGUAGES.flatMap((language) => {
    const { strong, noise } = fitted.scales[language];
    const ofLanguage = keptBack.filter((pair) => pair.language === language);
    return [...new Set(ofLanguage.map(({ label }) => label))].sort().map((label) => {
      const all = ofLanguage.filter((pair) => pair.label === label);
      const large = all.filter(({ isTooSmall }) => !isTooSmall);
      const strongs = large.filter(({ measured }) => measured >= strong).length;
      const noises = large.filter(({ measured }) => measured <= noise).length;
      const byBaseline = large.filter(({ baseline }) => baseline >= fitted.baseline[language]).length;
      return [
        language,
        label,
        ...[all.length, strongs, large.length - strongs - noises, noises, all.length - large.length, byBaseline].map(
          String,
        ),
      ];
    });
  });
}

function strangersLine({ fitted }: Trial, strangers: readonly MeasuredPair[]): string {
  const large = strangers.filter(({ isTooSmall }) => !isTooSmall);
  const strong = large.filter(({ measured, language }) => measured >= fitted.scales[language].strong);
  const weak = large.filter(({ measured, language }) => measured > fitted.scales[language].noise);
  const names = strong.map(({ a, b, measured }) => `${a} and ${b} (${measured.toFixed(2)})`);
  return [
    `Of ${large.length} pairs of files of different projects of that half, which nobody labelled, ${strong.length} are`,
    `strong and ${weak.length - strong.length} weak${names.length === 0 ? '' : `; strong: ${names.join(', ')}`}.`,
    '',
  ].join(' ');
}

function ratio(part: number, whole: number): string {
  return whole === 0 ? '-' : (part / whole).toFixed(2);
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  return `${[head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;
}
