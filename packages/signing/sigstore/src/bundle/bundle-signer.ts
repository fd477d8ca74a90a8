import { parseCertificate } from '../certificate/certificate.ts';
import { identityOf } from '../certificate/certificate-identity.ts';
import { parseBundle } from './parse-bundle.ts';

/** Whom a bundle names as its signer: a certificate's identity, or a hint at a key. */
export type BundleSigner =
  | { readonly subject: string; readonly issuer: string }
  /** Base64 of the SHA-256 of the public key, where cosign or we wrote it. */
  | { readonly keyHint: string };

/** What a bundle says that it is. Nothing of it is verified. */
export type BundleClaim = {
  readonly signs: 'artifact' | 'statement';
  readonly signer: BundleSigner;
};

/**
 * Reads what a bundle signs, and by whom, without verifying anything: to tell one's own files from another's.
 * @throws VerificationError `bundle.*`, `certificate.*`
 */
export function readBundleClaim(bytes: Uint8Array): BundleClaim {
  const { content, signer } = parseBundle(bytes);
  const signs = content.$case === 'dsseEnvelope' ? 'statement' : 'artifact';
  if ('keyHint' in signer) return { signs, signer };
  const { subject, issuer } = identityOf(parseCertificate(signer.certificate));
  return { signs, signer: { subject, issuer } };
}

/** Whether two bundles name one signer. */
export function isSameSigner(one: BundleSigner, other: BundleSigner): boolean {
  if ('keyHint' in one || 'keyHint' in other) {
    return 'keyHint' in one && 'keyHint' in other && one.keyHint === other.keyHint;
  }
  return one.subject === other.subject && one.issuer === other.issuer;
}
