import {
  count,
  having,
  listOf,
  oneOf,
  orNull,
  type ResultOf,
  resultOf,
  string,
  timestamp,
} from '@colophon/records/result';
import { KEY_STATES } from './key-state.ts';

const keyMembers = {
  key_id: string('the public part of the key'),
  caller: string('whose it is'),
  created_at: timestamp,
  expires_at: { ...timestamp, description: 'from when on it is refused' },
} as const;

const apiKey = having('one API key, without its secret', {
  ...keyMembers,
  state: oneOf('whether it counts', KEY_STATES),
  revoked_at: orNull(timestamp),
  last_used_at: orNull({ ...timestamp, description: 'to the minute' }),
});
export type ShownApiKey = ResultOf<typeof apiKey>;

const caller = having('one caller', {
  caller: string('its name'),
  revoked_at: orNull(timestamp),
  key_count: { ...count, description: 'API keys ever created for it' },
  active_key_count: { ...count, description: 'those that count now' },
  last_used_at: orNull({ ...timestamp, description: 'of any of its keys' }),
});
export type ShownCaller = ResultOf<typeof caller>;

/** `colophon callers list`. */
export const callerListResult = resultOf('the callers that have keys or were revoked', {
  callers: listOf('by name', caller),
});
export type CallerListResult = ResultOf<typeof callerListResult>;

/** `colophon callers key list`. */
export const apiKeyListResult = resultOf('API keys', { keys: listOf('the oldest first', apiKey) });
export type ApiKeyListResult = ResultOf<typeof apiKeyListResult>;

/** `colophon callers key create`. */
export const apiKeyCreatedResult = resultOf('a new API key, shown once', {
  ...keyMembers,
  key: string('the secret key; it is stored nowhere'),
});
export type ApiKeyCreatedResult = ResultOf<typeof apiKeyCreatedResult>;

/** `colophon callers revoke` and `colophon callers key revoke`. */
export const revokedResult = resultOf(
  'what counts for nothing from now on',
  { revoked: oneOf('what it is', ['caller', 'key']), caller: string('its name'), revoked_at: timestamp },
  { key_id: string('of the key') },
);
export type RevokedResult = ResultOf<typeof revokedResult>;
