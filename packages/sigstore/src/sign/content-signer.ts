import { createHash, createSign, type KeyObject, sign } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { p256 } from '@noble/curves/nist.js';
import { type Artifact, artifactDigest } from '../verify/artifact.ts';

/** An artifact that is signed: held in memory, in a file of any length, or known by its SHA-256 only. */
export type ArtifactToSign = Artifact | { readonly path: string };

export type SignedDigest = { readonly signature: Buffer; readonly digest: Buffer };

/**
 * Signs with SHA-256: ECDSA in DER, or RSASSA-PKCS1-v1_5. A file is read once, little by little.
 * @param isEphemeral a key that is used once; only with such a one is a bare digest signed.
 * @throws TypeError for a bare digest with a lasting key
 */
export async function signArtifact(
  artifact: ArtifactToSign,
  privateKey: KeyObject,
  isEphemeral: boolean,
): Promise<SignedDigest> {
  if (artifact instanceof Uint8Array) {
    return { signature: sign('sha256', artifact, privateKey), digest: Buffer.from(artifactDigest(artifact)) };
  }
  if ('path' in artifact) return signFile(artifact.path, privateKey);
  // node:crypto signs no digests. The library that does takes no care to hide a key's bits from a clock, which does
  // not matter to a key that is gone a moment later.
  if (!isEphemeral) throw new TypeError('give the artifact itself: a lasting key signs no bare digest');
  const digest = Buffer.from(artifactDigest(artifact));
  const secret = Buffer.from(privateKey.export({ format: 'jwk' }).d as string, 'base64url');
  return { signature: Buffer.from(p256.sign(digest, secret, { prehash: false, format: 'der' })), digest };
}

async function signFile(path: string, privateKey: KeyObject): Promise<SignedDigest> {
  const signer = createSign('sha256');
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    signer.update(chunk as Buffer);
    hash.update(chunk as Buffer);
  }
  return { signature: signer.sign(privateKey), digest: hash.digest() };
}
