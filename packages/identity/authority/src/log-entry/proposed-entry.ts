import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { AuthorityError } from '../authority-error/authority-error.ts';
import { readDsse } from './dsse.ts';
import { readHashedRekord } from './hashedrekord.ts';
import { readIntotoV1, readIntotoV2 } from './intoto.ts';

/** An entry whose signatures were verified, in the form that the log records. */
export type VerifiedEntry = {
  /** Canonical JSON; its leaf hash is the entry's identity. */
  readonly body: Uint8Array;
  /** Digests that the entry is found by; may have duplicates. Names are for the log to add: it knows whose count. */
  readonly keys: readonly string[];
};

const KINDS: Readonly<Record<string, (spec: JsonObject) => VerifiedEntry>> = {
  'hashedrekord/0.0.1': readHashedRekord,
  'dsse/0.0.1': readDsse,
  'intoto/0.0.1': readIntotoV1,
  'intoto/0.0.2': readIntotoV2,
};

/**
 * Verifies what somebody proposes for the log. No address in it is ever fetched.
 * @throws AuthorityError `authority.entry_invalid`, `authority.entry_kind_unsupported`,
 *   `authority.entry_signature_invalid`
 */
export function readProposedEntry(value: JsonValue | undefined): VerifiedEntry {
  const { kind, apiVersion, spec } = isJsonObject(value) ? value : {};
  if (typeof kind !== 'string' || typeof apiVersion !== 'string' || !isJsonObject(spec)) {
    throw new AuthorityError('authority.entry_invalid', 'an entry has kind, apiVersion and spec');
  }
  const name = `${kind}/${apiVersion}`;
  const read = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
  if (read === undefined) {
    throw new AuthorityError('authority.entry_kind_unsupported', `this log takes ${Object.keys(KINDS).join(', ')}`);
  }
  return read(spec);
}
