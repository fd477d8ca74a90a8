import { isJsonObject, type JsonValue } from '@colophon/json';

/** Where each kind of entry records the keys and certificates of its signers, as a path; `[]` is every item of a list. */
const SIGNERS: Readonly<Record<string, readonly string[]>> = {
  'hashedrekord/0.0.1': ['signature', 'publicKey', 'content'],
  'dsse/0.0.1': ['signatures', '[]', 'verifier'],
  'intoto/0.0.1': ['publicKey'],
  'intoto/0.0.2': ['content', 'envelope', 'signatures', '[]', 'publicKey'],
};

/**
 * Who signed an entry of a Rekor v1 log: base64 of the PEM of each key and certificate that its body records. Nothing of
 * it is checked; a body of an unknown kind has none.
 */
export function logEntrySigners(body: JsonValue): readonly string[] {
  const { kind, apiVersion, spec } = isJsonObject(body) ? body : {};
  const name = `${kind}/${apiVersion}`;
  const path = Object.hasOwn(SIGNERS, name) ? SIGNERS[name] : undefined;
  return path === undefined ? [] : valuesAt(spec, path).filter((value) => typeof value === 'string');
}

function valuesAt(value: JsonValue | undefined, [step, ...rest]: readonly string[]): JsonValue[] {
  if (value === undefined) return [];
  if (step === undefined) return [value];
  if (step === '[]') return Array.isArray(value) ? value.flatMap((item: JsonValue) => valuesAt(item, rest)) : [];
  return isJsonObject(value) ? valuesAt(value[step], rest) : [];
}
