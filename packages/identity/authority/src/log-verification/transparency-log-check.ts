import { createHash, type KeyObject, verify } from 'node:crypto';
import { parsePem } from '@colophon/encoding';
import { parseCheckpoint, parseNote } from '@colophon/merkle';
import { type IndexedLogEntry, type LogEntryStore, logKeysDigest, type TreeHead } from '@colophon/store';
import { KnownAuthorities } from '../log-entry/known-authorities.ts';
import { recordedKeys } from '../log-entry/recorded-keys.ts';
import { recordedSigners } from '../log-entry/recorded-signers.ts';
import { NAME_KEY_PREFIX, nameSearchKeys } from '../log-entry/search-keys.ts';
import { isRestoredEntry } from '../log-restore/restored-entry.ts';
import { promisedOf } from '../transparency-log/log-tree.ts';
import type { CheckedEntry, LogContent, LogTrust } from './log-check.ts';
import { checkpointVerifier, importKey } from './signed-head.ts';

/** The transparency log: bodies, promises, search keys and the names among them. */
export class TransparencyLogCheck implements LogContent {
  readonly log = 'transparency';
  readonly tree = 'rekor';
  readonly publicKey: Uint8Array;
  readonly #key: KeyObject;
  readonly #anchor: { readonly logId: string; readonly firstIndex: number };
  readonly #statement: string | undefined;
  readonly #entries: LogEntryStore;
  readonly #isSigned: (head: TreeHead) => boolean;
  readonly #authorities: KnownAuthorities | undefined;
  /** Whether the index was written for the authorities that are known here. */
  readonly #areNamesKnown: boolean;
  #promises = 0;
  #keys = 0;
  #names = 0;

  constructor(
    entries: LogEntryStore,
    { rekorPublicKey, caCertificates, extraRoots = [], firstIndex = 0, statement }: LogTrust,
  ) {
    this.publicKey = rekorPublicKey;
    this.#key = importKey(rekorPublicKey);
    this.#anchor = { logId: createHash('sha256').update(rekorPublicKey).digest('hex'), firstIndex };
    this.#statement = statement;
    this.#entries = entries;
    this.#isSigned = checkpointVerifier(rekorPublicKey);
    const known = caCertificates?.flatMap((pem) => parsePem(pem)?.map(({ der }) => der) ?? []);
    this.#authorities = known && new KnownAuthorities([...known, ...extraRoots]);
    this.#areNamesKnown = entries.nameAuthorities()?.authorities === this.#authorities?.id;
  }

  isSigned(head: TreeHead): boolean {
    return this.#isSigned(head);
  }

  *entries(): Generator<CheckedEntry> {
    for (const row of this.#entries.indexedRows()) {
      yield { index: row.log_index, leafHash: row.leaf_hash, content: row.body, problems: [...this.#problemsOf(row)] };
    }
  }

  otherProblems([oldest, newest]: readonly string[]): readonly string[] {
    const problems: string[] = [];
    const stray = this.#entries.strayKeys();
    if (stray > 0) problems.push(`${stray} search keys lead to no entry`);
    if (this.#entries.nameAuthorities()?.isAsWritten === false)
      problems.push('the authorities of the names in the search index are not those that were written');
    if (this.#entries.strayIdentities() > 0) problems.push('the log has more than one identity');
    const treeId = this.#entries.knownTreeId();
    for (const note of [oldest, newest]) {
      if (note !== undefined && !originOf(note)?.endsWith(` - ${treeId}`)) {
        problems.push('the number of the tree is not the one in its checkpoints');
        break;
      }
    }
    return problems;
  }

  checks() {
    const unknown = 'each in a certificate of its entry; by which authority was not checked';
    return [
      ...(this.#statement === undefined
        ? []
        : [{ check: 'first entry', detail: 'signed by the log’s key, over what it says of the logs before it' }]),
      { check: 'promises', detail: `${this.#promises} signatures over body, time and index` },
      { check: 'search keys', detail: `${this.#keys}, as their entries and checksums say` },
      {
        check: 'names',
        detail: `${this.#names}, ${this.#areNamesKnown ? 'each certified by a known authority' : unknown}`,
      },
    ];
  }

  *#problemsOf(row: IndexedLogEntry): Generator<string> {
    if (verify('sha256', promisedOf(row, this.#anchor), this.#key, row.promise)) this.#promises += 1;
    else yield 'the promise is not the log’s signature over body, time and index';
    if (row.log_index === 0 && this.#statement !== undefined && !isRestoredEntry(row.body, this.#statement, this.#key))
      yield 'what it says of the logs before it is not what was logged';
    try {
      yield* this.#keyProblems(row);
    } catch {
      yield 'the body cannot be read';
    }
  }

  *#keyProblems({ body, keys, keys_digest }: IndexedLogEntry): Generator<string> {
    const names = keys.filter((key) => key.startsWith(NAME_KEY_PREFIX));
    const own = keys.filter((key) => !key.startsWith(NAME_KEY_PREFIX));
    this.#keys += own.length;
    this.#names += names.length;
    if (Buffer.compare(keys_digest, logKeysDigest(own)) !== 0)
      yield 'its search keys are not those that it was added with';
    if (recordedKeys(body).some((key) => !own.includes(key))) yield 'a search key that its body gives is missing';
    if (own.some((key) => !/^(?:[0-9a-z]+:)?[^\s:]+$/.test(key))) yield 'a search key is none';
    const certified = this.#areNamesKnown ? this.#authorities?.nameKeys(body) : undefined;
    const named = recordedSigners(body).flatMap(({ subjects }) => nameSearchKeys(subjects));
    if (names.some((name) => !(certified ?? named).includes(name))) yield 'it is found by a name that it does not have';
    if (certified?.some((name) => !names.includes(name))) yield 'a name that it has is not in the search index';
  }
}

function originOf(note: string): string | undefined {
  const parsed = parseNote(note);
  const checkpoint = parsed.ok ? parseCheckpoint(parsed.value.text) : parsed;
  return checkpoint.ok ? checkpoint.value.origin : undefined;
}
