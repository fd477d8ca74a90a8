import type { KeyObject } from 'node:crypto';
import type { TransparencyLogEntry } from '@sigstore/bundle';
import type { X509Certificate } from '@sigstore/core';
import { VerificationError as LibraryError, type SignedEntity, Verifier } from '@sigstore/verify';
import { withoutScts } from '../certificate/library-certificate.ts';
import type { PinnedRoot } from '../trusted-root/trust-material.ts';
import type { SignedContent } from './signed-content.ts';
import type { SignedTime } from './signed-time.ts';
import { VerificationError, type VerificationErrorCode } from './verification-error.ts';

/** What the library cannot tell apart by its code is told apart by our own rules, which run first. */
const CODES: Readonly<Record<string, VerificationErrorCode>> = {
  TIMESTAMP_ERROR: 'timestamp.invalid',
  PUBLIC_KEY_ERROR: 'key.mismatch',
  TLOG_ERROR: 'log_entry.duplicate',
  TLOG_BODY_ERROR: 'log_entry.mismatch',
  TLOG_INCLUSION_PROOF_ERROR: 'log_entry.inclusion_proof_invalid',
  TLOG_INCLUSION_PROMISE_ERROR: 'log_entry.set_invalid',
  TLOG_MISSING_INCLUSION_ERROR: 'log_entry.inclusion_proof_missing',
  SIGNATURE_ERROR: 'signature.invalid',
};

/** Who signed, for the library. */
export type LibrarySigner = { readonly certificate: X509Certificate } | { readonly key: KeyObject };

/**
 * Has @sigstore/verify verify chain, certificate timestamps, signed entry timestamps, proofs, timestamps and signature
 * over again, against the pinned material. Its own identity policy is not used: it matches unanchored patterns.
 * @throws VerificationError with the code of the part that failed
 */
export function assertLibraryAgrees(
  signer: LibrarySigner,
  content: SignedContent,
  entries: readonly TransparencyLogEntry[],
  times: readonly SignedTime[],
  root: PinnedRoot,
): void {
  const byCertificate = 'certificate' in signer;
  const entity: SignedEntity = {
    signature: {
      signature: content.signature,
      compareSignature: (signature) => content.signature.equals(signature),
      compareDigest: (digest) => (content.envelope?.payloadDigest ?? content.signedDigest).equals(digest),
      compareSignedDigest: (digest) => content.signedDigest.equals(digest),
      verifySignature: (key) => content.isSignedBy(key),
    },
    key: byCertificate
      ? {
          $case: 'certificate',
          certificate: root.demandsSct ? signer.certificate : withoutScts(signer.certificate),
        }
      : { $case: 'public-key', hint: '' },
    tlogEntries: [...entries],
    timestamps: times.map((signed) =>
      signed.by === 'log'
        ? { $case: 'transparency-log', tlogEntry: signed.entry as TransparencyLogEntry }
        : { $case: 'timestamp-authority', timestamp: signed.timestamp },
    ),
  };
  const material = byCertificate
    ? root.library
    : { ...root.library, publicKey: () => ({ publicKey: signer.key, validFor: () => true }) };
  // A key does not expire, so its signature needs no time that somebody vouches for.
  const verifier = new Verifier(material, {
    tlogThreshold: 1,
    ctlogThreshold: root.demandsSct ? 1 : 0,
    timestampThreshold: byCertificate ? 1 : 0,
  });
  try {
    verifier.verify(entity);
  } catch (error) {
    throw translated(error);
  }
}

function translated(error: unknown): VerificationError {
  if (error instanceof VerificationError) return error;
  if (!(error instanceof LibraryError)) {
    return new VerificationError('bundle.unverifiable', 'the bundle could not be verified', { cause: error });
  }
  const code = error.code === 'CERTIFICATE_ERROR' ? certificateCode(error) : CODES[error.code];
  return new VerificationError(code ?? 'bundle.unverifiable', error.message, { cause: error });
}

/** Chain and certificate timestamps share one code; only the chain's error has the reason of each authority. */
function certificateCode(error: LibraryError): VerificationErrorCode {
  return /SCT/.test(error.message) ? 'sct.invalid' : 'certificate.untrusted';
}
