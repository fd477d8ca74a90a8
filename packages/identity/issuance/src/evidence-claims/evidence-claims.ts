import { evidenceSubject, type IdentityTokenClaims } from '@colophon/records';
import { assertIssuanceContext, type IssuanceContext } from '../claim-decision/issuance-context.ts';

/** What the token of an evidence store says: who it is, for whom and how long. */
export type EvidenceTokenClaims = Pick<IdentityTokenClaims, 'iss' | 'sub' | 'aud' | 'exp' | 'iat' | 'jti'>;

/**
 * The claims of a token for the issuer's own evidence store. No request asks for it, so nothing in it is anybody's word,
 * and there is no claim whose source could be named.
 *
 * @throws TypeError for a context that cannot be, as decideClaims
 */
export function evidenceClaims(context: IssuanceContext): EvidenceTokenClaims {
  assertIssuanceContext(context);
  const { issuer: iss, audiences, issuedAt: iat, lifetimeSeconds, jti } = context;
  return { iss, sub: evidenceSubject(iss), aud: audiences[0]!, exp: iat + lifetimeSeconds, iat, jti };
}
