import { createPublicKey, randomUUID, sign } from 'node:crypto';

/** The caller of the bench, whose tokens are signed by a key of its own issuer. */
export const CALLER_ISSUER = 'https://jobs.bench.example';
export const CALLER_SUBJECT = 'job:bench';
const KID = 'bench';

/** The key set of that issuer (RFC 7517 §5). @param privateKey in PEM, P-256 */
export function callerKeySet(privateKey: string): string {
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' });
  return JSON.stringify({ keys: [{ ...jwk, kid: KID, alg: 'ES256', use: 'sig' }] });
}

/** A new ES256 token of the caller, valid for an hour. */
export function callerToken(privateKey: string, audience: string): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: CALLER_ISSUER, sub: CALLER_SUBJECT, aud: audience, iat, exp: iat + 3600, jti: randomUUID() };
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part({ alg: 'ES256', kid: KID, typ: 'JWT' })}.${part(claims)}`;
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}
