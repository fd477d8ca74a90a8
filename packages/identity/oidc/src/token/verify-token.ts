import type { JsonObject, JsonValue } from '@colophon/json';
import { parseCompactToken } from './compact-token.ts';
import { checkAudience, isTime } from './token-claim.ts';
import { isTokenAlgorithm, type Jwk, verifyTokenSignature } from './token-key.ts';
import { TokenRefused } from './token-refused.ts';

/** Seconds by which an issuer's clock may differ from ours. */
export const CLOCK_SKEW_SECONDS = 30;

/** Where an issuer's public keys come from. */
export type KeySource = {
  /**
   * The key that `issuer` publishes under `kid`, or undefined where it publishes no such key.
   * @throws TokenRefused `issuer_unreachable`, `issuer_metadata_invalid`
   */
  findKey(issuer: string, kid: string): Promise<Jwk | undefined> | Jwk | undefined;
  /**
   * The key that `issuer` publishes, where it publishes exactly one: what a token without `kid` can only mean.
   * @throws TokenRefused `issuer_unreachable`, `issuer_metadata_invalid`
   */
  findOnlyKey?(issuer: string): Promise<Jwk | undefined> | Jwk | undefined;
};

/** Whose tokens are accepted, and for whom they must be meant. */
export type TokenRules = {
  /** Exact strings. No other issuer is asked for anything. */
  readonly issuers: readonly string[];
  readonly audience: string;
  readonly keys: KeySource;
};

/** A token that a trusted issuer signed for us and that is valid now. What its other claims say is not looked at. */
export type VerifiedToken = {
  readonly issuer: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
  readonly payload: JsonObject;
  /** What its signature covers; the only spelling of it there is. */
  readonly signingInput: string;
};

/**
 * Verifies a token of another issuer (contract §5.1): form, issuer, key, signature, audience, times, in this order, so
 * that nothing is fetched for an issuer that is not trusted and nothing is believed before the signature.
 * A key inside the header (`jwk`, `jku`, `x5c`, `x5u`) is never looked at.
 *
 * @param now seconds since the epoch
 * @throws TokenRefused
 */
export async function verifyToken(token: unknown, rules: TokenRules, now: number): Promise<VerifiedToken> {
  const parts = parseCompactToken(token);
  const { header, payload } = parts;
  const { alg, kid } = header;
  // An extension that must be understood (RFC 7515 §4.1.11) is one that we do not understand.
  if (!isTokenAlgorithm(alg) || header['crit'] !== undefined || header['b64'] !== undefined) {
    throw new TokenRefused('token_algorithm_refused', 'identity tokens are signed with RS256, ES256 or EdDSA');
  }
  const issuer = payload['iss'];
  if (typeof issuer !== 'string' || !rules.issuers.includes(issuer)) {
    throw new TokenRefused('token_issuer_untrusted', 'the token’s issuer is not one that is trusted here');
  }
  const key = typeof kid === 'string' && kid !== '' ? await rules.keys.findKey(issuer, kid) : undefined;
  if (key === undefined) {
    throw new TokenRefused('token_key_unknown', 'the token is signed with a key that its issuer does not publish');
  }
  verifyTokenSignature(key, alg, parts);
  checkAudience(payload['aud'], rules.audience);
  const expiresAt = checkTimes(payload, now);
  return { issuer, expiresAt, payload, signingInput: parts.signingInput };
}

/** Answers with `exp`. RFC 7519 §4.1.4 – §4.1.6; all three are whole seconds. */
function checkTimes({ exp, iat, nbf = iat as JsonValue }: JsonObject, now: number): number {
  if (!isTime(exp) || !isTime(iat) || !isTime(nbf) || exp <= iat) {
    throw new TokenRefused('token_claim_invalid', 'exp, iat and nbf are whole seconds, and exp is after iat');
  }
  if (now >= exp + CLOCK_SKEW_SECONDS) throw new TokenRefused('token_expired', 'the token has expired');
  if (Math.max(iat, nbf) > now + CLOCK_SKEW_SECONDS) {
    throw new TokenRefused('token_not_yet_valid', 'the token is from the future');
  }
  return exp;
}
