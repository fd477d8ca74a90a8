/** Every way in which the embedded authority refuses; never renamed. */
export const AUTHORITY_ERROR_CODES = [
  // the request as a whole
  'authority.request_malformed',
  'authority.request_too_large',
  'authority.content_type_unsupported',
  'authority.not_found',
  'authority.busy',
  'authority.internal',
  // the identity token
  'authority.token_missing',
  'authority.token_too_large',
  'authority.token_malformed',
  'authority.token_algorithm_refused',
  'authority.token_issuer_untrusted',
  'authority.token_key_unknown',
  'authority.token_signature_invalid',
  'authority.token_audience_wrong',
  'authority.token_expired',
  'authority.token_not_yet_valid',
  'authority.token_claim_invalid',
  'authority.token_subject_invalid',
  'authority.token_subject_mismatch',
  'authority.token_subject_reserved',
  'authority.token_reused',
  'authority.issuer_unreachable',
  'authority.issuer_metadata_invalid',
  // the key that asks for a certificate
  'authority.public_key_invalid',
  'authority.public_key_weak',
  'authority.proof_invalid',
  'authority.signing_request_invalid',
  // certificate log
  'authority.chain_invalid',
  'authority.chain_untrusted',
  'authority.poison_missing',
  'authority.poison_unexpected',
  // transparency log
  'authority.entry_invalid',
  'authority.entry_kind_unsupported',
  'authority.entry_signature_invalid',
  'authority.entry_exists',
  'authority.range_invalid',
  'authority.too_many_queries',
  // the data folder
  'authority.ca_certificate_mismatch',
  'authority.log_key_mismatch',
] as const;
export type AuthorityErrorCode = (typeof AUTHORITY_ERROR_CODES)[number];

/**
 * A refusal of the authority. `message` may leave the process: it holds no token, no key and no proof. What is known
 * beyond that is in `cause`.
 */
export class AuthorityError extends Error {
  readonly code: AuthorityErrorCode;
  constructor(code: AuthorityErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'AuthorityError';
    this.code = code;
  }
}
