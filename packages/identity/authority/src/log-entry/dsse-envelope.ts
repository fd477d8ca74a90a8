import { createHash, type KeyObject, verify } from 'node:crypto';
import { decodeBase64, preAuthenticationEncoding } from '@colophon/encoding';
import { isJsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { IN_TOTO_PAYLOAD_TYPE } from '@colophon/records';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { isAcceptedKey, type Verifier } from './verifier.ts';

/** An envelope (DSSE v1) whose parts are of the right types; its signatures are not verified yet. */
export type DsseEnvelope = {
  readonly payloadType: string;
  readonly payload: Uint8Array;
  /** `sig` as it was written, and its bytes. */
  readonly signatures: ReadonlyArray<{ readonly sig: string; readonly bytes: Uint8Array; readonly keyid: string }>;
};

/** Bytes of a payload, as JSON text or base64. */
export const MAX_ENVELOPE_BYTES = 8 * 1024 * 1024;
/**
 * Signatures of one envelope, and keys that they are tried with. Every signature is tried with every key, each time over
 * megabytes, while nobody else is served; clients send one of each.
 */
export const MAX_SIGNATURES = 4;

const MAX_JSON_DEPTH = 128;
const MAX_INDEXED_DIGESTS = 1000;

/** @throws AuthorityError `authority.entry_invalid` */
export function parseEnvelope(text: string): DsseEnvelope {
  const parsed = parseStrictJson(Buffer.from(text, 'utf8'), { maxBytes: MAX_ENVELOPE_BYTES, maxDepth: MAX_JSON_DEPTH });
  if (!parsed.ok) throw invalid('the envelope is not strict JSON');
  return readEnvelope(parsed.value);
}

/** @throws AuthorityError `authority.entry_invalid` */
export function readEnvelope(value: JsonValue | undefined): DsseEnvelope {
  if (!isJsonObject(value)) throw invalid('the envelope is not an object');
  const { payloadType, payload, signatures } = value;
  const bytes = typeof payload === 'string' && payload !== '' ? decodeBase64(payload) : undefined;
  if (typeof payloadType !== 'string' || payloadType === '' || bytes === undefined) {
    throw invalid('an envelope has payloadType and a payload in base64');
  }
  if (!Array.isArray(signatures) || signatures.length === 0 || signatures.length > MAX_SIGNATURES) {
    throw invalid(`an envelope has 1 to ${MAX_SIGNATURES} signatures`);
  }
  return { payloadType, payload: bytes, signatures: signatures.map(readSignature) };
}

/**
 * Finds the verifier of each signature, in the order of the signatures.
 * @throws AuthorityError `authority.entry_signature_invalid` where one of them has none
 */
export function verifyEnvelope(envelope: DsseEnvelope, verifiers: readonly Verifier[]): Verifier[] {
  const message = preAuthenticationEncoding(envelope);
  return envelope.signatures.map(({ bytes }) => {
    const verifier = verifiers.find(({ key }) => isSignedBy(key, message, bytes));
    if (verifier === undefined) {
      throw new AuthorityError(
        'authority.entry_signature_invalid',
        'a signature of the envelope is not verified by any key',
      );
    }
    return verifier;
  });
}

/** `sha256:<hex>` of every subject and material of an in-toto statement; nothing for another payload. */
export function statementDigests({ payloadType, payload }: DsseEnvelope): string[] {
  if (payloadType !== IN_TOTO_PAYLOAD_TYPE) return [];
  const parsed = parseStrictJson(payload, { maxBytes: MAX_ENVELOPE_BYTES, maxDepth: MAX_JSON_DEPTH });
  if (!parsed.ok || !isJsonObject(parsed.value)) return [];
  const { subject, predicate } = parsed.value;
  const materials = isJsonObject(predicate) ? predicate['materials'] : undefined;
  return [...digestsOf(subject), ...digestsOf(materials)].slice(0, MAX_INDEXED_DIGESTS);
}

/** SHA-256 as lower-case hex. */
export function sha256Hex(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function readSignature(value: JsonValue): DsseEnvelope['signatures'][number] {
  const { sig, keyid = '' } = isJsonObject(value) ? value : {};
  const bytes = typeof sig === 'string' && sig !== '' ? decodeBase64(sig) : undefined;
  if (typeof sig !== 'string' || bytes === undefined || typeof keyid !== 'string') {
    throw invalid('a signature of an envelope has sig in base64');
  }
  return { sig, bytes, keyid };
}

function isSignedBy(key: KeyObject, message: Uint8Array, signature: Uint8Array): boolean {
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  try {
    return isAcceptedKey(key) && verify(digest, message, key, signature);
  } catch {
    return false;
  }
}

function digestsOf(list: JsonValue | undefined): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: JsonValue) => {
    const digest = isJsonObject(item) ? item['digest'] : undefined;
    if (!isJsonObject(digest)) return [];
    return Object.entries(digest).flatMap(([algorithm, value]) =>
      typeof value === 'string' && value.length <= 256 ? [`${algorithm}:${value}`.toLowerCase()] : [],
    );
  });
}

function invalid(message: string): AuthorityError {
  return new AuthorityError('authority.entry_invalid', message);
}
