import type { ApiKeyRow } from '@colophon/store';

/** What a key counts for. */
export const KEY_STATES = ['active', 'expired', 'revoked', 'caller-revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** @param now - seconds since the epoch */
export function keyState({ expires_at, revoked_at }: ApiKeyRow, isCallerRevoked: boolean, now: number): KeyState {
  if (isCallerRevoked) return 'caller-revoked';
  if (revoked_at !== null) return 'revoked';
  return now >= expires_at ? 'expired' : 'active';
}
