import { DEFAULT_PREDICATE_BASE } from '../namespace/namespace.ts';

/** in-toto Statement v1 (contract §2.3). */
export const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';

/** What older tools still write; read, never written. */
export const STATEMENT_TYPE_V0_1 = 'https://in-toto.io/Statement/v0.1';

/** Media type of a Statement inside a DSSE envelope. */
export const IN_TOTO_PAYLOAD_TYPE = 'application/vnd.in-toto+json';

/** How an artifact was built, as its build runner says (SLSA 1.0 build provenance). */
export const SLSA_PROVENANCE_TYPE = 'https://slsa.dev/provenance/v1';

/** Contract §2.3. */
export function agentRunType(predicateBase: string = DEFAULT_PREDICATE_BASE): string {
  return `${predicateBase}/agent-run/v1`;
}

/** Contract §2.4. */
export function agentReviewType(predicateBase: string = DEFAULT_PREDICATE_BASE): string {
  return `${predicateBase}/agent-review/v1`;
}

/** A reviewer's word taken back by somebody who may, with a reason. */
export function reviewWithdrawalType(predicateBase: string = DEFAULT_PREDICATE_BASE): string {
  return `${predicateBase}/review-withdrawal/v1`;
}

/** The list of rejections that stand, as an evidence store publishes it. */
export function standingNegativesType(predicateBase: string = DEFAULT_PREDICATE_BASE): string {
  return `${predicateBase}/standing-negatives/v2`;
}

/** True for a list of rejections, under any base and of any version: it says nothing about an image itself. */
export function isStandingNegativesType(predicateType: string): boolean {
  return /\/standing-negatives\/v\d+$/.test(predicateType);
}

/** What a witness saw of an agent run. */
export function witnessReceiptType(predicateBase: string = DEFAULT_PREDICATE_BASE): string {
  return `${predicateBase}/witness-receipt/v1`;
}

/** What the first entry of a transparency log says that took the place of another. */
export function logRestoredType(predicateBase: string = DEFAULT_PREDICATE_BASE): string {
  return `${predicateBase}/log-restored/v1`;
}

/**
 * The types that count as one of ours: under `predicateBase`, and under the placeholder, where statements from before
 * have theirs. What is written has the first.
 */
export function typesUnder(predicateBase: string, typeOf: (predicateBase?: string) => string): readonly string[] {
  return [...new Set([typeOf(predicateBase), typeOf()])];
}

/** True for the type of an agent review, or of the withdrawal of one, under any base. */
export function isReviewersType(predicateType: string): boolean {
  return predicateType.endsWith(agentReviewType('')) || predicateType.endsWith(reviewWithdrawalType(''));
}

/** True for the type of an agent run under any base: an installation has its own, and signs for others' too. */
export function isAgentRunType(predicateType: string): boolean {
  return predicateType.endsWith('/agent-run/v1');
}
