import type { CertificateIdentity } from '../certificate-identity/certificate-identity.ts';
import type { Statement } from '../statement/statement.ts';

/** Where the log holds the signature. */
export type LogReference = {
  readonly logIndex: number;
  /** Hex. */
  readonly logId: string;
  /** RFC 3339 with Z: the time that the log (or a timestamp authority) vouches for. */
  readonly integratedAt: string;
};

/**
 * A signature whose cryptography, chain, timestamp and log entry were all verified against pinned trust material.
 * Whether its identity is one that somebody accepts is a question of policy, and not answered by this type.
 */
export type VerifiedSignature = {
  readonly identity: CertificateIdentity;
  /** Lower-case hex SHA-256 of what was signed (a blob), or of the image manifest that a signature names. */
  readonly artifactSha256?: string;
  /** Present for an attestation. */
  readonly statement?: Statement;
  /** Where it was found on an image: a bundle, or under the tag `.sig` or `.att` of the older format. */
  readonly format?: 'bundle' | 'older-signature' | 'older-attestation';
  /** Lower-case hex SHA-256 of the bundle's bytes: its name in an evidence store. */
  readonly bundleSha256?: string;
  /**
   * RFC 3339 with Z: from when on the certificate is valid. The signature was made no earlier, whenever somebody had it
   * logged or timestamped again.
   */
  readonly certifiedAt?: string;
  readonly log: LogReference;
};

/** A signature that was found but does not count, and why. */
export type RejectedSignature = {
  readonly code: string;
  readonly message: string;
  readonly predicateType?: string;
};
