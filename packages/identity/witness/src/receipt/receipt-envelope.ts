import { createHash, type KeyObject, verify } from 'node:crypto';
import { decodeBase64, encodeBase64, preAuthenticationEncoding } from '@colophon/encoding';
import { isJsonObject, type JsonValue } from '@colophon/json';
import type { Signer } from '@colophon/keys';
import {
  createWitnessReceiptStatement,
  IN_TOTO_PAYLOAD_TYPE,
  parseStatement,
  parseWitnessReceipt,
  typesUnder,
  type WitnessReceipt,
  witnessReceiptType,
} from '@colophon/records';

/** A signed receipt: a DSSE envelope with one signature. */
export type ReceiptEnvelope = {
  readonly payloadType: string;
  /** Base64. */
  readonly payload: string;
  readonly signatures: readonly [{ readonly keyid: string; readonly sig: string }];
};

/** Bytes of a receipt's statement. */
export const MOST_RECEIPT_BYTES = 64 * 1024;
/** Characters of as many bytes in base64. */
const MOST_PAYLOAD_LENGTH = Math.ceil(MOST_RECEIPT_BYTES / 3) * 4;

/** Signs a receipt with the key that it names. @throws TypeError for a receipt that would not be read back */
export async function signReceipt(
  receipt: WitnessReceipt,
  signer: Signer,
  predicateBase: string | undefined,
): Promise<ReceiptEnvelope> {
  const statement = createWitnessReceiptStatement(receipt, predicateBase);
  const payload = new TextEncoder().encode(JSON.stringify(statement));
  const signature = await signer.signDer(preAuthenticationEncoding({ payloadType: IN_TOTO_PAYLOAD_TYPE, payload }));
  return {
    payloadType: IN_TOTO_PAYLOAD_TYPE,
    payload: encodeBase64(payload),
    signatures: [{ keyid: signer.kid, sig: encodeBase64(signature) }],
  };
}

/** A receipt and whose key signed it, or why it counts for nothing. */
export type ReadReceipt =
  | { readonly ok: true; readonly receipt: WitnessReceipt; readonly keyId: string; readonly digest: string }
  | { readonly ok: false; readonly fault: ReceiptFault };

/** `key-unknown`: signed by nobody who is listed; `signature-invalid`: not what that key signed. */
export type ReceiptFault = 'malformed' | 'key-unknown' | 'signature-invalid';

/**
 * Reads a signed receipt. Nothing in it is looked at before its signature is verified, by the key that it names.
 * @param keyOf the public key of a listed witness, by its RFC 7638 thumbprint
 */
export function readReceipt(
  envelope: JsonValue,
  keyOf: (keyId: string) => KeyObject | undefined,
  predicateBase: string | undefined,
): ReadReceipt {
  const parts = partsOf(envelope);
  if (parts === undefined) return { ok: false, fault: 'malformed' };
  const { payloadType, payload, keyId, signature } = parts;
  const key = keyOf(keyId);
  if (key === undefined) return { ok: false, fault: 'key-unknown' };
  if (!verify('sha256', preAuthenticationEncoding({ payloadType, payload }), key, signature)) {
    return { ok: false, fault: 'signature-invalid' };
  }
  const statement = payloadType === IN_TOTO_PAYLOAD_TYPE ? parseStatement(payload) : undefined;
  if (!statement?.ok) return { ok: false, fault: 'malformed' };
  const { predicateType, predicate } = statement.value;
  const parsed = parseWitnessReceipt(predicate);
  const isReceipt = typesUnder(predicateBase ?? '', witnessReceiptType).includes(predicateType);
  if (!isReceipt || !parsed.ok || parsed.value.witness.key_id !== keyId) return { ok: false, fault: 'malformed' };
  const digest = `sha256:${createHash('sha256').update(payload).digest('hex')}`;
  return { ok: true, receipt: parsed.value, keyId, digest };
}

function partsOf(envelope: JsonValue) {
  if (!isJsonObject(envelope)) return undefined;
  const { payloadType, payload, signatures } = envelope;
  if (typeof payloadType !== 'string' || typeof payload !== 'string' || !Array.isArray(signatures)) return undefined;
  const [signed, ...more] = signatures as readonly JsonValue[];
  // Of several signatures nobody would know which one is meant.
  if (!isJsonObject(signed) || more.length > 0) return undefined;
  const { keyid, sig } = signed;
  if (typeof keyid !== 'string' || typeof sig !== 'string' || payload.length > MOST_PAYLOAD_LENGTH) return undefined;
  const bytes = decodeBase64(payload);
  const signature = decodeBase64(sig);
  return bytes && signature && { payloadType, payload: bytes, keyId: keyid, signature };
}
