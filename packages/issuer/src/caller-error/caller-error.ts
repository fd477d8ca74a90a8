import { declareErrors } from '@colophon/fault';

const KINDS = {
  'caller.api_key_malformed': 'unauthorized',
  'caller.api_key_unknown': 'unauthorized',
  'caller.api_key_expired': 'unauthorized',
  'caller.api_key_revoked': 'unauthorized',
  'caller.revoked': 'unauthorized',
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
