import type { Issue } from '@colophon/json';
import { compareTexts } from '@colophon/notation';
import { SEVERITIES, type Severity } from '@colophon/records';
import type { CvssIssueCode } from '../cvss/cvss-issue.ts';
import type { CvssVersion } from '../cvss/cvss-metrics.ts';
import { baseScore, overallScore } from '../cvss/cvss-score.ts';
import { type CvssVector, parseCvssVector } from '../cvss/cvss-vector.ts';
import type { AssessmentNoteCode } from './assessment-note.ts';
import type { StatedScore } from './reported-vulnerability.ts';

/** A score that may count: recomputed from its vector, or as it was stated where there is none. */
export type Candidate = {
  readonly score: number;
  readonly vector?: string;
  readonly version?: CvssVersion;
  readonly source?: string;
  /** By which a number without a vector was made, where that was said. */
  readonly numberVersion?: CvssVersion;
  /** The number that stood beside the vector. */
  readonly stated?: number;
};

/** A vector that was read, or what is wrong with it. */
type ScoredVector =
  | { readonly vector: CvssVector; readonly score: number }
  | { readonly issues: readonly [Issue, ...Issue[]] };

/** Scores of vectors, each computed once: 100,000 findings have a few hundred different ones. */
export class ScoreBook {
  readonly #scored = new Map<string, ScoredVector>();
  readonly #scores = new Map<string, number>();

  read(text: string): ScoredVector {
    const known = this.#scored.get(text);
    if (known !== undefined) return known;
    const parsed = parseCvssVector(text);
    const scored: ScoredVector = parsed.ok
      ? { vector: parsed.value, score: this.#scoreOf(parsed.value) }
      : { issues: parsed.issues as readonly [Issue, ...Issue[]] };
    this.#scored.set(text, scored);
    return scored;
  }

  /** True where the number is what the vector gives: the base score, or the one with everything that it says. */
  agrees({ vector, score }: { readonly vector: CvssVector; readonly score: number }, stated: number): boolean {
    const isNear = (computed: number) => Math.abs(computed - stated) <= MOST_DIFFERENCE;
    return isNear(score) || (vector.hasMore && isNear(overallScore(vector)));
  }

  #scoreOf(vector: CvssVector): number {
    const known = this.#scores.get(vector.base) ?? baseScore(vector);
    this.#scores.set(vector.base, known);
    return known;
  }
}

// With room for what 0.05 is in binary.
const MOST_DIFFERENCE = 0.05 + 1e-9;

/**
 * What stated scores are worth: for each a candidate, unless its vector cannot be read and it has no number, or the
 * number is none. A 0 without a vector is what programs write for "not scored", and is no candidate.
 */
export function candidateOf(
  stated: StatedScore,
  book: ScoreBook,
  note: (code: AssessmentNoteCode, message: string) => void,
): Candidate | undefined {
  const { score, source } = stated;
  const isScore = score === undefined || (score >= 0 && score <= 10);
  if (!isScore) note('finding.score_invalid', 'A score is not between 0 and 10.');
  const number = isScore ? score : undefined;
  const from = source === undefined || source === '' ? {} : { source };
  if (stated.vector !== undefined && stated.vector.trim() !== '') {
    const scored = book.read(stated.vector);
    if (!('issues' in scored)) {
      const said = source === undefined ? 'the scanner' : source;
      if (number !== undefined && !book.agrees(scored, number)) {
        const { text } = scored.vector;
        note('finding.score_differs', `${said} states ${number}, and ${text} gives ${scored.score}.`);
      }
      const { version, text } = scored.vector;
      // Of one source that contradicts itself, the 0 does not decide.
      if (scored.score === 0 && number !== undefined && number > 0) return { score: number, ...from };
      return {
        score: scored.score,
        vector: text,
        version,
        ...from,
        ...(number === undefined ? {} : { stated: number }),
      };
    }
    const [issue] = scored.issues;
    note(issue.code as CvssIssueCode, `${issue.message} ${stated.vector.slice(0, 200)}`);
  }
  if (number === undefined || number === 0) return undefined;
  return { score: number, ...from, ...(stated.version === undefined ? {} : { numberVersion: stated.version }) };
}

/** Newer methods first; 3.0 and 3.1 differ in rounding alone. */
const RANK_OF_VERSION: Readonly<Record<CvssVersion, number>> = { '4.0': 0, '3.1': 1, '3.0': 1, '2.0': 2 };
const RANK_OF_NUMBER = 3;

/**
 * The candidate that counts: v4.0, then v3, then v2, then a number without a vector, in the same order; of one version the National
 * Vulnerability Database's (the contract's report counts by it, §2.10), then an advisory database's, then another named
 * one's; of these the highest. A 0 counts where no candidate has more (decision 0086); see {@link isHeard}.
 */
export function chooseScore(candidates: Iterable<Candidate>): Candidate | undefined {
  let best: Candidate | undefined;
  for (const candidate of candidates) {
    if (best === undefined || compareCandidates(candidate, best) < 0) best = candidate;
  }
  return best;
}

/** False of a 0 beside a word that says more than `none`: a vector of which every impact is None is a placeholder. */
export function isHeard(chosen: Candidate, worst: Severity): boolean {
  return chosen.score > 0 || worst === 'none' || worst === 'unknown';
}

/** How many severities a score may lie below what somebody else says without a word about it. */
const MOST_BELOW = 1;

/** True where one severity is two or more below another one. */
export function isFarBelow(severity: Severity, other: Severity): boolean {
  if (severity === 'unknown' || other === 'unknown') return false;
  return SEVERITIES.indexOf(severity) - SEVERITIES.indexOf(other) > MOST_BELOW;
}

function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    rankOfZero(a) - rankOfZero(b) ||
    rankOfVersion(a) - rankOfVersion(b) ||
    rankOfSource(a.source) - rankOfSource(b.source) ||
    b.score - a.score ||
    compareTexts(b.version, a.version) ||
    compareTexts(a.vector, b.vector) ||
    compareTexts(a.source, b.source) ||
    (a.stated ?? -1) - (b.stated ?? -1)
  );
}

function rankOfZero({ score }: Candidate): number {
  return score === 0 ? 1 : 0;
}

function rankOfVersion({ version, numberVersion }: Candidate): number {
  if (version !== undefined) return RANK_OF_VERSION[version];
  // Two numbers of one entry are two versions' scores, and the newer one counts as it does among vectors.
  return RANK_OF_NUMBER + (numberVersion === undefined ? RANK_OF_NUMBER : RANK_OF_VERSION[numberVersion]);
}

function rankOfSource(source: string | undefined): number {
  if (source === undefined) return 3;
  if (/^(?:nvd|nist)\b|@nist\.gov$/i.test(source)) return 0;
  return /^(?:ghsa|github|osv)\b|@github\.com$/i.test(source) ? 1 : 2;
}
