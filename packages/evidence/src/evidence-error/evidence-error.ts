import type { Issue } from '@colophon/json';

/** Every code of EvidenceError. */
export const EVIDENCE_ERROR_CODES = [
  /** The bundle is larger than is taken, or the predicate of a run or a review in it. */
  'evidence.too_large',
  /** The bytes are no bundle. */
  'evidence.bundle_malformed',
  /** The bundle does not verify; `reason` is the verifier's own code. */
  'evidence.not_verified',
  /** It verifies, and says something about itself that cannot be: a time, a predicate of its type. */
  'evidence.statement_malformed',
  /** It verifies, and an agent-run in it says something that its certificate denies. */
  'evidence.contradicts_certificate',
  /** More rejections stand than one list of standing negatives may hold; none is handed out. */
  'evidence.negatives_too_many',
  /** The list of standing negatives could not be signed; none is handed out. */
  'evidence.negatives_unsigned',
] as const;
export type EvidenceErrorCode = (typeof EVIDENCE_ERROR_CODES)[number];

/** Codes that only the HTTP routes answer with, beside those of EvidenceError, of questions and of the store. */
export const EVIDENCE_HTTP_CODES = [
  'evidence.not_found',
  'evidence.media_type',
  'evidence.busy',
  'evidence.internal',
] as const;

/** Why a bundle was not stored, and nothing was written; or why there is no list. */
export class EvidenceError extends Error {
  override readonly name = 'EvidenceError';
  readonly code: EvidenceErrorCode;
  /** The verifier's code, e.g. `signature.invalid`. */
  readonly reason: string | undefined;
  readonly issues: readonly Issue[];

  constructor(
    code: EvidenceErrorCode,
    message: string,
    details: { readonly reason?: string; readonly issues?: readonly Issue[]; readonly cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.reason = details.reason;
    this.issues = details.issues ?? [];
  }
}
