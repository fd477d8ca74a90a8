import { createHash, X509Certificate } from 'node:crypto';
import { decodeBase64, formatPem, parsePem } from '@colophon/encoding';
import { isJsonObject, type JsonObject } from '@colophon/json';
import { isSha256Hex } from '@colophon/notation';
import { parseBundleJson } from '../bundle/bundle-json.ts';
import { parseBundle } from '../bundle/parse-bundle.ts';
import { DSSE_ENVELOPE_TYPE, OLDER_ANNOTATIONS, SIMPLE_SIGNING_TYPE } from './attachment.ts';
import { ImageSignatureError } from './image-signature-error.ts';

/** A layer of the older format: what is signed, with everything about the signature in annotations. */
export type OlderLayer = {
  readonly mediaType: string;
  readonly content: Uint8Array;
  readonly annotations: Readonly<Record<string, string>>;
};

/** `byKey`: whether the reader has a key, so that what has no certificate may count. */
export type OlderReader = { readonly byKey?: boolean };

const V01_MEDIA_TYPE = 'application/vnd.dev.sigstore.bundle+json;version=0.1';

/** Whether a log promised (rather than only proved) its entry, as the older format needs; Rekor v2 does not. */
export function hasLogPromise(bundle: Uint8Array): boolean {
  const [entry] = parseBundle(bundle).logEntries;
  return entry?.inclusionPromise !== undefined;
}

/**
 * Writes a signature over `payload` in the older format.
 * @throws ImageSignatureError `image.promise_missing`
 */
export function olderSignatureLayer(payload: Uint8Array, bundle: Uint8Array): OlderLayer {
  const { content } = parseBundle(bundle);
  if (content.$case !== 'messageSignature') throw new TypeError('the bundle signs a statement, not a payload');
  return {
    mediaType: SIMPLE_SIGNING_TYPE,
    content: payload,
    annotations: {
      [OLDER_ANNOTATIONS.signature]: content.messageSignature.signature.toString('base64'),
      ...materialAnnotations(bundle),
    },
  };
}

/**
 * Writes an attestation in the older format. Its readers hold the envelope's bytes against the hash in the log, so the
 * layer is the very text that the log was shown.
 * @throws ImageSignatureError `image.promise_missing`, `image.envelope_not_logged`
 */
export function olderAttestationLayer(bundle: Uint8Array, predicateType: string): OlderLayer {
  const { content, logEntries } = parseBundle(bundle);
  if (content.$case !== 'dsseEnvelope') throw new TypeError('the bundle signs a payload, not a statement');
  const { payload, payloadType, signatures } = content.dsseEnvelope;
  const head = { payload: payload.toString('base64'), payloadType };
  const sig = signatures[0]!.sig.toString('base64');
  const keyid = signatures[0]!.keyid;
  const logged = envelopeHash(logEntries[0]?.canonicalizedBody);
  const text = [
    { ...head, signatures: [{ sig }] },
    { ...head, signatures: [{ sig, keyid }] },
    { ...head, signatures: [{ keyid, sig }] },
  ]
    .map((envelope) => JSON.stringify(envelope))
    .find((candidate) => logged === undefined || sha256Hex(candidate) === logged);
  if (text === undefined) {
    throw new ImageSignatureError('image.envelope_not_logged', 'the log was shown the envelope in another spelling');
  }
  return {
    mediaType: DSSE_ENVELOPE_TYPE,
    content: new TextEncoder().encode(text),
    annotations: {
      [OLDER_ANNOTATIONS.signature]: '',
      [OLDER_ANNOTATIONS.predicateType]: predicateType,
      ...materialAnnotations(bundle),
    },
  };
}

/**
 * Turns a layer of the older format into a bundle of version 0.1, whose rules are the older format's: the log's signed
 * promise counts, a proof is not asked for. Only the signing certificate is taken: what stands behind it is pinned.
 * Without one a key signed, which the format does not name: only who has that key can read it.
 * Undefined where a piece is missing or cannot be read. Nothing is verified here.
 * @throws VerificationError `bundle.too_large`
 */
export function bundleOfOlderLayer(
  { mediaType, content, annotations }: OlderLayer,
  { byKey = false }: OlderReader = {},
): Uint8Array | undefined {
  const signer = signerOf(annotations[OLDER_ANNOTATIONS.certificate], byKey);
  const signed = mediaType === SIMPLE_SIGNING_TYPE ? messageOf(content, annotations) : envelopeOf(content);
  const logText = annotations[OLDER_ANNOTATIONS.rekorBundle];
  const logEntry = logText === undefined ? undefined : logEntryOf(logText);
  const timestampText = annotations[OLDER_ANNOTATIONS.timestamp];
  const timestamp = timestampText === undefined ? undefined : parseObject(timestampText)?.['SignedRFC3161Timestamp'];
  if (signer === undefined || signed === undefined) return undefined;
  if (logText !== undefined && logEntry === undefined) return undefined;
  if (timestampText !== undefined && typeof timestamp !== 'string') return undefined;
  const bundle = {
    mediaType: V01_MEDIA_TYPE,
    verificationMaterial: {
      ...signer,
      tlogEntries: logEntry === undefined ? [] : [logEntry],
      ...(timestamp === undefined
        ? {}
        : { timestampVerificationData: { rfc3161Timestamps: [{ signedTimestamp: timestamp }] } }),
    },
    ...signed,
  };
  return new TextEncoder().encode(JSON.stringify(bundle));
}

function materialAnnotations(bundle: Uint8Array): Record<string, string> {
  const { signer, logEntries, timestamps } = parseBundle(bundle);
  const [entry] = logEntries;
  if (entry?.inclusionPromise === undefined) {
    throw new ImageSignatureError(
      'image.promise_missing',
      'the log gives no signed promise, which the older format needs: write the bundle format alone',
    );
  }
  const rekorBundle = {
    SignedEntryTimestamp: entry.inclusionPromise.signedEntryTimestamp.toString('base64'),
    Payload: {
      body: entry.canonicalizedBody.toString('base64'),
      integratedTime: Number(entry.integratedTime),
      logIndex: Number(entry.logIndex),
      logID: entry.logId?.keyId.toString('hex') ?? '',
    },
  };
  const [timestamp] = timestamps;
  return {
    ...('certificate' in signer
      ? { [OLDER_ANNOTATIONS.certificate]: formatPem('CERTIFICATE', signer.certificate) }
      : {}),
    [OLDER_ANNOTATIONS.rekorBundle]: JSON.stringify(rekorBundle),
    ...(timestamp === undefined
      ? {}
      : {
          [OLDER_ANNOTATIONS.timestamp]: JSON.stringify({
            SignedRFC3161Timestamp: Buffer.from(timestamp).toString('base64'),
          }),
        }),
  };
}

function messageOf(content: Uint8Array, annotations: OlderLayer['annotations']): JsonObject | undefined {
  const signature = annotations[OLDER_ANNOTATIONS.signature];
  if (signature === undefined || signature === '') return undefined;
  const digest = createHash('sha256').update(content).digest('base64');
  return { messageSignature: { messageDigest: { algorithm: 'SHA2_256', digest }, signature } };
}

function envelopeOf(content: Uint8Array): JsonObject | undefined {
  const envelope = parseObject(content);
  return envelope === undefined ? undefined : { dsseEnvelope: envelope };
}

function logEntryOf(text: string): JsonObject | undefined {
  const rekorBundle = parseObject(text);
  const payload = rekorBundle?.['Payload'];
  const promise = rekorBundle?.['SignedEntryTimestamp'];
  if (!isJsonObject(payload) || typeof promise !== 'string') return undefined;
  const { body, integratedTime, logIndex, logID } = payload;
  if (typeof body !== 'string' || typeof logID !== 'string' || !isSha256Hex(logID)) return undefined;
  if (typeof integratedTime !== 'number' || typeof logIndex !== 'number') return undefined;
  const logged = decodeBase64(body);
  const kind = logged && parseObject(logged);
  if (typeof kind?.['kind'] !== 'string' || typeof kind['apiVersion'] !== 'string') return undefined;
  return {
    logIndex: String(logIndex),
    logId: { keyId: Buffer.from(logID, 'hex').toString('base64') },
    kindVersion: { kind: kind['kind'], version: kind['apiVersion'] },
    integratedTime: String(integratedTime),
    inclusionPromise: { signedEntryTimestamp: promise },
    canonicalizedBody: body,
  };
}

function envelopeHash(body: Uint8Array | undefined): string | undefined {
  const spec = body === undefined ? undefined : parseObject(body)?.['spec'];
  const hash = isJsonObject(spec) ? spec['envelopeHash'] : undefined;
  const value = isJsonObject(hash) ? hash['value'] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function signerOf(pem: string | undefined, byKey: boolean): JsonObject | undefined {
  if (pem === undefined && byKey) return { publicKey: { hint: '' } };
  const rawBytes = certificateDer(pem);
  return rawBytes === undefined ? undefined : { x509CertificateChain: { certificates: [{ rawBytes }] } };
}

function certificateDer(pem: string | undefined): string | undefined {
  const [block, ...more] = parsePem(pem ?? '', 'lax') ?? [];
  if (block?.label !== 'CERTIFICATE' || more.length > 0) return undefined;
  try {
    return new X509Certificate(block.der).raw.toString('base64');
  } catch {
    return undefined;
  }
}

function parseObject(json: string | Uint8Array): JsonObject | undefined {
  const bytes = typeof json === 'string' ? new TextEncoder().encode(json) : json;
  const parsed = parseBundleJson(bytes);
  return parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
}

function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
