/** Every code with which decideClaims refuses; never renamed, listed in docs/errors.md. */
export const ISSUANCE_REFUSAL_CODES = [
  'issuance.audience_not_allowed',
  'issuance.claim_contradicted',
  'issuance.claim_missing',
] as const;
export type IssuanceRefusalCode = (typeof ISSUANCE_REFUSAL_CODES)[number];

/** Why no token is issued. */
export type IssuanceRefusal = {
  readonly ok: false;
  readonly code: IssuanceRefusalCode;
  /** The field of the request, or the claim, that it is about. */
  readonly field: string;
  /** One sentence for a person, without any value. */
  readonly message: string;
};
