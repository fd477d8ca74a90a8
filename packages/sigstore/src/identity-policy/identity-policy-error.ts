/** Why an identity policy cannot be used at all. */
export const IDENTITY_POLICY_ERROR_CODES = [
  'identity.issuer_missing',
  'identity.unconstrained',
  'identity.pattern_invalid',
  'identity.ambiguous',
] as const;
export type IdentityPolicyErrorCode = (typeof IDENTITY_POLICY_ERROR_CODES)[number];

/** The policy itself is wrong, whatever the certificate says; found when it is made. */
export class IdentityPolicyError extends Error {
  override readonly name = 'IdentityPolicyError';
  readonly code: IdentityPolicyErrorCode;

  constructor(code: IdentityPolicyErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
