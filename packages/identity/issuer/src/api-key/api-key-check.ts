import { timingSafeEqual } from 'node:crypto';
import type { CallerStore } from '@colophon/store';
import type { CallerErrorCode } from '../caller-error/caller-error.ts';
import { parseApiKey } from './api-key.ts';

/** Whose key it is, or why it counts for nothing. */
export type ApiKeyDecision =
  | { readonly ok: true; readonly caller: string; readonly keyId: string }
  | {
      readonly ok: false;
      readonly code: Extract<CallerErrorCode, `caller.api_key_${string}` | 'caller.revoked'>;
    };

/** What the hash of an unknown id's key is compared with, so that an unknown id costs what a wrong secret does. */
const NO_HASH = new Uint8Array(32);

/**
 * Decides an API key. What became of a key is said only to somebody who has it: a wrong secret is an unknown key.
 * @param now - seconds since the epoch
 */
export function checkApiKey(
  text: string,
  store: Pick<CallerStore, 'findKey' | 'isRevoked'>,
  now: number,
): ApiKeyDecision {
  const parsed = parseApiKey(text);
  if (!parsed.ok) return { ok: false, code: 'caller.api_key_malformed' };
  const key = store.findKey(parsed.id);
  const isSame = timingSafeEqual(parsed.secretHash, key?.secret_hash ?? NO_HASH);
  if (key === undefined || !isSame) return { ok: false, code: 'caller.api_key_unknown' };
  if (store.isRevoked(key.caller)) return { ok: false, code: 'caller.revoked' };
  if (key.revoked_at !== null) return { ok: false, code: 'caller.api_key_revoked' };
  if (now >= key.expires_at) return { ok: false, code: 'caller.api_key_expired' };
  return { ok: true, caller: key.caller, keyId: key.key_id };
}
