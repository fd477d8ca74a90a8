import type { JsonValue } from '@colophon/json';
import { TokenRefused } from './token-refused.ts';

/** `aud` may be the audience or a list of it alone: a token for several services could be replayed by any of them. */
export function checkAudience(aud: JsonValue | undefined, audience: string): void {
  const isOurs = aud === audience || (Array.isArray(aud) && aud.length === 1 && aud[0] === audience);
  if (!isOurs) throw new TokenRefused('token_audience_wrong', `the token’s audience is not ${audience}`);
}

/** True for whole, positive seconds since the epoch (RFC 7519 §2, NumericDate). */
export function isTime(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
