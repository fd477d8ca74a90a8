import { declareErrors } from '@colophon/fault';
import type { Issue } from '@colophon/json';

type Details = {
  /** The peer that was asked, without query or credentials. */
  readonly url?: string;
  /** The peer's HTTP status, where it answered. */
  readonly status?: number | undefined;
  /** How often it was asked; an earlier attempt may have been served, and its answer lost. */
  readonly attempts?: number;
  /** What is wrong in the document that was to be signed. */
  readonly issues?: readonly Issue[];
  /** Of a document that cannot be used: what should stand at the place that the message names. */
  readonly expected?: string;
  readonly found?: string;
};

const KINDS = {
  'signing.config_invalid': 'usage',
  'signing.token_unavailable': 'unauthorized',
  'signing.token_malformed': 'unauthorized',
  'signing.ca_unavailable': 'peer',
  'signing.ca_refused': 'unauthorized',
  'signing.ca_answer_invalid': 'untrusted',
  'signing.certificate_not_ours': 'untrusted',
  'signing.log_unavailable': 'peer',
  'signing.log_refused': 'refused',
  'signing.log_answer_invalid': 'untrusted',
  'signing.timestamp_unavailable': 'peer',
  'signing.timestamp_refused': 'refused',
  'signing.timestamp_answer_invalid': 'untrusted',
  'signing.verification_failed': 'untrusted',
  'signing.key_invalid': 'usage',
  'signing.run_contradicted': 'refused',
  'signing.artifact_other_kind': 'refused',
  'signing.purpose_mismatch': 'refused',
  'signing.key_mismatch': 'unauthorized',
} as const;

/** One of {@link SigningError.codes}. */
export type SigningErrorCode = keyof typeof KINDS;

/** Signing did not come about; no signature is left behind. Never contains a token or a key. */
export const SigningError = declareErrors('SigningError', KINDS, (details: Details) => details);
export type SigningError = InstanceType<typeof SigningError>;
