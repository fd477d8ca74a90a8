/** Every code of this package, at the token endpoint, at `/runs` and from functions; also listed in docs/errors.md. */
export const ISSUER_ERROR_CODES = [
  'issuer.agent_name_case',
  'issuer.body_too_large',
  'issuer.clock_went_back',
  'issuer.closed',
  'issuer.content_type_unsupported',
  'issuer.form_invalid',
  'issuer.grant_type_unsupported',
  'issuer.internal',
  'issuer.ledger_damaged',
  'issuer.ledger_unavailable',
  'issuer.method_not_allowed',
  'issuer.rate_limited',
  'issuer.request_invalid',
  'issuer.review_not_offered',
  'issuer.reviewer_secret_required',
  'issuer.run_not_found',
] as const;
export type IssuerErrorCode = (typeof ISSUER_ERROR_CODES)[number];

/** The issuer cannot start, or an operation on its ledger cannot be done. */
export class IssuerError extends Error {
  readonly code: IssuerErrorCode;
  constructor(code: IssuerErrorCode, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'IssuerError';
    this.code = code;
  }
}
