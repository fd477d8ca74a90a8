import { declareErrors } from '@colophon/fault';
import type { Issue } from '@colophon/json';

const KINDS = {
  /** The bundle is larger than is taken, or the predicate of a run or a review in it; or too many decisions at once. */
  'evidence.too_large': { kind: 'refused', httpStatus: 413 },
  /** The bytes are no bundle. */
  'evidence.bundle_malformed': { kind: 'refused', httpStatus: 400 },
  /** The bundle does not verify; `reason` is the verifier's own code. */
  'evidence.not_verified': { kind: 'untrusted', httpStatus: 422 },
  /** It verifies, and says something about itself that cannot be: a time, a predicate of its type. */
  'evidence.statement_malformed': 'mismatch',
  /** It verifies, and an agent-run in it says something that its certificate denies. */
  'evidence.contradicts_certificate': 'mismatch',
  /** A review by an e-mail certificate that is no person's here: of an issuer that is not named, or a machine's. */
  'evidence.reviewer_unknown': 'refused',
  /** The bytes are no receipt of a witness that is listed; `reason` says what is wrong. */
  'evidence.receipt_refused': { kind: 'untrusted', httpStatus: 422 },
  /** What was sent are no records of admission decisions; each issue says where. */
  'evidence.decisions_malformed': { kind: 'refused', httpStatus: 400 },
  /** More people have rejected too much than one list of standing negatives may name; none is handed out. */
  'evidence.negatives_too_many': { kind: 'refused', httpStatus: 503 },
  /** The list of standing negatives could not be signed; none is handed out. */
  'evidence.negatives_unsigned': 'peer',
  /** The question was given up: it looks through more than a question may. */
  'evidence.question_too_costly': { kind: 'refused', httpStatus: 422 },
  // of the HTTP routes alone
  'evidence.not_found': 'not-found',
  'evidence.media_type': { kind: 'usage', httpStatus: 415 },
  'evidence.busy': 'peer',
  'evidence.internal': 'machine',
} as const;

/** One of {@link EvidenceError.codes}. */
export type EvidenceErrorCode = keyof typeof KINDS;

/** Why a bundle was not stored, and nothing was written; or why there is no list. */
export const EvidenceError = declareErrors(
  'EvidenceError',
  KINDS,
  ({ reason, issues = [] }: { readonly reason?: string; readonly issues?: readonly Issue[] }) => ({ reason, issues }),
);
export type EvidenceError = InstanceType<typeof EvidenceError>;
