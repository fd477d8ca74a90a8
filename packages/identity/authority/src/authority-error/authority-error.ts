import { declareErrors } from '@colophon/fault';

const KINDS = {
  // the request as a whole
  'authority.request_malformed': 'usage',
  'authority.request_too_large': { kind: 'usage', httpStatus: 413 },
  'authority.content_type_unsupported': { kind: 'usage', httpStatus: 415 },
  'authority.not_found': 'not-found',
  'authority.busy': 'peer',
  'authority.internal': 'machine',
  // the identity token
  'authority.token_missing': 'untrusted',
  'authority.token_too_large': 'untrusted',
  'authority.token_malformed': 'untrusted',
  'authority.token_algorithm_refused': 'untrusted',
  'authority.token_issuer_untrusted': 'untrusted',
  'authority.token_key_unknown': 'untrusted',
  'authority.token_signature_invalid': 'untrusted',
  'authority.token_audience_wrong': 'untrusted',
  'authority.token_expired': 'untrusted',
  'authority.token_not_yet_valid': 'untrusted',
  'authority.token_claim_invalid': 'untrusted',
  'authority.token_subject_invalid': 'untrusted',
  'authority.token_subject_mismatch': 'untrusted',
  'authority.token_subject_reserved': 'untrusted',
  'authority.token_email_unverified': 'untrusted',
  'authority.token_reused': 'untrusted',
  'authority.token_unissued': 'untrusted',
  'authority.token_altered': 'untrusted',
  'authority.token_erased': 'untrusted',
  'authority.ledger_unavailable': 'peer',
  'authority.issuer_unreachable': 'usage',
  'authority.issuer_metadata_invalid': 'untrusted',
  // the key that asks for a certificate
  'authority.public_key_invalid': 'usage',
  'authority.public_key_weak': 'usage',
  'authority.key_mismatch': 'untrusted',
  'authority.proof_invalid': 'untrusted',
  'authority.signing_request_invalid': 'usage',
  // certificate log
  'authority.chain_invalid': 'usage',
  'authority.chain_untrusted': 'untrusted',
  'authority.poison_missing': 'usage',
  'authority.poison_unexpected': 'usage',
  // transparency log
  'authority.entry_invalid': 'usage',
  'authority.entry_kind_unsupported': 'usage',
  'authority.entry_signature_invalid': 'untrusted',
  'authority.entry_exists': { kind: 'refused', httpStatus: 409 },
  'authority.range_invalid': 'usage',
  'authority.too_many_queries': { kind: 'usage', httpStatus: 422 },
  // the data folder
  'authority.ca_certificate_mismatch': 'machine',
  'authority.log_key_mismatch': 'machine',
} as const;

/** One of {@link AuthorityError.codes}. */
export type AuthorityErrorCode = keyof typeof KINDS;

/**
 * A refusal of the authority. `message` may leave the process: it holds no token, no key and no proof. What is known
 * beyond that is in `cause`.
 */
export const AuthorityError = declareErrors('AuthorityError', KINDS);
export type AuthorityError = InstanceType<typeof AuthorityError>;
