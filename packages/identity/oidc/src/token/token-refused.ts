/** What is wrong with a token, or with the issuer that it names. */
export type TokenFault = IdentityTokenFault | CallerTokenFault;

/** Only of callers' tokens: another kind of token, one that lives too long, one that is too old. */
type CallerTokenFault = 'token_type_refused' | 'token_lifetime_too_long' | 'token_too_old';

/** Of every token. */
export type IdentityTokenFault =
  | 'token_missing'
  | 'token_too_large'
  | 'token_malformed'
  | 'token_algorithm_refused'
  | 'token_issuer_untrusted'
  | 'token_key_unknown'
  | 'token_signature_invalid'
  | 'token_audience_wrong'
  | 'token_claim_invalid'
  | 'token_expired'
  | 'token_not_yet_valid'
  | 'issuer_unreachable'
  | 'issuer_metadata_invalid';

/**
 * A token is not accepted. It carries no code: the caller has codes of its own, one for each fault. The message may
 * leave the process: it holds no token, and nothing of what an issuer answered.
 */
export class TokenRefused extends Error {
  override readonly name = 'TokenRefused';
  readonly fault: TokenFault;

  constructor(fault: TokenFault, message: string, options?: ErrorOptions) {
    super(message, options);
    this.fault = fault;
  }
}
