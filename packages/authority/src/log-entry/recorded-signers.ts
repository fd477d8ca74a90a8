import { decodeBase64 } from '@colophon/encoding';
import { isJsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { parseVerifier, type Verifier } from './verifier.ts';

/** Where each kind of entry records the keys and certificates of its signers, as a path; `[]` is every item of a list. */
const SIGNERS: Readonly<Record<string, readonly string[]>> = {
  'hashedrekord/0.0.1': ['signature', 'publicKey', 'content'],
  'dsse/0.0.1': ['signatures', '[]', 'verifier'],
  'intoto/0.0.1': ['publicKey'],
  'intoto/0.0.2': ['content', 'envelope', 'signatures', '[]', 'publicKey'],
};

/**
 * Who signed an entry, read from what the log recorded of it.
 * @throws AuthorityError `authority.entry_invalid` for a body that this log did not write
 */
export function recordedSigners(body: Uint8Array): Verifier[] {
  const parsed = parseStrictJson(body, { maxBytes: body.length, maxDepth: 32 });
  const { kind, apiVersion, spec } = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  return valuesAt(spec, SIGNERS[`${kind}/${apiVersion}`] ?? []).flatMap((pem) => {
    const bytes = typeof pem === 'string' ? decodeBase64(pem) : undefined;
    return bytes === undefined ? [] : [parseVerifier(bytes)];
  });
}

function valuesAt(value: JsonValue | undefined, [step, ...rest]: readonly string[]): JsonValue[] {
  if (value === undefined) return [];
  if (step === undefined) return [value];
  if (step === '[]') return Array.isArray(value) ? value.flatMap((item: JsonValue) => valuesAt(item, rest)) : [];
  return isJsonObject(value) ? valuesAt(value[step], rest) : [];
}
