import type { JsonObject } from '@colophon/json';
import { isTime } from '../token/token-claim.ts';
import { TokenRefused } from '../token/token-refused.ts';
import { CLOCK_SKEW_SECONDS } from '../token/verify-token.ts';
import type { TrustedIssuer } from './caller-token.ts';

/** The longest life of a caller's token, whatever its issuer's `maxAgeSeconds`. */
export const MAX_LIFETIME_SECONDS = 24 * 3600;

/**
 * Compares a token's times with ours.
 * @param now seconds since the epoch
 * @returns its `exp`
 * @throws TokenRefused `token_claim_invalid`, `token_expired`, `token_not_yet_valid`, `token_lifetime_too_long`,
 *   `token_too_old`
 * @see RFC 7519 §4.1.4 – §4.1.6
 */
export function checkAge(
  payload: JsonObject,
  { kind, maxAgeSeconds }: Pick<TrustedIssuer, 'kind' | 'maxAgeSeconds'>,
  now: number,
): number {
  const { exp, iat, nbf } = payload;
  const isWithoutIat = kind === 'spiffe' && iat === undefined;
  if (!isTime(exp) || !(isWithoutIat || isTime(iat)) || !(nbf === undefined || isTime(nbf))) {
    throw new TokenRefused('token_claim_invalid', 'exp, iat and nbf are whole seconds, and exp is there');
  }
  // Without an iat, everything that it would bound is counted from now.
  const since = isTime(iat) ? iat : now;
  const begins = Math.max(since, isTime(nbf) ? nbf : since);
  const longest = isWithoutIat ? Math.min(maxAgeSeconds, MAX_LIFETIME_SECONDS) : MAX_LIFETIME_SECONDS;
  if (isTime(iat) && exp <= iat) throw new TokenRefused('token_claim_invalid', 'exp is after iat');
  if (now >= exp + CLOCK_SKEW_SECONDS) throw new TokenRefused('token_expired', 'the token has expired');
  if (begins > now + CLOCK_SKEW_SECONDS) throw new TokenRefused('token_not_yet_valid', 'the token is from the future');
  if (exp - since > longest) throw new TokenRefused('token_lifetime_too_long', 'the token is valid for too long');
  const refusedFrom = (isTime(iat) ? Math.min(exp, iat + maxAgeSeconds) : exp) + CLOCK_SKEW_SECONDS;
  if (now >= refusedFrom) throw new TokenRefused('token_too_old', 'the token was issued too long ago');
  return exp;
}
