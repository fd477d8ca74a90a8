import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The artifact itself, or the hex SHA-256 of one that is too long to hold. */
export type Artifact = Uint8Array | { readonly sha256: string };

/**
 * Raw SHA-256 of an artifact.
 * @throws TypeError for a digest that is not 64 hex digits
 */
export function artifactDigest(artifact: Artifact): Uint8Array {
  if (artifact instanceof Uint8Array) return createHash('sha256').update(artifact).digest();
  if (!/^[0-9a-f]{64}$/i.test(artifact.sha256)) throw new TypeError('a SHA-256 digest is 64 hex digits');
  return Buffer.from(artifact.sha256, 'hex');
}

/** Hashes a file of any length, holding little of it at a time. */
export async function hashFile(path: string): Promise<{ sha256: string }> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) hash.update(chunk as Uint8Array);
  return { sha256: hash.digest('hex') };
}
