import { type KeyObject, verify } from 'node:crypto';
import { EMPTY_ROOT, ecdsaKeyHash, equalBytes, parseCheckpoint, parseNote } from '@colophon/merkle';
import type { Database, MerkleLogStore, RawLedgerRow, TreeCheck, TreeHead } from '@colophon/store';
import { ErasureCheck } from './erasure-check.ts';
import { isLedgerEvent } from './ledger-event.ts';
import { contentHash, isOneLine, ledgerLeafHash } from './ledger-leaf.ts';
import { type LedgerProblem, type LedgerProblemCode, LedgerProblems } from './ledger-problem.ts';
import { LedgerRecords } from './ledger-records.ts';
import type { LedgerResult } from './ledger-result.ts';
import { LedgerSnapshot } from './ledger-snapshot.ts';

/** What was looked at, and everything wrong that was found. */
export type LedgerReport = LedgerResult & {
  /** The first 1,000. */
  readonly problems: readonly LedgerProblem[];
  /** How many problems of each code there are. */
  readonly problem_counts: { readonly [code in LedgerProblemCode]?: number };
};

export type VerifyLedgerOptions = {
  /** With the rows of the ledgers before this one in them, where there are such. */
  readonly records?: LedgerRecords;
  /** Whether another ledger followed: what is kept beside the rows lies with that one. */
  readonly isFrozen?: boolean;
};

const HASH_BYTES = EMPTY_ROOT.length;
const NO_LEAF = new Uint8Array(HASH_BYTES);

/**
 * Checks the whole ledger against the public key of its checkpoints: every row's leaf is recomputed from what it was
 * made of, every node of the tree is computed again and held against the stored one, every checkpoint ever stored must be
 * signed and have the root that the rows give (so any two of them are consistent), and what is kept beside the rows (names,
 * keys, callers, erasures) must be what the rows say. One pass, one moment; `db` may be opened
 * read-only, while the server runs or without it. Never throws for what the file contains.
 */
export function verifyLedger(
  db: Database,
  publicKey: KeyObject,
  origin?: string,
  { records = new LedgerRecords(), isFrozen = false }: VerifyLedgerOptions = {},
): LedgerReport {
  return new LedgerVerifier(publicKey, origin, records, isFrozen).verify(db);
}

class LedgerVerifier {
  readonly #publicKey: KeyObject;
  readonly #keyHash: Uint8Array;
  readonly #origin: string | undefined;
  readonly #problems = new LedgerProblems();
  readonly #records: LedgerRecords;
  readonly #isFrozen: boolean;
  readonly #erasures = new ErasureCheck(this.#problems);
  readonly #checks: LedgerResult['checks'][number][] = [];
  #tree: TreeCheck | undefined;
  #count = 0;
  #events = 0;
  #checkpoints = 0;
  #integrated = 0;

  constructor(publicKey: KeyObject, origin: string | undefined, records: LedgerRecords, isFrozen: boolean) {
    this.#records = records;
    this.#isFrozen = isFrozen;
    records.reportTo(this.#problems);
    this.#publicKey = publicKey;
    this.#keyHash = ecdsaKeyHash(publicKey.export({ type: 'spki', format: 'der' }));
    this.#origin = origin;
  }

  verify(db: Database): LedgerReport {
    try {
      this.#checkFile(db);
      this.#checkRows(db);
    } catch (error) {
      this.#problems.add('ledger.file_damaged', `the file cannot be read on: ${(error as Error).message}`);
    }
    const { first, counts } = this.#problems;
    return {
      ok: first.length === 0,
      token_count: this.#count - this.#events,
      event_count: this.#events,
      erased_count: this.#erasures.count,
      integrated_count: this.#integrated,
      checkpoint_count: this.#checkpoints,
      root_hash: Buffer.from(this.#tree?.root() ?? NO_LEAF).toString('hex'),
      checks: this.#checks,
      problems: first,
      problem_counts: counts,
    };
  }

  /** SQLite's own structure: every table and index of the file. */
  #checkFile({ sqlite }: Database): void {
    for (const row of sqlite.prepare('PRAGMA integrity_check(100)').all()) {
      const finding = String(row['integrity_check']);
      if (finding !== 'ok') this.#problems.add('ledger.file_damaged', finding);
    }
    this.#note('file', 'every page, row and index entry of the database, by SQLite’s integrity check');
  }

  #checkRows(db: Database): void {
    using snapshot = new LedgerSnapshot(db);
    for (const table of db.changedTables())
      this.#problems.add('ledger.tables_changed', `${table} is not the table or index that this program makes`);
    const stored = this.#openTree(snapshot);
    const tree = snapshot.startTree();
    this.#tree = tree;
    const heads = stored?.checkedHeads() ?? [][Symbol.iterator]();
    let head = heads.next();
    const checkHeads = () => {
      for (; !head.done && head.value.size <= this.#count; head = heads.next()) this.#checkHead(head.value, tree);
    };
    for (const row of snapshot.ledger.rawRows()) {
      checkHeads();
      this.#checkRow(row, tree);
    }
    checkHeads();
    for (; !head.done; head = heads.next()) {
      const { size } = head.value;
      this.#problems.add('ledger.rows_missing', `a checkpoint covers ${size} rows, ${this.#count} are here`, { size });
      this.#checkSignature(head.value);
    }
    this.#checkTree(tree);
    if (stored?.hasStrayRows())
      this.#problems.add('ledger.tree_mismatch', 'there are nodes or checkpoints of an unknown tree');
    this.#checkBeside(snapshot);
  }

  /** A tree whose nodes contradict its own checkpoint does not open; the rows are looked at all the same. */
  #openTree(snapshot: LedgerSnapshot): MerkleLogStore | undefined {
    try {
      return snapshot.tree;
    } catch (error) {
      this.#problems.add('ledger.tree_mismatch', (error as Error).message);
      return undefined;
    }
  }

  #checkRow(row: RawLedgerRow, tree: TreeCheck): void {
    const [seq, jti, issued_at, salt, leaf_version, leaf_hash, payload, authorization, content_hash] = row;
    if (seq !== this.#count) this.#problems.add('ledger.seq_gap', `row ${this.#count} was expected here`, { seq });
    const facts = { leaf_version, jti, issued_at };
    if (payload === null || salt === null) {
      this.#erasures.erasedRow(seq, jti, Buffer.from(leaf_hash).toString('hex'));
      this.#records.names.erasedRow(issued_at);
      const leaf = content_hash && ledgerLeafHash(facts, Buffer.from(content_hash).toString('hex'));
      if (authorization !== null || payload !== null || salt !== null)
        this.#problems.add('ledger.leaf_mismatch', 'an erased row has some of what was erased', { seq });
      else if (leaf == null || Buffer.compare(leaf, leaf_hash) !== 0)
        this.#problems.add('ledger.leaf_mismatch', 'the leaf is not the hash of jti, time and content hash', { seq });
    } else {
      this.#checkContent(row, facts, salt, payload);
    }
    for (const { level, index } of tree.add(leaf_hash.length === HASH_BYTES ? leaf_hash : NO_LEAF)) {
      const message = `node ${index} on level ${level} is not what the rows give`;
      this.#problems.add('ledger.tree_mismatch', message, { seq });
    }
    this.#count += 1;
  }

  #checkContent(row: RawLedgerRow, facts: Parameters<typeof ledgerLeafHash>[0], salt: Uint8Array, payload: string) {
    const [seq, jti, issued_at, , , leaf_hash, , authorization, content_hash] = row;
    if (!isLeafOf(leaf_hash, facts, salt, payload, authorization)) {
      const parts = authorization === null ? 'salt and payload' : 'salt, payload and authorization';
      this.#problems.add('ledger.leaf_mismatch', `the leaf is not the hash of ${parts}`, { seq });
    }
    if (content_hash !== null)
      this.#problems.add('ledger.payload_mismatch', 'a row that is not erased has the hash of an erased one', { seq });
    const members = parsedPayload(payload);
    if (members?.['jti'] !== jti || members['iat'] !== issued_at) {
      this.#problems.add('ledger.payload_mismatch', 'the payload has another jti or iat than its row', { seq });
    }
    if (members === undefined) return;
    if (!isLedgerEvent(members)) return this.#records.names.row(seq, issued_at, members);
    this.#events += 1;
    this.#erasures.event(seq, members);
    this.#records.erasures.event(members);
    this.#records.callers.event(members);
  }

  #checkHead(head: TreeHead & { readonly isAsWritten: boolean }, tree: TreeCheck): void {
    this.#checkSignature(head);
    const { size } = head;
    if (!head.isAsWritten)
      this.#problems.add('ledger.head_malformed', 'the time of the checkpoint is not the one that was written', {
        size,
      });
    if (equalBytes(head.root, tree.root())) return;
    this.#problems.add('ledger.head_mismatch', 'the rows give another root than this checkpoint', { size });
  }

  #checkSignature({ size, root, note }: TreeHead): void {
    this.#checkpoints += 1;
    this.#integrated = Math.max(this.#integrated, size);
    const parsed = parseNote(note);
    const checkpoint = parsed.ok ? parseCheckpoint(parsed.value.text) : undefined;
    if (!parsed.ok || !checkpoint?.ok) {
      this.#problems.add('ledger.head_malformed', 'the stored note is not a checkpoint', { size });
      return;
    }
    const { value } = checkpoint;
    const isSame = value.size === size && equalBytes(value.root, root);
    if (!isSame || (this.#origin !== undefined && value.origin !== this.#origin)) {
      this.#problems.add('ledger.head_malformed', 'the note is of another tree than it is stored for', { size });
    }
    const isSigned = parsed.value.signatures.some(
      ({ name, keyHash, signature }) =>
        name === value.origin &&
        equalBytes(keyHash, this.#keyHash) &&
        verify('sha256', Buffer.from(parsed.value.text), this.#publicKey, signature),
    );
    if (!isSigned) {
      this.#problems.add('ledger.head_signature_invalid', "no signature by the ledger's key is valid", { size });
    }
  }

  /** The stored nodes, from which proofs are made, end where the newest checkpoint does. */
  #checkTree(tree: TreeCheck): void {
    const size = tree.storedLeaves;
    if (size !== this.#integrated) {
      const message = `the tree has ${size} leaves, its checkpoint ${this.#integrated}`;
      this.#problems.add('ledger.tree_mismatch', message, { size });
    }
    if (tree.surplus() !== 0) {
      this.#problems.add('ledger.tree_mismatch', 'there are nodes that no row gives', { size });
    }
    this.#note('rows', `${this.#count} leaves computed again from their rows; jti and time`);
    this.#note('tree', `${tree.nodes} nodes computed again from the leaves`);
    const origin = this.#origin === undefined ? '' : ` and of ${this.#origin}`;
    this.#note(
      'checkpoints',
      `${this.#checkpoints}, each signed by the key${origin}, with the root that its rows give`,
    );
  }

  /** What is kept beside the rows. */
  #checkBeside({ ledger, names, callers, used }: LedgerSnapshot): void {
    const later = this.#erasures.erasures(ledger.erasures(), ledger.laterErasures());
    this.#records.erasures.rows(this.#origin ?? '', later);
    this.#note('erasures', `${this.#erasures.count} erased rows, each with the event that records it`);
    if (this.#isFrozen) return;
    this.#records.erasures.finish();
    if (names !== undefined) {
      this.#records.names.names(names.all());
      const { confirmed, unconfirmed } = this.#records.names;
      const rest = unconfirmed === 0 ? '' : `; ${unconfirmed} whose rows are all erased`;
      this.#note('agents', `${confirmed} names and ids as their rows say${rest}`);
    }
    if (callers !== undefined) {
      const { keys, revoked } = this.#records.callers.records(callers);
      this.#note('callers', `${keys} API keys and ${revoked} revoked callers as their events say`);
    }
    if (used === undefined) return;
    const { rows, changed } = used.check();
    if (changed > 0)
      this.#problems.add(
        'ledger.used_token_mismatch',
        `${changed} of ${rows} used tokens are not as they were written`,
      );
    this.#note('used tokens', `${rows}, by their checksums`);
  }

  #note(check: string, detail: string): void {
    this.#checks.push({ check, detail });
  }
}

function isLeafOf(
  leaf: Uint8Array,
  facts: Parameters<typeof ledgerLeafHash>[0],
  salt: Uint8Array,
  payload: string,
  authorization: string | null,
): boolean {
  if (!isOneLine(payload) || (authorization !== null && !isOneLine(authorization))) return false;
  const computed = ledgerLeafHash(facts, contentHash(salt, payload, authorization));
  return computed !== undefined && Buffer.compare(computed, leaf) === 0;
}

function parsedPayload(payload: string): { readonly [member: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? (value as { readonly [member: string]: unknown }) : undefined;
  } catch {
    return undefined;
  }
}
