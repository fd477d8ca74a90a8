import type { Language } from '../language/language.ts';

/** Where a language's measure stands at the two thresholds. */
export type Scale = {
  /** Measured similarity that becomes {@link STRONG}. */
  readonly strong: number;
  /** Measured similarity that becomes {@link NOISE}. */
  readonly noise: number;
};

/** A language's two measures: of runs of tokens and of words. */
export type Scales = { readonly runs: Scale; readonly words: Scale };

/** From this score on a resemblance is strong evidence. @see contract §8 */
export const STRONG = 0.8;
/** Up to this score a resemblance is noise. @see contract §8 */
export const NOISE = 0.5;

/**
 * Found by `npm run calibrate` on 2026-11-23 over the tuning half of the projects; docs/similarity.md has the procedure and
 * what the other half says about them.
 */
export const SCALES: Readonly<Record<Language, Scales>> = {
  javascript: { runs: { strong: 0.67, noise: 0.45 }, words: { strong: 0.6, noise: 0.37 } },
  typescript: { runs: { strong: 0.67, noise: 0.45 }, words: { strong: 0.6, noise: 0.35 } },
  python: { runs: { strong: 0.67, noise: 0.45 }, words: { strong: 0.6, noise: 0.37 } },
  java: { runs: { strong: 0.74, noise: 0.45 }, words: { strong: 0.91, noise: 0.39 } },
  go: { runs: { strong: 0.67, noise: 0.45 }, words: { strong: 0.6, noise: 0.38 } },
  rust: { runs: { strong: 0.67, noise: 0.45 }, words: { strong: 0.6, noise: 0.38 } },
  c: { runs: { strong: 0.67, noise: 0.45 }, words: { strong: 0.6, noise: 0.35 } },
};

/**
 * The score for a measured similarity, 0 to 1: the measure stretched so that the same score means the same in every
 * language. 0 stays 0, 1 stays 1, and the order of two pairs of one language is kept.
 */
export function scoreOf(measured: number, { strong, noise }: Scale): number {
  if (measured >= strong) return strong === 1 ? 1 : STRONG + ((measured - strong) / (1 - strong)) * (1 - STRONG);
  if (measured >= noise) return NOISE + ((measured - noise) / (strong - noise)) * (STRONG - NOISE);
  return (measured / noise) * NOISE;
}

/** The scales for files of two languages that can be compared: the more demanding of each. */
export function scaleFor(a: Language, b: Language): Scales {
  const stricter = (one: Scale, other: Scale): Scale => ({
    strong: Math.max(one.strong, other.strong),
    noise: Math.max(one.noise, other.noise),
  });
  return { runs: stricter(SCALES[a].runs, SCALES[b].runs), words: stricter(SCALES[a].words, SCALES[b].words) };
}
