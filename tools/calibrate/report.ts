import { LANGUAGES, type Scales, STRONG, scoreOf } from '@colophon/similarity';
import type { Calibration } from './calibration.ts';
import type { MeasuredPair } from './measured-pair.ts';
import type { Pasted } from './pasted.ts';
import type { Strangers } from './strangers.ts';

/** What each language has to reach on what was kept back. */
export const BARS = { strangersPerThousand: 1, askedPerHundred: 1, verbatim: 0.95, renamed: 0.85 } as const;
/** Functions from so many tokens on have a bar; shorter ones are reported alone. */
const LONG_FUNCTION = 100;

/** The figures of one language that have a bar, on what was kept back. */
export type Figures = {
  readonly strangersPerThousand: number;
  readonly askedPerHundred: number;
  /** Shares of the functions of at least 100 tokens that are strong. */
  readonly verbatim: number;
  readonly renamed: number;
};

/** The figures of a language under some scales. */
export function figuresOf({ keptBack }: Calibration, scales: Scales): Figures {
  const { strangers, asked, pasted } = keptBack;
  const long = pasted.filter(({ tokens }) => tokens >= LONG_FUNCTION);
  return {
    strangersPerThousand: share(strangers, scales) * 1000,
    askedPerHundred: share(asked, scales) * 100,
    verbatim: share(how(long, 'verbatim'), scales),
    renamed: share(how(long, 'renamed'), scales),
  };
}

/** The bars that figures miss, in words. */
export function missesOf(figures: Figures): string[] {
  return [
    ...(figures.strangersPerThousand > BARS.strangersPerThousand ? ['false strong per 1,000 pairs'] : []),
    ...(figures.askedPerHundred > BARS.askedPerHundred ? ['false strong per 100 files against an index'] : []),
    ...(figures.verbatim < BARS.verbatim ? ['pasted verbatim'] : []),
    ...(figures.renamed < BARS.renamed ? ['pasted and renamed'] : []),
  ];
}

/** The report on what was kept back, as Markdown, as docs/similarity.md has it. */
export function describeCalibration(
  calibrations: readonly Calibration[],
  scales: Readonly<Record<string, Scales>>,
): string {
  const rows = calibrations.map((calibration) => {
    const { language, keptBack } = calibration;
    const { corpus, strangers, asked, pasted } = keptBack;
    const figures = figuresOf(calibration, scales[language]!);
    const short = pasted.filter(({ tokens }) => tokens < LONG_FUNCTION);
    const shorts = (['verbatim', 'renamed'] as const).map((kind) =>
      share(how(short, kind), scales[language]!).toFixed(2),
    );
    return [
      language,
      `${corpus.projects}`,
      `${corpus.files}`,
      `${strangers.length}`,
      figures.strangersPerThousand.toFixed(1),
      `${asked.length}`,
      figures.askedPerHundred.toFixed(1),
      `${how(pasted, 'verbatim').length - how(short, 'verbatim').length}`,
      figures.verbatim.toFixed(3),
      figures.renamed.toFixed(3),
      shorts.join(' / '),
      missesOf(figures).join(', ') || 'none',
    ];
  });
  const named = calibrations.flatMap(({ language, keptBack }) =>
    [...keptBack.strangers, ...keptBack.asked]
      .filter((pair) => isStrong(pair, scales[language]!))
      .map(
        ({ a, b, runs, words }) => `- ${language}: ${a} and ${b} (runs ${runs.toFixed(2)}, words ${words.toFixed(2)})`,
      ),
  );
  return [
    table(
      [
        'language',
        'projects',
        'files',
        'pairs of strangers',
        'strong per 1,000',
        'files against an index',
        'strong per 100',
        'functions',
        'verbatim strong',
        'renamed strong',
        '50-99 tokens: verbatim / renamed',
        'bars missed',
      ],
      rows,
    ),
    named.length === 0
      ? 'No pair of strangers is strong.\n'
      : `Strangers that are strong:\n\n${[...new Set(named)].join('\n')}\n`,
  ].join('\n');
}

/** What became of the labelled pairs that were kept back, as Markdown. */
export function describeLabelled(pairs: readonly MeasuredPair[]): string {
  const rows = LANGUAGES.flatMap((language) => {
    const ofLanguage = pairs.filter((pair) => pair.language === language);
    return [...new Set(ofLanguage.map(({ label }) => label))].sort().map((label) => {
      const all = ofLanguage.filter((pair) => pair.label === label);
      const counts = (['strong', 'weak', 'noise', 'too small to tell'] as const).map(
        (verdict) => all.filter((pair) => pair.verdict === verdict).length,
      );
      return [language, label, ...[all.length, ...counts].map(String)];
    });
  });
  return table(['language', 'label', 'pairs', 'strong', 'weak', 'noise', 'too small'], rows);
}

function how(pasted: readonly Pasted[], kind: Pasted['how']): Pasted[] {
  return pasted.filter((one) => one.how === kind);
}

function isStrong({ runs, words }: Pick<Strangers, 'runs' | 'words'>, scales: Scales): boolean {
  return Math.max(scoreOf(runs, scales.runs), scoreOf(words, scales.words)) >= STRONG;
}

function share(pairs: ReadonlyArray<Pick<Strangers, 'runs' | 'words'>>, scales: Scales): number {
  return pairs.length === 0 ? 0 : pairs.filter((pair) => isStrong(pair, scales)).length / pairs.length;
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  return `${[head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`;
}
