import type { JsonObject } from '@colophon/json';
import type { Digest } from '@colophon/notation';
import { IN_TOTO_PAYLOAD_TYPE } from '@colophon/records';
import { DIGEST_NAMES } from '../bundle/message-digest.ts';
import { BUNDLE_V03_MEDIA_TYPE } from '../bundle/parse-bundle.ts';
import type { LogEntryJson } from '../rekor/log-entry-json.ts';

/** The parts of a bundle of version 0.3. */
export type BundleParts = {
  readonly signer: { readonly certificate: Buffer } | { readonly keyHint: string };
  readonly content: JsonObject;
  readonly logEntry: LogEntryJson;
  readonly timestamp?: Buffer | undefined;
};

/** Content of a bundle: a signature over an artifact. */
export function messageContent(signature: Buffer, digest: Buffer, algorithm: Digest['algorithm']): JsonObject {
  const messageDigest = { algorithm: DIGEST_NAMES[algorithm], digest: digest.toString('base64') };
  return { messageSignature: { messageDigest, signature: signature.toString('base64') } };
}

/** Content of a bundle: a DSSE envelope around a statement, with its one signature. */
export function envelopeContent(payload: Uint8Array, signature: Buffer): { readonly dsseEnvelope: JsonObject } {
  const dsseEnvelope = {
    payload: Buffer.from(payload).toString('base64'),
    payloadType: IN_TOTO_PAYLOAD_TYPE,
    signatures: [{ sig: signature.toString('base64') }],
  };
  return { dsseEnvelope };
}

/** The JSON bytes of a bundle. */
export function writeBundle({ signer, content, logEntry, timestamp }: BundleParts): Buffer {
  const timestamps = timestamp && { rfc3161Timestamps: [{ signedTimestamp: timestamp.toString('base64') }] };
  return Buffer.from(
    JSON.stringify({
      mediaType: BUNDLE_V03_MEDIA_TYPE,
      verificationMaterial: {
        ...('certificate' in signer
          ? { certificate: { rawBytes: signer.certificate.toString('base64') } }
          : { publicKey: { hint: signer.keyHint } }),
        tlogEntries: [logEntry],
        ...(timestamps && { timestampVerificationData: timestamps }),
      },
      ...content,
    }),
  );
}
