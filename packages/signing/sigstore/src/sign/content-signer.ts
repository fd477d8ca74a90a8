import { createHash, createSign, type KeyObject } from 'node:crypto';
import type { Digest } from '@colophon/notation';
import { signEd25519ph } from '../ed25519ph/ed25519ph.ts';
import { type SignedTextKind, signedTextKind } from '../signed-text/signed-text.ts';
import { type HashedArtifact, readChunks } from '../verify/artifact.ts';
import { digestsOfKey } from '../verify/digest-signature.ts';
import { SigningError } from './signing-error.ts';

/**
 * An artifact that is signed: held in memory, or in a file of any length. A bare digest is none, because nobody could
 * say what is signed.
 */
export type ArtifactToSign = Uint8Array | { readonly path: string };

export type SignedDigest = {
  readonly signature: Buffer;
  readonly digest: Buffer;
  readonly digestAlgorithm: Digest['algorithm'];
  /** The artifact by this digest, and by SHA-256. */
  readonly artifact: HashedArtifact;
};

/**
 * Signs by the usual digest of the key: ECDSA in DER, RSASSA-PKCS1-v1_5, or Ed25519ph. A file is read once, little by
 * little, and judged by the very bytes that are signed.
 * @param kind what the bytes must be: a signature over anything else could be shown as one of another kind.
 * @throws SigningError `signing.artifact_other_kind`
 */
export async function signArtifact(
  artifact: ArtifactToSign,
  privateKey: KeyObject,
  kind: SignedTextKind = 'file',
): Promise<SignedDigest> {
  const signer = contentSigner(privateKey);
  if (artifact instanceof Uint8Array) {
    assertKind(signedTextKind(artifact), kind);
    signer.update(artifact);
  } else {
    const read = await readChunks(artifact.path, signer.update);
    assertKind(read.kind, kind);
  }
  return signer.sign();
}

function contentSigner(privateKey: KeyObject): { update(chunk: Uint8Array): void; sign(): SignedDigest } {
  const [digestAlgorithm = 'sha256'] = digestsOfKey(privateKey);
  const isPrehashed = privateKey.asymmetricKeyType === 'ed25519';
  const signer = isPrehashed ? undefined : createSign(digestAlgorithm);
  const names = [...new Set(['sha256', digestAlgorithm] as const)];
  const hashes = names.map((name) => ({ name, hash: createHash(name) }));
  return {
    update(chunk) {
      signer?.update(chunk);
      for (const { hash } of hashes) hash.update(chunk);
    },
    sign() {
      const digests = hashes.map(({ name, hash }) => [name, hash.digest('hex')]);
      const artifact = Object.fromEntries(digests) as HashedArtifact;
      const digest = Buffer.from(artifact[digestAlgorithm] as string, 'hex');
      const signature = signer?.sign(privateKey) ?? signEd25519ph(digest, privateKey);
      return { signature, digest, digestAlgorithm, artifact };
    },
  };
}

const INSTEAD: Readonly<Record<SignedTextKind, string>> = {
  envelope: 'the encoding of an attestation: attest the statement itself',
  image: 'the payload of an image signature: sign the image itself',
  commit: 'the attributes of a signed message: have git sign the commit',
  file: 'a file',
};

function assertKind(found: SignedTextKind, expected: SignedTextKind): void {
  if (found === expected) return;
  throw new SigningError(
    'signing.artifact_other_kind',
    `these bytes are not signed as they are; they are ${INSTEAD[found]}`,
  );
}
