import { createHash, type KeyObject, verify } from 'node:crypto';
import type { Digest } from '@colophon/notation';
import { dsse } from '@sigstore/core';
import { MESSAGE_DIGESTS } from '../bundle/message-digest.ts';
import type { ParsedBundle } from '../bundle/parse-bundle.ts';
import { isOnNistCurve } from '../ecdsa/ecdsa-digest.ts';
import type { SignedTextKind } from '../signed-text/signed-text.ts';
import { type Artifact, artifactDigestBy, assertKind } from './artifact.ts';
import { digestsOfKey, verifiesDigests, verifyDigestSignature } from './digest-signature.ts';
import { VerificationError } from './verification-error.ts';

/** What a bundle's signature is over. */
export type SignedContent = {
  readonly signature: Buffer;
  /** Of the bytes that were signed: the artifact, or the pre-authentication encoding of an envelope. */
  readonly signedDigest: Buffer;
  /** By which it was made; that of an envelope is a SHA-256. */
  readonly digestAlgorithm: Digest['algorithm'];
  /** The envelope's payload, with the SHA-256 that a log keeps of it. */
  readonly envelope?: { readonly payloadType: string; readonly payload: Buffer; readonly payloadDigest: Buffer };
  /** @throws VerificationError `artifact.bytes_required`, `bundle.malformed` where keys of the kind sign by another digest */
  isSignedBy(key: KeyObject): boolean;
};

/**
 * Holds the artifact against what the bundle says of it, and says what the signature must be over.
 * @param kind what the artifact of a message signature must be.
 * @throws VerificationError `artifact.missing`, `artifact.other_kind`, `artifact.mismatch`
 */
export function signedContentOf(
  content: ParsedBundle['content'],
  artifact: Artifact | undefined,
  kind: SignedTextKind = 'file',
): SignedContent {
  if (content.$case === 'dsseEnvelope') return envelopeContent(content.dsseEnvelope);
  return messageContent(content, artifact, kind);
}

function envelopeContent({ payloadType, payload, signatures }: EnvelopeOf): SignedContent {
  const signature = signatures[0]?.sig as Buffer;
  const signed = dsse.preAuthEncoding(payloadType, payload);
  return {
    signature,
    signedDigest: sha256(signed),
    digestAlgorithm: 'sha256',
    envelope: { payloadType, payload, payloadDigest: sha256(payload) },
    isSignedBy: once((key) => verifyBytes(signed, key, signature)),
  };
}
type EnvelopeOf = Extract<ParsedBundle['content'], { $case: 'dsseEnvelope' }>['dsseEnvelope'];

function messageContent(
  { messageSignature: { signature, messageDigest } }: Extract<ParsedBundle['content'], { $case: 'messageSignature' }>,
  artifact: Artifact | undefined,
  kind: SignedTextKind,
): SignedContent {
  if (artifact === undefined) {
    throw new VerificationError(
      'artifact.missing',
      'the bundle is a signature over an artifact, and no artifact is given',
    );
  }
  assertKind(artifact, kind);
  const digestAlgorithm = messageDigest === undefined ? 'sha256' : MESSAGE_DIGESTS[messageDigest.algorithm];
  if (digestAlgorithm === undefined) throw otherDigest('SHA2_256', 'none');
  const signedDigest = artifactDigestBy(digestAlgorithm, artifact);
  if (digestAlgorithm !== 'sha256' && signedDigest.length !== messageDigest?.digest.length) {
    throw otherDigest(digestAlgorithm, 'another length');
  }
  // The bundle's own digest is only a hint, yet one that contradicts the artifact is a bundle about something else.
  if (messageDigest !== undefined && !signedDigest.equals(messageDigest.digest)) {
    throw new VerificationError('artifact.mismatch', 'the bundle is about another artifact', {
      expected: `${digestAlgorithm}:${signedDigest.toString('hex')}`,
      found: `${digestAlgorithm}:${messageDigest.digest.toString('hex')}`,
    });
  }
  return {
    signature,
    signedDigest,
    digestAlgorithm,
    isSignedBy: once((key) => {
      const usual = digestsOfKey(key);
      if (!usual.includes(digestAlgorithm)) throw otherDigest(usual.join(' or '), digestAlgorithm);
      // node:crypto verifies ECDSA by itself where it has the message, and a digest of it at three times the cost.
      const isAtHand = artifact instanceof Uint8Array;
      if (isAtHand && isOnNistCurve(key)) return verifyBytes(artifact, key, signature, digestAlgorithm);
      if (verifiesDigests(key, digestAlgorithm)) {
        return verifyDigestSignature(key, { algorithm: digestAlgorithm, hex: signedDigest.toString('hex') }, signature);
      }
      if (isAtHand) return verifyBytes(artifact, key, signature);
      throw new VerificationError(
        'artifact.bytes_required',
        'a signature by this kind of key needs the artifact itself',
      );
    }),
  };
}

/** Remembers the verdict on the last key: our own rules and the library ask for the same one. */
function once(verify: (key: KeyObject) => boolean): (key: KeyObject) => boolean {
  let last: { readonly key: KeyObject; readonly verdict: boolean } | undefined;
  return (key) => {
    if (!last?.key.equals(key)) last = { key, verdict: verify(key) };
    return last.verdict;
  };
}

function verifyBytes(
  signed: Uint8Array,
  key: KeyObject,
  signature: Uint8Array,
  algorithm: Digest['algorithm'] = 'sha256',
): boolean {
  try {
    return verify(key.asymmetricKeyType === 'ed25519' ? null : algorithm, signed, key, signature);
  } catch {
    return false;
  }
}

function otherDigest(expected: string, found: string): VerificationError {
  const reason = 'the bundle is signed by a digest that is not used with this key';
  return new VerificationError('bundle.malformed', reason, { expected, found });
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}
