import { declareErrors } from '@colophon/fault';

/** The credential is good, and not enough. */
const FORBIDDEN = { kind: 'unauthorized', httpStatus: 403 } as const;

const KINDS = {
  'caller.api_key_malformed': 'unauthorized',
  'caller.api_key_unknown': 'unauthorized',
  'caller.api_key_expired': 'unauthorized',
  'caller.api_key_revoked': 'unauthorized',
  'caller.revoked': 'unauthorized',
  'caller.credential_missing': 'unauthorized',
  'caller.several_credentials': 'usage',
  'caller.scheme_unsupported': 'unauthorized',
  'caller.token_missing': 'unauthorized',
  'caller.token_too_large': 'unauthorized',
  'caller.token_malformed': 'unauthorized',
  'caller.token_type_refused': 'unauthorized',
  'caller.token_algorithm_refused': 'unauthorized',
  'caller.token_issuer_untrusted': 'unauthorized',
  'caller.token_key_unknown': 'unauthorized',
  'caller.token_signature_invalid': 'unauthorized',
  'caller.token_audience_wrong': 'unauthorized',
  'caller.token_claim_invalid': 'unauthorized',
  'caller.token_lifetime_too_long': 'unauthorized',
  'caller.token_too_old': 'unauthorized',
  'caller.token_expired': 'unauthorized',
  'caller.token_not_yet_valid': 'unauthorized',
  'caller.token_used': 'unauthorized',
  'caller.issuer_unreachable': 'peer',
  'caller.issuer_metadata_invalid': 'peer',
  'caller.unknown': FORBIDDEN,
  'caller.ambiguous': FORBIDDEN,
  'caller.event_refused': FORBIDDEN,
  'caller.claim_unreadable': FORBIDDEN,
  'caller.agent_not_allowed': FORBIDDEN,
  'caller.model_not_allowed': FORBIDDEN,
  'caller.policy_pack_not_allowed': FORBIDDEN,
  'caller.repository_not_allowed': FORBIDDEN,
  'caller.audience_not_allowed': FORBIDDEN,
  'caller.purpose_not_allowed': FORBIDDEN,
  'caller.decisions_not_allowed': FORBIDDEN,
  'caller.reviewer_unconfirmed': FORBIDDEN,
  'caller.receipt_malformed': FORBIDDEN,
  'caller.receipt_witness_unknown': FORBIDDEN,
  'caller.receipt_signature_invalid': FORBIDDEN,
  'caller.receipt_other_caller': FORBIDDEN,
  'caller.receipt_other_issuer': FORBIDDEN,
  'caller.receipt_other_run': FORBIDDEN,
  'caller.receipt_expired': FORBIDDEN,
  'caller.receipt_upstream_unknown': FORBIDDEN,
  'caller.key_not_found': 'not-found',
  'caller.revoked_already': 'nothing',
  'caller.name_invalid': 'usage',
  'caller.expiry_invalid': 'usage',
} as const;

/** One of {@link CallerError.codes}. */
export type CallerErrorCode = keyof typeof KINDS;

/** A caller or its credential counts for nothing, or a change to them cannot be made. */
export const CallerError = declareErrors('CallerError', KINDS);
export type CallerError = InstanceType<typeof CallerError>;
