import { isJsonObject, type JsonObject, type JsonValue, parseStrictJson } from '@colophon/json';
import { recordedSigners } from './recorded-signers.ts';
import { signerSearchKey } from './search-keys.ts';

/**
 * The search keys that the log's own record of an entry gives: its digests and its signers. An entry may have more, of a statement
 * that the log did not keep.
 * @throws AuthorityError `authority.entry_invalid` for a body that this log did not write
 */
export function recordedKeys(body: Uint8Array): string[] {
  const parsed = parseStrictJson(body, { maxBytes: body.length, maxDepth: 32 });
  const { kind, apiVersion, spec } = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
  const read = DIGESTS[`${kind}/${apiVersion}`];
  const digests = read === undefined || !isJsonObject(spec) ? [] : read(spec);
  return [...digests.flatMap(digestKey), ...recordedSigners(body).map(signerSearchKey)];
}

/** Where each kind of entry records digests that it is found by. The hash of an `intoto` 0.0.2 envelope is its proposer's word. */
const DIGESTS: Readonly<Record<string, (spec: JsonObject) => (JsonValue | undefined)[]>> = {
  'hashedrekord/0.0.1': ({ data }) => [memberOf(data, 'hash')],
  'dsse/0.0.1': ({ envelopeHash, payloadHash }) => [envelopeHash, payloadHash],
  'intoto/0.0.1': ({ content }) => [memberOf(content, 'hash'), memberOf(content, 'payloadHash')],
  'intoto/0.0.2': ({ content }) => [memberOf(content, 'payloadHash')],
};

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function digestKey(digest: JsonValue | undefined): string[] {
  const [algorithm, value] = [memberOf(digest, 'algorithm'), memberOf(digest, 'value')];
  return typeof algorithm === 'string' && typeof value === 'string' ? [`${algorithm}:${value.toLowerCase()}`] : [];
}
