import { declareErrors } from '@colophon/fault';

const KINDS = {
  'identity.issuer_missing': 'usage',
  'identity.unconstrained': 'usage',
  'identity.pattern_invalid': 'usage',
  'identity.ambiguous': 'usage',
} as const;

/** One of {@link IdentityPolicyError.codes}. */
export type IdentityPolicyErrorCode = keyof typeof KINDS;

/** The policy itself is wrong, whatever the certificate says; found when it is made. */
export const IdentityPolicyError = declareErrors('IdentityPolicyError', KINDS);
export type IdentityPolicyError = InstanceType<typeof IdentityPolicyError>;
