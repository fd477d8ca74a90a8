import type { KeyObject } from 'node:crypto';
import { shownAddress } from '@colophon/peer';
import type { CertificateIdentity } from '@colophon/records';
import { parseBundle } from '../bundle/parse-bundle.ts';
import { parseCertificate, SCT_LIST } from '../certificate/certificate.ts';
import { identityOf, isOurSubject } from '../certificate/certificate-identity.ts';
import { libraryCertificate } from '../certificate/library-certificate.ts';
import type { TrustMaterial } from '../trusted-root/trust-material.ts';
import type { Artifact } from '../verify/artifact.ts';
import { assertEntryMatches } from '../verify/log-entry.ts';
import { rootsInScope, rootsOfCertificate } from '../verify/root-choice.ts';
import { signedContentOf } from '../verify/signed-content.ts';
import { assertValidAt, statedTimesOf } from '../verify/signed-time.ts';
import { VerificationError } from '../verify/verification-error.ts';
import { verifyBundle, verifyBundleWithKey } from '../verify/verify-bundle.ts';
import { invalidAnswer } from './ask.ts';
import type { IdentityToken } from './identity-token.ts';
import { SigningError } from './signing-error.ts';

/**
 * Holds when the authority certified our key, for whom the token is about: for the address where that was proven, else for
 * the subject where it is of our own issuer. A signer that takes any certificate signs under any name.
 * @throws SigningError `signing.ca_answer_invalid`, `signing.certificate_not_ours`
 */
export function assertCertificateIsOurs(
  der: Buffer,
  {
    publicKey,
    token,
    address,
  }: {
    readonly publicKey: KeyObject;
    readonly token: IdentityToken;
    /** The e-mail address that the key proved to the authority. */
    readonly address: string | undefined;
  },
  fulcioUrl: string,
  claimArc?: string,
): CertificateIdentity {
  const { spki, identity } = readAnswer(der, fulcioUrl, claimArc);
  const url = shownAddress(fulcioUrl);
  if (!publicKey.export({ type: 'spki', format: 'der' }).equals(spki)) {
    throw new SigningError('signing.certificate_not_ours', 'the certificate is for another key', { url });
  }
  if (address !== undefined && identity.subject !== address) {
    const reason = `the certificate is for ${identity.subject}, the token for ${address}`;
    throw new SigningError('signing.certificate_not_ours', reason, { url });
  }
  if (address !== undefined || !isOurSubject(token.subject)) return identity;
  if (identity.subject !== token.subject || identity.issuer !== token.issuer) {
    const found = `${identity.subject} of ${identity.issuer}`;
    const reason = `the certificate is for ${found}, the token for ${token.subject} of ${token.issuer}`;
    throw new SigningError('signing.certificate_not_ours', reason, { url });
  }
  return identity;
}

function readAnswer(der: Buffer, fulcioUrl: string, claimArc: string | undefined) {
  try {
    const certificate = parseCertificate(der);
    return { spki: certificate.spki, identity: identityOf(certificate, claimArc) };
  } catch (error) {
    throw invalidAnswer('ca', fulcioUrl, (error as Error).message, error);
  }
}

/**
 * Holds when a verifier with this trust could take the certificate; asked before anything is logged, since an entry
 * stays.
 * @throws SigningError `signing.verification_failed`
 */
export function assertSctAsDemanded(der: Buffer, trust: TrustMaterial | undefined): void {
  if (trust === undefined || parseCertificate(der).extensions.has(SCT_LIST)) return;
  if (trust.roots.some(({ demandsSct }) => !demandsSct)) return;
  const reason = 'the authority gave a certificate without a timestamp of a CT log, and each trusted root demands one';
  throw new SigningError('signing.verification_failed', `${reason}: sct.missing`);
}

/**
 * Holds when one of the trusted roots may certify the issuer; asked before anything is logged, since an entry stays.
 * @throws SigningError `signing.verification_failed`
 */
export function assertRootCertifies(der: Buffer, issuer: string, trust: TrustMaterial | undefined): void {
  if (trust === undefined) return;
  try {
    rootsInScope(issuer, rootsOfCertificate(libraryCertificate(der), trust), trust);
  } catch (cause) {
    if (!(cause instanceof VerificationError)) throw cause;
    const reason = `no verifier with these trusted roots could take the certificate: ${cause.code}: ${cause.message}`;
    throw new SigningError('signing.verification_failed', reason, { cause });
  }
}

/**
 * Verifies the bundle that was put together from the peers' answers: always that the log entry is about our
 * signature and that the peers agree on the time, and everything that any verifier would, where trust material is there
 * to do so.
 * @throws SigningError `signing.log_answer_invalid`, `signing.verification_failed`
 */
export function assertBundleIsOurs(
  bytes: Buffer,
  artifact: Artifact | undefined,
  signer: { readonly certificate: Buffer } | { readonly publicKey: KeyObject },
  { trust, rekorUrl }: { readonly trust?: TrustMaterial | undefined; readonly rekorUrl: string },
): void {
  const isKeyless = 'certificate' in signer;
  const verifier = isKeyless ? signer.certificate : signer.publicKey.export({ type: 'spki', format: 'der' });
  try {
    const bundle = parseBundle(bytes);
    const content = signedContentOf(bundle.content, artifact);
    for (const entry of bundle.logEntries) assertEntryMatches(entry, content, verifier);
  } catch (error) {
    throw invalidAnswer('log', rekorUrl, (error as Error).message, error);
  }
  try {
    if (trust === undefined) {
      // A peer with a wrong clock would give what no verifier takes.
      if (isKeyless) assertValidAt(parseCertificate(signer.certificate), statedTimesOf(parseBundle(bytes)));
      return;
    }
    const common = { bundle: bytes, artifact, trust };
    if (isKeyless) verifyBundle({ ...common, policy: 'gated-elsewhere', purpose: 'document' });
    else {
      verifyBundleWithKey({ ...common, publicKey: signer.publicKey.export({ type: 'spki', format: 'pem' }) as string });
    }
  } catch (error) {
    const code = error instanceof VerificationError ? `${error.code}: ` : '';
    const against = trust === undefined ? '' : ' against the trusted root';
    throw new SigningError(
      'signing.verification_failed',
      `what the peers answered does not verify${against}: ${code}${(error as Error).message}`,
      { cause: error },
    );
  }
}
