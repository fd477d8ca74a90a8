import type { KeyObject } from 'node:crypto';
import { preAuthenticationEncoding } from '@colophon/encoding';
import { canonicalJson, type JsonObject, parseStrictJson } from '@colophon/json';
import type { SigningKey } from '@colophon/keys';
import { IN_TOTO_PAYLOAD_TYPE } from '@colophon/records';
import { sha256Hex } from '../log-entry/dsse-envelope.ts';
import { readProposedEntry, type VerifiedEntry } from '../log-entry/proposed-entry.ts';
import { recordedKeys } from '../log-entry/recorded-keys.ts';
import { recordedSigners } from '../log-entry/recorded-signers.ts';

const KIND = { apiVersion: '0.0.2', kind: 'intoto' } as const;

/**
 * The entry with a statement that a log signs about itself: `intoto` 0.0.2, of which Rekor's clients show the statement. It goes
 * through the same reader as everybody's.
 */
export function restoredEntry(statement: string, key: SigningKey): VerifiedEntry {
  const payload = Buffer.from(statement);
  const signature = key.signDer(preAuthenticationEncoding({ payloadType: IN_TOTO_PAYLOAD_TYPE, payload }));
  const [text, sig] = [payload.toString('base64'), Buffer.from(signature).toString('base64')];
  const envelope = { payloadType: IN_TOTO_PAYLOAD_TYPE, payload: text, signatures: [{ keyid: '', sig }] };
  const publicKey = base64(key.publicPem());
  return readProposedEntry({
    ...KIND,
    spec: {
      content: {
        envelope: {
          payloadType: IN_TOTO_PAYLOAD_TYPE,
          // Base64 of base64, as Rekor has it.
          payload: base64(text),
          signatures: [{ publicKey, sig: base64(sig) }],
        },
        hash: { algorithm: 'sha256', value: sha256Hex(canonicalJson(envelope)) },
      },
    },
  } satisfies JsonObject);
}

/** Whether a body is the log's own entry about this statement; its signature is verified. */
export function isRestoredEntry(body: Uint8Array, statement: string, key: KeyObject): boolean {
  try {
    const parsed = parseStrictJson(body, { maxBytes: body.length, maxDepth: 32 });
    const [signer, ...others] = recordedSigners(body);
    if (!parsed.ok || signer === undefined || others.length > 0 || !signer.key.equals(key)) return false;
    return recordedKeys(body).includes(`sha256:${sha256Hex(statement)}`);
  } catch {
    return false;
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
