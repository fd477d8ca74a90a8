import { createHash } from 'node:crypto';
import { formatPem } from '@colophon/encoding';
import { canonicalJson } from '@colophon/json';
import type { CertificateIdentity } from '@colophon/records';
import { BUNDLE_V03_MEDIA_TYPE } from '../bundle/parse-bundle.ts';
import { readCertificateIdentity } from '../certificate/certificate-identity.ts';
import type { TrustMaterial } from '../trusted-root/trust-material.ts';
import { VerificationError } from '../verify/verification-error.ts';
import { type BundleVerification, verifyBundle } from '../verify/verify-bundle.ts';
import { bundleEntryOfMessage } from './log-entry-message.ts';
import { parseSignedMessage, type SignedMessage } from './signed-message.ts';

/**
 * Reads whom a commit's signature names. Nothing is verified here.
 * @param armoured the commit's `gpgsig`, by gitsign.
 * @throws VerificationError `signature.malformed`, and those of readCertificateIdentity
 */
export function readCommitSigner(armoured: string): CertificateIdentity {
  return readCertificateIdentity(parseSignedMessage(armoured).certificate);
}

export type VerifyCommitOptions = {
  /** The commit's `gpgsig`, by gitsign. */
  readonly armoured: string;
  /** The commit's raw bytes without that header. */
  readonly signed: Uint8Array;
  readonly trust: TrustMaterial;
};

/**
 * Verifies the signature that gitsign wrote into a commit, with its log entry (`gitsign.rekorMode` offline), as
 * verifyBundle does: content, signature, certificate, chain, log, time. Who may sign is for the caller to decide. Opens
 * no connection, so a signature whose entry is only in the log (rekorMode online) is refused.
 * @throws VerificationError `signature.malformed`, `artifact.mismatch` (the commit says something else than was signed),
 * `log_entry.missing`, and those of verifyBundle
 * @see contract §4.5
 */
export function verifyCommit({ armoured, signed, trust }: VerifyCommitOptions): BundleVerification {
  const message = parseSignedMessage(armoured);
  const digest = createHash('sha256').update(signed).digest();
  if (!digest.equals(message.messageDigest)) {
    throw new VerificationError('artifact.mismatch', 'the signature is about another commit', {
      expected: Buffer.from(message.messageDigest).toString('hex'),
      found: digest.toString('hex'),
    });
  }
  const bundle = Buffer.from(JSON.stringify(bundleOf(message)));
  return verifyBundle({
    bundle,
    artifact: message.signedAttributes,
    artifactKind: 'commit',
    trust,
    policy: 'gated-elsewhere',
  });
}

function bundleOf(message: SignedMessage) {
  const { certificate, signedAttributes, signature, logEntry } = message;
  if (logEntry === undefined) {
    throw new VerificationError(
      'log_entry.missing',
      'the signature carries no log entry (gitsign.rekorMode is online)',
    );
  }
  const digest = createHash('sha256').update(signedAttributes).digest();
  return {
    mediaType: BUNDLE_V03_MEDIA_TYPE,
    verificationMaterial: {
      certificate: { rawBytes: Buffer.from(certificate).toString('base64') },
      tlogEntries: [bundleEntryOfMessage(logEntry, bodyOf(digest, message))],
    },
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: digest.toString('base64') },
      signature: Buffer.from(signature).toString('base64'),
    },
  };
}

/** What the log hashed: gitsign leaves it out because it follows from the rest. */
function bodyOf(digest: Buffer, { certificate, signature }: SignedMessage): Uint8Array {
  return canonicalJson({
    apiVersion: '0.0.1',
    kind: 'hashedrekord',
    spec: {
      data: { hash: { algorithm: 'sha256', value: digest.toString('hex') } },
      signature: {
        content: Buffer.from(signature).toString('base64'),
        publicKey: { content: Buffer.from(formatPem('CERTIFICATE', certificate)).toString('base64') },
      },
    },
  });
}
