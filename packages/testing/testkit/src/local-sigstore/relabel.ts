import { type KeyObject, sign } from 'node:crypto';
import type { JsonValue } from '@colophon/json';
import { spkiOf, toPem } from './certificate-writer.ts';
import { type BundleJson, logged, sha256 } from './draft-bundle.ts';
import { type Claims, type LocalSigstore, newKeys } from './local-sigstore.ts';

/** A signature over a text, and who made it: all that an adversary without keys has to work with. */
export type Signed = {
  readonly text: Buffer;
  readonly signature: Buffer;
  readonly publicKey: KeyObject;
  /** Absent for a key of one's own. */
  readonly certificate?: Buffer;
};

/**
 * How the signature is logged: in Rekor v1 as what it is, in Rekor v1 as what it is shown as (anybody may log a
 * signature again), or in Rekor v2.
 */
export type Logged = 'v1' | 'v1 again' | 'v2';

export type Content = 'message' | 'envelope';

export function signText(
  local: LocalSigstore,
  text: Buffer,
  { keyed = false, claims }: { readonly keyed?: boolean; readonly claims?: Claims } = {},
): Signed {
  const { privateKey, publicKey } = newKeys();
  const made = { text, signature: sign('sha256', text, privateKey), publicKey };
  return keyed ? made : { ...made, certificate: local.issue(publicKey, claims === undefined ? {} : { claims }) };
}

/** What the signer made it for. */
export function contentOf({ text }: Signed): Content {
  return text.subarray(0, 7).toString() === 'DSSEv1 ' ? 'envelope' : 'message';
}

/**
 * A bundle that shows the signature as one over a message or over an envelope.
 * @param payload of the envelope, where the text is none itself.
 */
export function relabel(
  local: LocalSigstore,
  signed: Signed,
  content: Content,
  how: Logged,
  payload: Uint8Array = Buffer.from('{}'),
): BundleJson {
  const envelope = envelopeIn(signed.text) ?? { payloadType: 'application/vnd.in-toto+json', payload };
  const { signature, certificate, publicKey } = signed;
  const spki = spkiOf(publicKey);
  const isLoggedAs = how === 'v1' ? contentOf(signed) : content;
  const tlogEntries = [
    how === 'v2' ? loggedInV2(local, signed) : logged(local, bodyOf(signed, isLoggedAs, Buffer.from(envelope.payload))),
  ];
  const timestamps = { rfc3161Timestamps: [{ signedTimestamp: local.timestamp(signature).toString('base64') }] };
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: {
      ...(certificate === undefined
        ? { publicKey: { hint: b64(sha256(spki)) } }
        : { certificate: { rawBytes: b64(certificate) } }),
      tlogEntries,
      ...(how === 'v2' ? { timestampVerificationData: timestamps } : {}),
    },
    ...(content === 'message'
      ? { messageSignature: { signature: b64(signature) } }
      : {
          dsseEnvelope: {
            payloadType: envelope.payloadType,
            payload: b64(envelope.payload),
            signatures: [{ sig: b64(signature) }],
          },
        }),
  };
}

/** Takes the pre-authentication encoding of an envelope apart. */
function envelopeIn(text: Buffer): { payloadType: string; payload: Buffer } | undefined {
  const found = /^DSSEv1 \d+ (\S+) \d+ /.exec(text.subarray(0, 200).toString('latin1'));
  return found === null ? undefined : { payloadType: found[1] as string, payload: text.subarray(found[0].length) };
}

function bodyOf(signed: Signed, content: Content, payload: Buffer): JsonValue {
  const { text, signature } = signed;
  const verifier = b64(pemOf(signed));
  if (content === 'message') {
    const hash = { algorithm: 'sha256', value: sha256(text).toString('hex') };
    const spec = { data: { hash }, signature: { content: b64(signature), publicKey: { content: verifier } } };
    return { apiVersion: '0.0.1', kind: 'hashedrekord', spec };
  }
  const payloadHash = { algorithm: 'sha256', value: sha256(payload).toString('hex') };
  return {
    apiVersion: '0.0.1',
    kind: 'dsse',
    spec: { payloadHash, signatures: [{ signature: b64(signature), verifier }] },
  };
}

function loggedInV2(local: LocalSigstore, { text, signature, certificate, publicKey }: Signed): BundleJson {
  const rawBytes = b64(certificate ?? spkiOf(publicKey));
  const verifier = {
    keyDetails: 'PKIX_ECDSA_P256_SHA_256',
    ...(certificate === undefined ? { publicKey: { rawBytes } } : { x509Certificate: { rawBytes } }),
  };
  return local.logInV2({ digest: b64(sha256(text)), signature: { content: b64(signature), verifier } });
}

export function pemOf({ certificate, publicKey }: Signed): string {
  return certificate === undefined ? toPem(spkiOf(publicKey), 'PUBLIC KEY') : toPem(certificate);
}

const b64 = (bytes: Uint8Array | string) => Buffer.from(bytes as Uint8Array).toString('base64');
