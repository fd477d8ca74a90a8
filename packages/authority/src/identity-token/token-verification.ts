import { createHash } from 'node:crypto';
import type { JsonObject, JsonValue } from '@colophon/json';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { parseCompactToken } from './compact-token.ts';
import { type CertificateClaims, readCertificateClaims } from './token-claims.ts';
import { isTokenAlgorithm, type Jwk, verifyTokenSignature } from './token-key.ts';
import { readTokenSubject } from './token-subject.ts';

/** Seconds by which an issuer's clock may differ from ours. */
export const CLOCK_SKEW_SECONDS = 30;

/** Where an issuer's public keys come from. */
export type KeySource = {
  /**
   * The key that `issuer` publishes under `kid`, or undefined where it publishes no such key.
   * @throws AuthorityError `authority.issuer_unreachable`, `authority.issuer_metadata_invalid`
   */
  findKey(issuer: string, kid: string): Promise<Jwk | undefined> | Jwk | undefined;
};

/** Who is trusted with identity tokens, and for whom they must be meant. */
export type TokenTrust = {
  /** Exact strings. No other issuer is asked for anything. */
  readonly issuers: readonly string[];
  /** The one whose tokens may name agents, reviewers, review services and its evidence store. */
  readonly ownIssuer: string;
  readonly audience: string;
  readonly keys: KeySource;
};

/** A token that its issuer signed for us and that is valid now. */
export type VerifiedToken = {
  readonly issuer: string;
  /** Becomes the certificate's subject alternative name; what a proof of possession is made over. */
  readonly subject: string;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
  /** The claims that a certificate carries, as text. */
  readonly claims: CertificateClaims;
  /** 32 bytes, the same for every copy of this token: over (issuer, jti), or over the signing input without a jti. */
  readonly useKey: Uint8Array;
};

/**
 * Verifies an identity token (contract §5.1): form, issuer, key, signature, audience, times, subject, claims, in this
 * order, so that nothing is fetched for an issuer that is not trusted and nothing is believed before the signature.
 * A key inside the header (`jwk`, `jku`, `x5c`, `x5u`) is never looked at.
 *
 * @param now seconds since the epoch
 * @throws AuthorityError with the `authority.token_…` codes and those of KeySource
 */
export async function verifyIdentityToken(token: unknown, trust: TokenTrust, now: number): Promise<VerifiedToken> {
  const parts = parseCompactToken(token);
  const { header, payload } = parts;
  const { alg, kid } = header;
  // An extension that must be understood (RFC 7515 §4.1.11) is one that we do not understand.
  if (!isTokenAlgorithm(alg) || header['crit'] !== undefined || header['b64'] !== undefined) {
    throw new AuthorityError(
      'authority.token_algorithm_refused',
      'identity tokens are signed with RS256, ES256 or EdDSA',
    );
  }
  const issuer = payload['iss'];
  if (typeof issuer !== 'string' || !trust.issuers.includes(issuer)) {
    throw new AuthorityError('authority.token_issuer_untrusted', 'the token’s issuer is not one that is trusted here');
  }
  const key = typeof kid === 'string' && kid !== '' ? await trust.keys.findKey(issuer, kid) : undefined;
  if (key === undefined) {
    throw new AuthorityError(
      'authority.token_key_unknown',
      'the token is signed with a key that its issuer does not publish',
    );
  }
  verifyTokenSignature(key, alg, parts);
  checkAudience(payload['aud'], trust.audience);
  const expiresAt = checkTimes(payload, now);
  const subject = readTokenSubject(payload, trust.ownIssuer);
  const claims = readCertificateClaims(payload, trust.audience);
  return { issuer, subject, expiresAt, claims, useKey: useKeyOf(issuer, claims.jti, parts.signingInput) };
}

/** `aud` may be the audience or a list of it alone: a token for several services could be replayed by any of them. */
function checkAudience(aud: JsonValue | undefined, audience: string): void {
  const isOurs = aud === audience || (Array.isArray(aud) && aud.length === 1 && aud[0] === audience);
  if (!isOurs) throw new AuthorityError('authority.token_audience_wrong', `the token’s audience is not ${audience}`);
}

/** Answers with `exp`. RFC 7519 §4.1.4 – §4.1.6; all three are whole seconds. */
function checkTimes({ exp, iat, nbf = iat as JsonValue }: JsonObject, now: number): number {
  if (!isTime(exp) || !isTime(iat) || !isTime(nbf) || exp <= iat) {
    throw new AuthorityError(
      'authority.token_claim_invalid',
      'exp, iat and nbf are whole seconds, and exp is after iat',
    );
  }
  if (now >= exp + CLOCK_SKEW_SECONDS) throw new AuthorityError('authority.token_expired', 'the token has expired');
  if (Math.max(iat, nbf) > now + CLOCK_SKEW_SECONDS) {
    throw new AuthorityError('authority.token_not_yet_valid', 'the token is from the future');
  }
  return exp;
}

function isTime(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

function useKeyOf(issuer: string, jti: string | undefined, signingInput: string): Uint8Array {
  const identity = jti === undefined ? ['signing-input', signingInput] : ['jti', issuer, jti];
  return new Uint8Array(createHash('sha256').update(JSON.stringify(identity)).digest());
}
