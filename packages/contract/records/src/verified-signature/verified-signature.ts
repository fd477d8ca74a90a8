import type { CertificateIdentity } from '../certificate-identity/certificate-identity.ts';
import type { bundleLogEntry, logEntry } from '../result/result-parts.ts';
import type { ResultOf } from '../result/result-schema.ts';
import type { Statement } from '../statement/statement.ts';

/** How a signature is attached to an image: as a bundle, or under the tag `.sig` or `.att` of the older format. */
export const ATTACHMENT_FORMATS = ['bundle', 'older-signature', 'older-attestation'] as const;
export type AttachmentFormat = (typeof ATTACHMENT_FORMATS)[number];

/** Where the log holds the signature. */
export type LogEntry = ResultOf<typeof logEntry>;

/** The same of a bundle: a signature by a bare key may be without a time. */
export type BundleLogEntry = ResultOf<typeof bundleLogEntry>;

/**
 * A signature whose cryptography, chain, timestamp and log entry were all verified against pinned trust material.
 * Whether its identity is one that somebody accepts is a question of policy, and not answered by this type.
 */
export type VerifiedSignature = {
  readonly certificate_identity: CertificateIdentity;
  /** Digest of what was signed (a blob), or of the image manifest that a signature names. */
  readonly artifact_digest?: string;
  /** Present for an attestation. */
  readonly statement?: Statement;
  /** Where it was found on an image. */
  readonly format?: AttachmentFormat;
  /** Digest of the bundle's bytes: its name in an evidence store. */
  readonly bundle_digest?: string;
  /**
   * RFC 3339 with Z: from when on the certificate is valid. The signature was made no earlier, whenever somebody had it
   * logged or timestamped again.
   */
  readonly certified_at?: string;
  readonly log_entry: LogEntry;
};

/** A signature that was found but does not count, and why. */
export type RejectedSignature = {
  readonly code: string;
  readonly message: string;
  readonly predicate_type?: string;
  /** Whose word it is, where all but what it says could be verified; for whoever looks for what may be a no. */
  readonly signer?: CertificateIdentity;
  /** What the signer says, where it could be read and only its time is missing. */
  readonly statement?: Statement;
};

/** The same for people and results: what nobody could read is no verified word of anybody. */
export function withoutSigner({ signer: _, statement: __, ...shown }: RejectedSignature): RejectedSignature {
  return shown;
}
