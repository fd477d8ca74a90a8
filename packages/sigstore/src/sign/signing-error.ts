import type { Issue } from '@colophon/json';

/** Every way in which signing can fail. */
export const SIGNING_ERROR_CODES = [
  'signing.config_invalid',
  'signing.token_unavailable',
  'signing.token_malformed',
  'signing.ca_unavailable',
  'signing.ca_refused',
  'signing.ca_answer_invalid',
  'signing.certificate_not_ours',
  'signing.log_unavailable',
  'signing.log_refused',
  'signing.log_answer_invalid',
  'signing.timestamp_unavailable',
  'signing.timestamp_refused',
  'signing.timestamp_answer_invalid',
  'signing.verification_failed',
  'signing.key_invalid',
  'signing.run_contradicted',
  'signing.artifact_other_kind',
] as const;
export type SigningErrorCode = (typeof SIGNING_ERROR_CODES)[number];

/** Signing did not come about; no signature is left behind. Never contains a token or a key. */
export class SigningError extends Error {
  override readonly name = 'SigningError';
  readonly code: SigningErrorCode;
  /** The peer that was asked, without query or credentials. */
  readonly url: string | undefined;
  /** The peer's HTTP status, where it answered. */
  readonly status: number | undefined;
  /** What is wrong in the document that was to be signed. */
  readonly issues: readonly Issue[] | undefined;
  /** Of a document that cannot be used: what should stand at the place that the message names. */
  readonly expected: string | undefined;
  readonly found: string | undefined;

  constructor(
    code: SigningErrorCode,
    message: string,
    details: {
      readonly url?: string;
      readonly status?: number | undefined;
      readonly issues?: readonly Issue[];
      readonly expected?: string;
      readonly found?: string;
      readonly cause?: unknown;
    } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.url = details.url;
    this.status = details.status;
    this.issues = details.issues;
    this.expected = details.expected;
    this.found = details.found;
  }
}
