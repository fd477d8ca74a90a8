import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Digest, isSha256Hex } from '@colophon/notation';
import { MAX_SIGNED_TEXT_BYTES, type SignedTextKind, signedTextKind } from '../signed-text/signed-text.ts';
import { VerificationError } from './verification-error.ts';

/** The artifact itself, or the hex SHA-256 of one that is too long to hold. */
export type Artifact = Uint8Array | HashedArtifact;

export type HashedArtifact = {
  readonly sha256: string;
  /** Of an artifact that is signed by such a digest. */
  readonly sha384?: string;
  readonly sha512?: string;
  /** What the bytes are; absent where nobody looked at them. */
  readonly kind?: SignedTextKind;
};

/**
 * Raw SHA-256 of an artifact.
 * @throws TypeError for a digest that is not 64 hex digits
 */
export function artifactDigest(artifact: Artifact): Uint8Array {
  if (artifact instanceof Uint8Array) return createHash('sha256').update(artifact).digest();
  if (!isSha256Hex(artifact.sha256.toLowerCase())) throw new TypeError('a SHA-256 digest is 64 hex digits');
  return Buffer.from(artifact.sha256, 'hex');
}

/**
 * The digest of an artifact by an algorithm.
 * @throws VerificationError `artifact.bytes_required` where it is known by other digests only
 */
export function artifactDigestBy(algorithm: Digest['algorithm'], artifact: Artifact): Buffer {
  if (artifact instanceof Uint8Array) return createHash(algorithm).update(artifact).digest();
  if (algorithm === 'sha256') return Buffer.from(artifactDigest(artifact));
  const hex = artifact[algorithm];
  if (hex !== undefined) return Buffer.from(hex, 'hex');
  throw new VerificationError(
    'artifact.bytes_required',
    `the artifact was signed by its ${algorithm}, which is needed`,
  );
}

/**
 * Hashes a file of any length and says what it is, holding little of it at a time.
 * @param also by which digest beside SHA-256.
 */
export async function hashFile(
  path: string,
  also: Digest['algorithm'] = 'sha256',
): Promise<HashedArtifact & { readonly kind: SignedTextKind }> {
  const hashes = [...new Set(['sha256', also] as const)].map((name) => ({ name, hash: createHash(name) }));
  const { kind } = await readChunks(path, (chunk) => {
    for (const { hash } of hashes) hash.update(chunk);
  });
  const digests = hashes.map(({ name, hash }) => [name, hash.digest('hex')]);
  return { ...(Object.fromEntries(digests) as HashedArtifact), kind };
}

/** Reads a file once, little by little, and says what it is: of the very bytes that `take` was given. */
export async function readChunks(
  path: string,
  take: (chunk: Uint8Array) => void,
): Promise<{ readonly kind: SignedTextKind }> {
  const head: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    if (length <= MAX_SIGNED_TEXT_BYTES) head.push(chunk as Uint8Array);
    length += (chunk as Uint8Array).length;
    take(chunk as Uint8Array);
  }
  return { kind: signedTextKind(Buffer.concat(head)) };
}

/**
 * Holds when the artifact is what its signature is taken for: a file, say, and not the signed text of an attestation
 * that somebody lays before us as a file. A digest that nobody saw the bytes of passes.
 * @throws VerificationError `artifact.other_kind`
 */
export function assertKind(artifact: Artifact, expected: SignedTextKind): void {
  const found = artifact instanceof Uint8Array ? signedTextKind(artifact) : (artifact.kind ?? expected);
  if (found === expected) return;
  throw new VerificationError('artifact.other_kind', 'these bytes are the signed text of another kind of signature', {
    expected,
    found,
  });
}
