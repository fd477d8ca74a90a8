import { decodeBase64 } from '@colophon/encoding';
import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { MAX_SIGNATURES, parseEnvelope, sha256Hex, statementDigests, verifyEnvelope } from './dsse-envelope.ts';
import type { VerifiedEntry } from './proposed-entry.ts';
import { signerSearchKey } from './search-keys.ts';
import { parseVerifier, type Verifier } from './verifier.ts';

/**
 * `dsse` 0.0.1: an envelope with the keys or certificates that verify all of its signatures. The log records the
 * hashes of envelope and payload, the signatures and who made them; the payload itself is not kept.
 * @throws AuthorityError `authority.entry_invalid`, `authority.entry_signature_invalid`
 */
export function readDsse(spec: JsonObject): VerifiedEntry {
  const { proposedContent, envelopeHash, payloadHash, signatures } = spec;
  const { envelope: text, verifiers } = isJsonObject(proposedContent) ? proposedContent : {};
  if (typeof text !== 'string') throw invalid('proposedContent.envelope is the envelope as a string');
  // What the log computes cannot be proposed beside the content it is computed from; clients write the members as null.
  if ([envelopeHash, payloadHash].some(isGiven) || (isGiven(signatures) && !isEmptyList(signatures))) {
    throw invalid('envelopeHash, payloadHash and signatures are not proposed');
  }
  const envelope = parseEnvelope(text);
  const signers = verifyEnvelope(envelope, readVerifiers(verifiers));
  const recorded = new Map(envelope.signatures.map(({ sig }, i) => [sig, signers[i]!]));
  return {
    body: canonicalJson({
      apiVersion: '0.0.1',
      kind: 'dsse',
      spec: {
        envelopeHash: { algorithm: 'sha256', value: sha256Hex(text) },
        payloadHash: { algorithm: 'sha256', value: sha256Hex(envelope.payload) },
        signatures: [...recorded.keys()].sort().map((signature) => ({
          signature,
          verifier: Buffer.from(recorded.get(signature)!.pem).toString('base64'),
        })),
      },
    }),
    keys: [
      `sha256:${sha256Hex(text)}`,
      `sha256:${sha256Hex(envelope.payload)}`,
      ...statementDigests(envelope),
      ...[...recorded.values()].map(signerSearchKey),
    ],
  };
}

function isGiven(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

function isEmptyList(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length === 0;
}

function readVerifiers(verifiers: unknown): Verifier[] {
  if (!Array.isArray(verifiers) || verifiers.length === 0 || verifiers.length > MAX_SIGNATURES) {
    throw invalid(`proposedContent.verifiers is a list of 1 to ${MAX_SIGNATURES} keys or certificates`);
  }
  return verifiers.map((verifier: unknown) => {
    const pem = typeof verifier === 'string' ? decodeBase64(verifier) : undefined;
    if (pem === undefined) throw invalid('a verifier is base64');
    return parseVerifier(pem);
  });
}

function invalid(message: string): AuthorityError {
  return new AuthorityError('authority.entry_invalid', message);
}
