import type { X509Certificate } from '@sigstore/core';
import type { ParsedBundle } from '../bundle/parse-bundle.ts';
import { rootsOfIssuer } from '../trusted-root/issuer-scope.ts';
import type { PinnedRoot, TrustMaterial } from '../trusted-root/trust-material.ts';
import { VerificationError } from './verification-error.ts';

/**
 * The roots under which a certificate can hold: those with an authority of the name, and of the key, that its issuer is
 * said to have. The only root is always asked, so that its refusal says what is wrong.
 * @throws VerificationError `certificate.untrusted` where there are several roots and none has its issuer
 */
export function rootsOfCertificate(certificate: X509Certificate, { roots }: TrustMaterial): readonly PinnedRoot[] {
  if (roots.length === 1) return roots;
  const { issuer, extAuthorityKeyID } = certificate;
  const key = extAuthorityKeyID?.keyIdentifier;
  const chosen = roots.filter(({ library: { certificateAuthorities } }) =>
    certificateAuthorities.some(({ certChain }) =>
      certChain.some((authority) => {
        const own = authority.extSubjectKeyID?.keyIdentifier;
        return authority.subject.equals(issuer) && (key === undefined || own === undefined || own.equals(key));
      }),
    ),
  );
  if (chosen.length > 0) return chosen;
  throw new VerificationError('certificate.untrusted', 'no authority of any trusted root issued the certificate', {
    expected: `an authority of ${namesOf(roots)}`,
  });
}

/**
 * Those of the roots that may say who holds a certificate of this issuer. What no other may say is no word, and nothing of
 * it is incomplete: else whoever owns one root could block what another certifies.
 * @param chosen the roots with the authority of the certificate
 * @throws VerificationError `certificate.issuer_not_of_root` where none may
 */
export function rootsInScope(
  issuer: string,
  chosen: readonly PinnedRoot[],
  { roots }: Pick<TrustMaterial, 'roots'>,
): readonly PinnedRoot[] {
  const ofIssuer = rootsOfIssuer(issuer, roots);
  const inScope = chosen.filter((root) => ofIssuer.includes(root));
  if (inScope.length > 0) return inScope;
  throw new VerificationError('certificate.issuer_not_of_root', `the root does not certify the issuer ${issuer}`, {
    expected: ofIssuer.length === 0 ? `a trusted root with ${issuer} among its issuers` : namesOf(ofIssuer),
    found: namesOf(chosen),
  });
}

/**
 * Whether an authority of any root signed the certificate, by the name that its issuer is said to have. When that was,
 * and what the authority may do, is not looked at.
 */
export function isIssuedUnder({ roots }: Pick<TrustMaterial, 'roots'>, certificate: X509Certificate): boolean {
  const { issuer } = certificate;
  const authorities = roots.flatMap(({ library }) => library.certificateAuthorities.flatMap((one) => one.certChain));
  return authorities.some((authority) => authority.subject.equals(issuer) && isSignedBy(certificate, authority));
}

function isSignedBy(certificate: X509Certificate, authority: X509Certificate): boolean {
  try {
    return certificate.verify(authority);
  } catch {
    // The authority's key cannot be read: under that root nothing holds.
    return false;
  }
}

/** The roots under which a signature without certificate can hold: those that pin a log of its entries. */
export function rootsOfLogs({ logEntries }: ParsedBundle, { roots }: TrustMaterial): readonly PinnedRoot[] {
  const ids = logEntries.map(({ logId }) => logId?.keyId ?? Buffer.alloc(0));
  const chosen = roots.filter(({ logs }) =>
    logs.some(({ logId }) => ids.some((id) => Buffer.compare(id, logId) === 0)),
  );
  return chosen.length > 0 ? chosen : roots;
}

/**
 * What holds under the first root under which everything holds.
 * @throws what the first root refuses for, where all refuse
 */
export function underOneOf<T>(roots: readonly PinnedRoot[], verify: (root: PinnedRoot) => T): T {
  let refusal: unknown;
  for (const root of roots) {
    try {
      return verify(root);
    } catch (error) {
      if (!(error instanceof VerificationError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal;
}

function namesOf(roots: readonly PinnedRoot[]): string {
  return roots.map(({ name = 'a root without name' }) => name).join(', ');
}
