import { createHash, createSign, type KeyObject, sign } from 'node:crypto';
import { type SignedTextKind, signedTextKind } from '../signed-text/signed-text.ts';
import { artifactDigest, readChunks } from '../verify/artifact.ts';
import { SigningError } from './signing-error.ts';

/**
 * An artifact that is signed: held in memory, or in a file of any length. A bare digest is none, because nobody could
 * say what is signed.
 */
export type ArtifactToSign = Uint8Array | { readonly path: string };

export type SignedDigest = { readonly signature: Buffer; readonly digest: Buffer };

/**
 * Signs with SHA-256: ECDSA in DER, or RSASSA-PKCS1-v1_5. A file is read once, little by little, and judged by the very
 * bytes that are signed.
 * @param kind what the bytes must be: a signature over anything else could be shown as one of another kind.
 * @throws SigningError `signing.artifact_other_kind`
 */
export async function signArtifact(
  artifact: ArtifactToSign,
  privateKey: KeyObject,
  kind: SignedTextKind = 'file',
): Promise<SignedDigest> {
  if (!(artifact instanceof Uint8Array)) return signFile(artifact.path, privateKey, kind);
  assertKind(signedTextKind(artifact), kind);
  return { signature: sign('sha256', artifact, privateKey), digest: Buffer.from(artifactDigest(artifact)) };
}

async function signFile(path: string, privateKey: KeyObject, kind: SignedTextKind): Promise<SignedDigest> {
  const signer = createSign('sha256');
  const hash = createHash('sha256');
  const read = await readChunks(path, (chunk) => {
    signer.update(chunk);
    hash.update(chunk);
  });
  assertKind(read.kind, kind);
  return { signature: signer.sign(privateKey), digest: hash.digest() };
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
