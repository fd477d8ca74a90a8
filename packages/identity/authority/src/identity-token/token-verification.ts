import { hash } from 'node:crypto';
import { type IdentityTokenFault, TokenRefused, type TokenRules, useKeyOf, verifyToken } from '@colophon/oidc';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { type CertificateClaims, readCertificateClaims } from './token-claims.ts';
import { readTokenEmail } from './token-email.ts';
import { readTokenSubject } from './token-subject.ts';

/** Who is trusted with identity tokens, and for whom they must be meant. */
export type TokenTrust = TokenRules & {
  /** The one whose tokens may name agents, reviewers, review services and its evidence store. */
  readonly ownIssuer: string;
  /** Of the others, those whose tokens name a person by a verified e-mail address, and not by `sub`. */
  readonly emailIssuers?: readonly string[] | undefined;
};

/** A token that its issuer signed for us and that is valid now. */
export type VerifiedToken = {
  readonly issuer: string;
  /** Becomes the certificate's subject alternative name; what a proof of possession is made over. */
  readonly subject: string;
  /** Of the subject alternative name. */
  readonly nameKind: 'uri' | 'email';
  /** Seconds since the epoch. */
  readonly expiresAt: number;
  /** The claims that a certificate carries, as text; none of another issuer, for which they mean something else. */
  readonly claims: CertificateClaims;
  /** SHA-256 of the payload, in the very bytes that were signed. */
  readonly payloadHash: Uint8Array;
  /** 32 bytes, the same for every copy of this token: over (issuer, jti), or over the signing input without a jti. */
  readonly useKey: Uint8Array;
};

/**
 * Verifies an identity token (contract §5.1), and only then reads its subject and its claims.
 *
 * @param now seconds since the epoch
 * @throws AuthorityError with the `authority.token_…` codes, `authority.issuer_unreachable`,
 *   `authority.issuer_metadata_invalid`
 */
export async function verifyIdentityToken(token: unknown, trust: TokenTrust, now: number): Promise<VerifiedToken> {
  const { issuer, expiresAt, payload, signingInput } = await verifyToken(token, trust, now).catch(asAuthorityError);
  const nameKind = trust.emailIssuers?.includes(issuer) ? 'email' : 'uri';
  const subject = nameKind === 'email' ? readTokenEmail(payload) : readTokenSubject(payload, trust.ownIssuer);
  const claims = issuer === trust.ownIssuer ? readCertificateClaims(payload, trust.audience) : {};
  const { jti } = payload;
  return {
    issuer,
    subject,
    nameKind,
    expiresAt,
    claims,
    payloadHash: hashOfPayload(signingInput),
    useKey: useKeyOf(issuer, typeof jti === 'string' && jti !== '' ? jti : undefined, signingInput),
  };
}

function hashOfPayload(signingInput: string): Uint8Array {
  return hash('sha256', Buffer.from(signingInput.slice(signingInput.indexOf('.') + 1), 'base64url'), 'buffer');
}

function asAuthorityError(error: unknown): never {
  if (!(error instanceof TokenRefused)) throw error;
  // verifyToken judges neither a token's type nor its age.
  const fault = error.fault as IdentityTokenFault;
  throw new AuthorityError(`authority.${fault}`, error.message, { cause: error.cause });
}
