import { decodeBase64 } from '@colophon/encoding';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { isSha256Hex } from '@colophon/notation';
import { AuthorityError } from '../authority-error/authority-error.ts';
import {
  MAX_SIGNATURES,
  parseEnvelope,
  readEnvelope,
  sha256Hex,
  statementDigests,
  verifyEnvelope,
} from './dsse-envelope.ts';
import type { VerifiedEntry } from './proposed-entry.ts';
import { signerSearchKey } from './search-keys.ts';
import { parseVerifier } from './verifier.ts';

/**
 * `intoto` 0.0.1: an envelope as a string beside one key or certificate.
 * @throws AuthorityError `authority.entry_invalid`, `authority.entry_signature_invalid`
 */
export function readIntotoV1(spec: JsonObject): VerifiedEntry {
  const { content, publicKey } = spec;
  const text = isJsonObject(content) ? content['envelope'] : undefined;
  if (typeof text !== 'string') throw invalid('content.envelope is the envelope as a string');
  const verifier = parseVerifier(decode(publicKey, 'publicKey'));
  const envelope = parseEnvelope(text);
  verifyEnvelope(envelope, [verifier]);
  const hash = { algorithm: 'sha256', value: sha256Hex(text) };
  const payloadHash = { algorithm: 'sha256', value: sha256Hex(envelope.payload) };
  return {
    body: canonicalJson({
      apiVersion: '0.0.1',
      kind: 'intoto',
      spec: { content: { hash, payloadHash }, publicKey: Buffer.from(verifier.pem).toString('base64') },
    }),
    keys: [
      `sha256:${hash.value}`,
      `sha256:${payloadHash.value}`,
      ...statementDigests(envelope),
      signerSearchKey(verifier),
    ],
  };
}

/**
 * `intoto` 0.0.2: the envelope as an object whose payload and signatures are base64 once more, with the key of each
 * signature beside it. The hash of the envelope's text is the proposer's word: the log has only the object.
 * @throws AuthorityError `authority.entry_invalid`, `authority.entry_signature_invalid`
 */
export function readIntotoV2(spec: JsonObject): VerifiedEntry {
  const { content } = spec;
  const { envelope: raw, hash } = isJsonObject(content) ? content : {};
  const { payload, payloadType, signatures } = isJsonObject(raw) ? raw : {};
  if (!Array.isArray(signatures) || signatures.length === 0 || signatures.length > MAX_SIGNATURES) {
    throw invalid(`content.envelope.signatures is a list of 1 to ${MAX_SIGNATURES} signatures`);
  }
  const signers = signatures.map((signature: JsonValue) => readSignature(signature));
  const envelope = readEnvelope({
    payloadType: payloadType ?? null,
    payload: decodeText(payload, 'content.envelope.payload'),
    signatures: signers.map(({ sig, keyid }) => ({ sig, keyid })),
  });
  const verifiers = verifyEnvelope(
    envelope,
    signers.map(({ verifier }) => verifier),
  );
  const payloadHash = { algorithm: 'sha256', value: sha256Hex(envelope.payload) };
  return {
    body: canonicalJson({
      apiVersion: '0.0.2',
      kind: 'intoto',
      spec: {
        content: {
          envelope: {
            payloadType: envelope.payloadType,
            signatures: signers.map(({ keyid, publicKey, sigOnWire }) => ({
              ...(keyid === '' ? {} : { keyid }),
              publicKey,
              sig: sigOnWire,
            })),
          },
          hash: readHash(hash),
          payloadHash,
        },
      },
    }),
    keys: [`sha256:${payloadHash.value}`, ...statementDigests(envelope), ...verifiers.map(signerSearchKey)],
  };
}

function readSignature(value: JsonValue) {
  const { sig, publicKey, keyid = '' } = isJsonObject(value) ? value : {};
  if (typeof keyid !== 'string') throw invalid('keyid is a string');
  const verifier = parseVerifier(decode(publicKey, 'publicKey'));
  return { sig: decodeText(sig, 'sig'), sigOnWire: sig as string, publicKey: publicKey as string, keyid, verifier };
}

function readHash(hash: JsonValue | undefined): { algorithm: string; value: string } {
  const { algorithm, value } = isJsonObject(hash) ? hash : {};
  if (algorithm !== 'sha256' || typeof value !== 'string' || !isSha256Hex(value)) {
    throw invalid('content.hash is the SHA-256 of the envelope');
  }
  return { algorithm, value };
}

function decode(value: JsonValue | undefined, name: string): Uint8Array {
  const bytes = typeof value === 'string' && value !== '' ? decodeBase64(value) : undefined;
  if (bytes === undefined) throw invalid(`${name} is base64`);
  return bytes;
}

function decodeText(value: JsonValue | undefined, name: string): string {
  return Buffer.from(decode(value, name)).toString('latin1');
}

function invalid(message: string): AuthorityError {
  return new AuthorityError('authority.entry_invalid', message);
}
