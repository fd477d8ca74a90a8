/** A log's signed promise that a certificate is in it (RFC 6962 §3.2). */
export type SignedCertificateTimestamp = {
  /** SHA-256 over the log's SubjectPublicKeyInfo. */
  readonly logId: Uint8Array;
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  /** ECDSA over P-256 with SHA-256, DER. */
  readonly signature: Uint8Array;
};

/** What a log entry is about. */
export type CertificateEntry =
  | { readonly kind: 'x509'; readonly certificate: Uint8Array }
  | { readonly kind: 'precert'; readonly issuerKeyHash: Uint8Array; readonly tbs: Uint8Array };

/**
 * MerkleTreeLeaf with its TimestampedEntry (RFC 6962 §3.4). What a timestamp's signature covers (§3.2) happens to be
 * the same bytes: the two structures differ in the meaning of the second byte only, which is 0 in both.
 */
export function encodeLeaf(timestamp: number, entry: CertificateEntry): Uint8Array {
  const signed =
    entry.kind === 'x509'
      ? [encodeUint(0, 2), encodeVector(entry.certificate, 3)]
      : [encodeUint(1, 2), entry.issuerKeyHash, encodeVector(entry.tbs, 3)];
  return concat(Uint8Array.of(0, 0), encodeUint(timestamp, 8), ...signed, encodeVector(new Uint8Array(), 2));
}

/** What a tree head's signature covers (RFC 6962 §3.5). */
export function encodeTreeHead({
  timestamp,
  size,
  root,
}: {
  timestamp: number;
  size: number;
  root: Uint8Array;
}): Uint8Array {
  return concat(Uint8Array.of(0, 1), encodeUint(timestamp, 8), encodeUint(size, 8), root);
}

/** X509ChainEntry's chain, or the whole PrecertChainEntry (RFC 6962 §4.6). */
export function encodeExtraData(precertificate: Uint8Array | undefined, chain: readonly Uint8Array[]): Uint8Array {
  const certificates = encodeVector(concat(...chain.map((certificate) => encodeVector(certificate, 3))), 3);
  return precertificate === undefined ? certificates : concat(encodeVector(precertificate, 3), certificates);
}

/** The `digitally-signed` form of RFC 5246 §4.7: SHA-256, ECDSA. */
export function encodeDigitallySigned(signature: Uint8Array): Uint8Array {
  return concat(Uint8Array.of(4, 3), encodeVector(signature, 2));
}

/** SignedCertificateTimestampList (RFC 6962 §3.3). */
export function encodeTimestampList(timestamps: readonly SignedCertificateTimestamp[]): Uint8Array {
  return encodeVector(concat(...timestamps.map((timestamp) => encodeVector(encodeTimestamp(timestamp), 2))), 2);
}

function encodeTimestamp({ logId, timestamp, signature }: SignedCertificateTimestamp): Uint8Array {
  return concat(
    Uint8Array.of(0),
    logId,
    encodeUint(timestamp, 8),
    encodeVector(new Uint8Array(), 2),
    encodeDigitallySigned(signature),
  );
}

function encodeVector(content: Uint8Array, lengthBytes: number): Uint8Array {
  return concat(encodeUint(content.length, lengthBytes), content);
}

function encodeUint(value: number, bytes: number): Uint8Array {
  const out = new Uint8Array(8);
  new DataView(out.buffer).setBigUint64(0, BigInt(value));
  return out.subarray(8 - bytes);
}

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
