import type { CertificateIdentity } from '@colophon/records';
import type { Check } from '@colophon/sigstore';

/** One signature over a document that verified. */
export type VerifiedDocument = {
  readonly kind: 'sigstore' | 'openpgp';
  /** The certificate's subject, the user id of an OpenPGP key, or the name of a bare key. */
  readonly signer: string;
  /**
   * Every name under which a policy may know those who signed: a certificate's subject, alone and with its issuer, or a
   * fingerprint. The user id of an OpenPGP key is none, since whoever makes a key writes what they like into it; neither
   * is the name of a key's file.
   */
  readonly names: readonly string[];
  /** Somebody who answers for a decision signed: no agent, no machine, no key that names nobody. */
  readonly isPerson: boolean;
  /** RFC 3339 in UTC: what the log or the signer says. */
  readonly signedAt?: string;
  readonly identity?: CertificateIdentity;
  /** Of the OpenPGP key. */
  readonly fingerprint?: string;
  readonly checks: readonly Check[];
};

/** Verifies one signature, a bundle or an OpenPGP signature, over the very bytes of a document. */
export type DocumentVerifier<V extends VerifiedDocument = VerifiedDocument> = (
  document: Uint8Array,
  signature: Uint8Array,
) => Promise<V>;

/** The check of a signature in a file of several that does not hold, or is by nobody who was named. */
export const NOT_COUNTED = 'not counted';
