import type { RightRefusalCode } from '../caller-rights/caller-rights.ts';

/** Every code with which decideClaims refuses; never renamed, listed in docs/errors.md. */
export const ISSUANCE_REFUSAL_CODES = [
  'issuance.audience_not_allowed',
  'issuance.claim_contradicted',
  'issuance.claim_missing',
  'issuance.source_not_accepted',
  'issuance.agent_unregistered',
  'issuance.agent_inactive',
  'issuance.agent_version_unregistered',
] as const;
export type IssuanceRefusalCode =
  | (typeof ISSUANCE_REFUSAL_CODES)[number]
  | RightRefusalCode
  | 'caller.reviewer_unconfirmed';

/** Why no token is issued. */
export type IssuanceRefusal = {
  readonly ok: false;
  readonly code: IssuanceRefusalCode;
  /** The field of the request, or the claim, that it is about. */
  readonly field: string;
  /** One sentence for a person, without any value. */
  readonly message: string;
};
