import type { JsonObject } from '@colophon/json';
import { parseSpiffeId } from '@colophon/notation';
import { type CompactToken, parseCompactToken } from '../token/compact-token.ts';
import { checkAudience } from '../token/token-claim.ts';
import { CALLER_ALGORITHMS, isOneOf, type Jwk, verifyTokenSignature } from '../token/token-key.ts';
import { TokenRefused } from '../token/token-refused.ts';
import { useKeyOf } from '../token/use-key.ts';
import type { KeySource } from '../token/verify-token.ts';
import { checkAge } from './token-age.ts';
import { checkType } from './token-type.ts';

/** An issuer whose tokens callers may show. */
export type TrustedIssuer = {
  /** The exact `iss`. Of SPIFFE it is the trust domain as `spiffe://<domain>`, and is found by the token's `sub`. */
  readonly issuer: string;
  readonly kind: 'oidc' | 'spiffe';
  /** The one audience: the address of our own issuer. */
  readonly audience: string;
  readonly keys: KeySource;
  /** The longest time since `iat`; of a token without `iat` (SPIFFE) the longest time until `exp`. */
  readonly maxAgeSeconds: number;
};

/** A token that a trusted issuer signed for us and that is accepted now. Who its bearer is, others decide. */
export type CallerToken = {
  /** As in the trusted issuer. */
  readonly issuer: string;
  readonly payload: JsonObject;
  /** Its `exp`, in seconds since the epoch: whatever the rules become, no later. */
  readonly expiresAt: number;
  /** 32 bytes, the same for every copy of this token. */
  readonly useKey: Uint8Array;
  readonly jti: string | undefined;
};

/** RFC 7518 §3.3 – §3.5, as JWT-SVID §2.1 lists them: without EdDSA. */
const SPIFFE_ALGORITHMS = CALLER_ALGORITHMS.filter((alg) => alg !== 'EdDSA');

/**
 * Verifies the token that a caller shows: form, algorithm, type, issuer, key, signature, audience, times, in this
 * order. So nothing is fetched for an issuer that is not trusted, and no claim counts before the signature, except
 * that `iss` or a SPIFFE `sub` names whose key is taken. A key or an address in the header is never looked at.
 *
 * @param trusted by `TrustedIssuer.issuer`
 * @param now seconds since the epoch
 * @throws TokenRefused
 * @see RFC 8725, best practices for JSON Web Tokens
 */
export async function verifyCallerToken(
  token: unknown,
  trusted: ReadonlyMap<string, TrustedIssuer>,
  now: number,
): Promise<CallerToken> {
  const parts = parseCompactToken(token);
  const { header, payload } = parts;
  const alg = algorithmOf(header);
  const rules = findIssuer(payload, trusted);
  if (rules.kind === 'spiffe' && !SPIFFE_ALGORITHMS.includes(alg)) throw refusedAlgorithm();
  checkType(header['typ'], rules.kind);
  verifyTokenSignature(await findKey(parts, rules), alg, parts);
  checkAudience(payload['aud'], rules.audience);
  const expiresAt = checkAge(payload, rules, now);
  const jti = jtiOf(payload);
  const { issuer } = rules;
  return { issuer, payload, expiresAt, useKey: useKeyOf(issuer, jti, parts.signingInput), jti };
}

function algorithmOf({ alg, crit, b64 }: JsonObject): string {
  // An extension that must be understood (RFC 7515 §4.1.11) is one that we do not understand.
  if (!isOneOf(CALLER_ALGORITHMS, alg) || crit !== undefined || b64 !== undefined) throw refusedAlgorithm();
  return alg;
}

function refusedAlgorithm(): TokenRefused {
  return new TokenRefused('token_algorithm_refused', `callers’ tokens are signed with ${CALLER_ALGORITHMS.join(', ')}`);
}

/** Whose token it says it is. `iss` of a JWT-SVID means nothing (JWT-SVID §3), so a trusted `sub` is enough for one. */
function findIssuer({ iss, sub }: JsonObject, trusted: ReadonlyMap<string, TrustedIssuer>): TrustedIssuer {
  const named = typeof iss === 'string' ? trusted.get(iss) : undefined;
  if (named?.kind === 'oidc' && named.issuer === iss) return named;
  const id = typeof sub === 'string' ? parseSpiffeId(sub) : undefined;
  // A workload has a path; without one the id is that of the trust domain itself.
  const domain = id === undefined || id.path === '' ? undefined : `spiffe://${id.trustDomain}`;
  const found = domain === undefined ? undefined : trusted.get(domain);
  if (found?.kind === 'spiffe' && found.issuer === domain) return found;
  throw new TokenRefused('token_issuer_untrusted', 'the token’s issuer is not one that is trusted here');
}

/** `kid` may be absent from a JWT-SVID (§2.2) only, where its trust domain publishes one key. */
async function findKey({ header }: CompactToken, { issuer, kind, keys }: TrustedIssuer): Promise<Jwk> {
  const { kid } = header;
  let key: Jwk | undefined;
  if (typeof kid === 'string' && kid !== '') key = await keys.findKey(issuer, kid);
  else if (kid === undefined && kind === 'spiffe') key = await keys.findOnlyKey?.(issuer);
  if (key !== undefined) return key;
  throw new TokenRefused('token_key_unknown', 'the token is signed with a key that its issuer does not publish');
}

/** RFC 7519 §4.1.7; absent from Kubernetes' older tokens and from many JWT-SVIDs. */
function jtiOf({ jti }: JsonObject): string | undefined {
  if (jti === undefined || (typeof jti === 'string' && jti !== '')) return jti;
  throw new TokenRefused('token_claim_invalid', 'jti is text');
}
