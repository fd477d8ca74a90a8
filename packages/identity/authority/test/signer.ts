import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { preAuthenticationEncoding } from '@colophon/encoding';
import type { JsonObject } from '@colophon/json';

export type Signer = { readonly privateKey: KeyObject; readonly publicKey: KeyObject; readonly pem: string };

export function makeSigner(
  kind: 'P-256' | 'P-384' | 'P-521' | 'secp256k1' | 'rsa' | 'ed25519' = 'P-256',
  bits = 2048,
): Signer {
  const { privateKey, publicKey } =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: bits })
      : kind === 'ed25519'
        ? generateKeyPairSync('ed25519')
        : generateKeyPairSync('ec', { namedCurve: kind });
  return { privateKey, publicKey, pem: publicKey.export({ type: 'spki', format: 'pem' }) as string };
}

export function proofOver({ privateKey }: Signer, subject: string, digest: string | null = 'sha256'): Uint8Array {
  return sign(digest, Buffer.from(subject), privateKey);
}

export const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');
export const sha256Hex = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

export function hashedRekordOf(signer: Signer, artifact: string, pem = signer.pem): JsonObject {
  return {
    apiVersion: '0.0.1',
    kind: 'hashedrekord',
    spec: {
      data: { hash: { algorithm: 'sha256', value: sha256Hex(artifact) } },
      signature: { content: base64(proofOver(signer, artifact)), publicKey: { content: base64(pem) } },
    },
  };
}

export const STATEMENT = {
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'app', digest: { sha256: 'ab'.repeat(32) } }],
  predicateType: 'https://example.com/p/v1',
  predicate: { materials: [{ uri: 'x', digest: { sha1: 'cd'.repeat(20) } }] },
};

export function envelopeOf(signers: readonly Signer[], payload: unknown = STATEMENT) {
  const payloadType = 'application/vnd.in-toto+json';
  const bytes = Buffer.from(JSON.stringify(payload));
  const message = preAuthenticationEncoding({ payloadType, payload: bytes });
  return {
    payload: base64(bytes),
    payloadType,
    signatures: signers.map(({ privateKey }) => ({
      keyid: '',
      sig: base64(sign(privateKey.asymmetricKeyType === 'ed25519' ? null : 'sha256', message, privateKey)),
    })),
  };
}

export function dsseOf(signers: readonly Signer[], envelope: string = JSON.stringify(envelopeOf(signers))): JsonObject {
  return {
    apiVersion: '0.0.1',
    kind: 'dsse',
    spec: { proposedContent: { envelope, verifiers: signers.map(({ pem }) => base64(pem)) } },
  };
}
