import type { AdmissionReasonCode } from '@colophon/admission';
import type { ImageVerdict } from '../image-gate/judge-image.ts';
import { type RememberedDecision, rememberedDecision } from './remembered-decision.ts';

/** How long an admission is remembered at most: as long as a list of rejections is young where nothing else is said. */
export const LONGEST_ADMISSION_MS = 900_000;
/** How long a refusal is remembered: somebody is waiting for the review that was missing. */
export const LONGEST_REFUSAL_MS = 30_000;
/** Decisions that are remembered, the latest used of them. */
export const MOST_DECISIONS = 10_000;
/** What they take together, in UTF-16 units of JSON; one of them at most a hundredth of it, so that it displaces few. */
const MOST_DECISION_UNITS = 32 * 1024 * 1024;

/** What was not seen may be seen the next time. */
const NEVER_KEPT: ReadonlySet<AdmissionReasonCode> = new Set([
  'admission.internal',
  'admission.evidence_incomplete',
  'admission.rejections_incomplete',
]);

/** What nobody looks at because there is too much of it: somebody may be clearing it away, and listing it again costs. */
const OVERCROWDED: AdmissionReasonCode = 'admission.too_many_signatures';

type Kept = {
  readonly decision: RememberedDecision;
  readonly madeMs: number;
  readonly untilMs: number;
  readonly units: number;
};

/**
 * Decisions by everything that they were made from. A refusal, what a policy in audit mode would have refused, and an
 * exception for an image that is not looked at, is remembered for half a minute, another admission for a quarter of an
 * hour, each until the earliest time that it names; what was incomplete never is.
 */
export class DecisionCache {
  readonly #kept = new Map<string, Kept>();
  readonly #most: number;
  readonly #mostUnits: number;
  #units = 0;

  constructor(most: number = MOST_DECISIONS, mostUnits: number = MOST_DECISION_UNITS) {
    this.#most = most;
    this.#mostUnits = mostUnits;
  }

  /** The decision under a key; undefined where there is none, its time is over, or the clock was set back since. */
  get(key: string, nowMs: number): RememberedDecision | undefined {
    const kept = this.#take(key);
    if (kept === undefined || nowMs < kept.madeMs || nowMs >= kept.untilMs) return undefined;
    // The least recently used stands first.
    this.#put(key, kept);
    return kept.decision;
  }

  /** Remembers a decision that was made at a time. */
  set(key: string, verdict: ImageVerdict, nowMs: number): void {
    const untilMs = endOf(verdict, nowMs);
    this.#take(key);
    if (untilMs === undefined) return;
    const decision = rememberedDecision(verdict);
    const units = key.length + JSON.stringify(decision).length;
    if (units > this.#mostUnits / 100) return;
    this.#put(key, { decision, madeMs: nowMs, untilMs, units });
    while (this.#kept.size > this.#most || this.#units > this.#mostUnits) {
      const [oldest] = this.#kept.keys();
      this.#take(oldest as string);
    }
  }

  get size(): number {
    return this.#kept.size;
  }

  #put(key: string, kept: Kept): void {
    this.#kept.set(key, kept);
    this.#units += kept.units;
  }

  #take(key: string): Kept | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    this.#kept.delete(key);
    this.#units -= kept.units;
    return kept;
  }
}

/** Until when a decision counts, in milliseconds since 1970; undefined where it must be made again. */
function endOf(
  { admitted, reasons, warnings, verdicts, valid_until }: ImageVerdict,
  nowMs: number,
): number | undefined {
  const codes = [...reasons, ...warnings].map(({ code }) => code);
  const excused = verdicts.flatMap(({ exception }) => exception?.excuses ?? []);
  if ([...codes, ...excused].some((code) => NEVER_KEPT.has(code as AdmissionReasonCode))) return undefined;
  const isWhole = admitted && verdicts.every((verdict) => verdict.admitted) && !excused.includes(OVERCROWDED);
  const end = valid_until === undefined ? Number.POSITIVE_INFINITY : Date.parse(valid_until);
  return Math.min(end, nowMs + (isWhole ? LONGEST_ADMISSION_MS : LONGEST_REFUSAL_MS));
}
