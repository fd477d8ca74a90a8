import { type KeyObject, verify } from 'node:crypto';
import { ecdsaKeyHash, equalBytes, nodesOfLeaf, parseCheckpoint, parseNote, rootHash } from '@colophon/merkle';
import type { Database, LedgerRow, MerkleLogStore } from '@colophon/store';
import { isLedgerEvent } from './ledger-event.ts';
import { isOneLine, ledgerLeafHash } from './ledger-leaf.ts';
import type { LedgerResult } from './ledger-result.ts';
import { LedgerSnapshot } from './ledger-snapshot.ts';

export const LEDGER_PROBLEM_CODES = [
  'ledger.file_damaged',
  'ledger.seq_gap',
  'ledger.leaf_mismatch',
  'ledger.payload_mismatch',
  'ledger.head_malformed',
  'ledger.head_signature_invalid',
  'ledger.head_mismatch',
  'ledger.rows_missing',
  'ledger.tree_mismatch',
] as const;
export type LedgerProblemCode = (typeof LEDGER_PROBLEM_CODES)[number];

/** Something that must not be; `seq` is the row, `size` the tree size of the checkpoint. */
export type LedgerProblem = {
  readonly code: LedgerProblemCode;
  readonly message: string;
  readonly seq?: number;
  readonly size?: number;
};

/** What was looked at, and everything wrong that was found. */
export type LedgerReport = LedgerResult & {
  /** The first 1,000. */
  readonly problems: readonly LedgerProblem[];
  /** How many problems of each code there are. */
  readonly problem_counts: { readonly [code in LedgerProblemCode]?: number };
};

const MAX_PROBLEMS = 1_000;

type Head = { readonly size: number; readonly root: Uint8Array; readonly note: string };

/**
 * Checks the whole ledger against the public key of its checkpoints: every row's leaf is recomputed from what it was
 * made of, the tree is built again, every checkpoint ever stored must be signed and have the root that the rows give
 * (so any two of them are consistent), and the stored tree must agree. One pass, one moment; `db` may be opened
 * read-only, while the server runs or without it. Never throws for what the file contains.
 */
export function verifyLedger(db: Database, publicKey: KeyObject, origin?: string): LedgerReport {
  return new LedgerVerifier(publicKey, origin).verify(db);
}

class LedgerVerifier {
  readonly #publicKey: KeyObject;
  readonly #keyHash: Uint8Array;
  readonly #origin: string | undefined;
  readonly #problems: LedgerProblem[] = [];
  readonly #counts: { [code in LedgerProblemCode]?: number } = {};
  /** The right edge of the tree that the rows give. */
  readonly #edge: Uint8Array[] = [];
  #count = 0;
  #erased = 0;
  #events = 0;
  #checkpoints = 0;
  #integrated = 0;

  constructor(publicKey: KeyObject, origin: string | undefined) {
    this.#publicKey = publicKey;
    this.#keyHash = ecdsaKeyHash(publicKey.export({ type: 'spki', format: 'der' }));
    this.#origin = origin;
  }

  verify(db: Database): LedgerReport {
    try {
      this.#checkFile(db);
      this.#checkRows(db);
    } catch (error) {
      this.#report('ledger.file_damaged', `the file cannot be read on: ${(error as Error).message}`);
    }
    return {
      ok: Object.keys(this.#counts).length === 0,
      token_count: this.#count - this.#events,
      event_count: this.#events,
      erased_count: this.#erased,
      integrated_count: this.#integrated,
      checkpoint_count: this.#checkpoints,
      root_hash: Buffer.from(this.#root()).toString('hex'),
      problems: this.#problems,
      problem_counts: this.#counts,
    };
  }

  /** SQLite's own structure: the tables of the ledger and their indexes. */
  #checkFile({ sqlite }: Database): void {
    for (const row of sqlite.prepare('PRAGMA integrity_check(100)').all()) {
      const finding = String(row['integrity_check']);
      if (finding !== 'ok') this.#report('ledger.file_damaged', finding);
    }
  }

  #checkRows(db: Database): void {
    using snapshot = new LedgerSnapshot(db);
    const tree = this.#openTree(snapshot);
    const heads = (tree?.heads() ?? [])[Symbol.iterator]();
    let head = heads.next();
    const checkHeads = () => {
      for (; !head.done && head.value.size <= this.#count; head = heads.next()) this.#checkHead(head.value);
    };
    for (const row of snapshot.ledger.rowsFrom()) {
      checkHeads();
      this.#checkRow(row);
    }
    checkHeads();
    for (; !head.done; head = heads.next()) {
      const { size } = head.value;
      this.#report('ledger.rows_missing', `a checkpoint covers ${size} rows, ${this.#count} are here`, { size });
      this.#checkSignature(head.value);
    }
    if (tree !== undefined) this.#checkTree(tree);
  }

  /** A tree whose nodes contradict its own checkpoint does not open; the rows are looked at all the same. */
  #openTree(snapshot: LedgerSnapshot): MerkleLogStore | undefined {
    try {
      return snapshot.tree;
    } catch (error) {
      this.#report('ledger.tree_mismatch', (error as Error).message);
      return undefined;
    }
  }

  #checkRow({ seq, jti, issued_at, salt, leaf_hash, payload, authorization }: LedgerRow): void {
    if (seq !== this.#count) {
      this.#report('ledger.seq_gap', `row ${this.#count} was expected here`, { seq });
    }
    if (payload === null || salt === null) {
      this.#erased += 1;
      // Nothing is left that it could be held against.
      if (authorization !== null) {
        this.#report('ledger.leaf_mismatch', 'an erased row has an authorization', { seq });
      }
    } else {
      if (!isLeafOf(leaf_hash, salt, payload, authorization)) {
        const parts = authorization === null ? 'salt and payload' : 'salt, payload and authorization';
        this.#report('ledger.leaf_mismatch', `the leaf is not the hash of ${parts}`, { seq });
      }
      const members = parsedPayload(payload);
      if (members?.['jti'] !== jti || members['iat'] !== issued_at) {
        this.#report('ledger.payload_mismatch', 'the payload has another jti or iat than its row', { seq });
      }
      if (members !== undefined && isLedgerEvent(members)) this.#events += 1;
    }
    const leaf = leaf_hash.length === 32 ? leaf_hash : new Uint8Array(32);
    for (const node of nodesOfLeaf(this.#count, leaf, (level) => this.#edge[level]!))
      this.#edge[node.level] = node.hash;
    this.#count += 1;
  }

  #checkHead(head: Head): void {
    this.#checkSignature(head);
    if (equalBytes(head.root, this.#root())) return;
    this.#report('ledger.head_mismatch', 'the rows give another root than this checkpoint', { size: head.size });
  }

  #checkSignature({ size, root, note }: Head): void {
    this.#checkpoints += 1;
    this.#integrated = Math.max(this.#integrated, size);
    const parsed = parseNote(note);
    const checkpoint = parsed.ok ? parseCheckpoint(parsed.value.text) : undefined;
    if (!parsed.ok || !checkpoint?.ok) {
      this.#report('ledger.head_malformed', 'the stored note is not a checkpoint', { size });
      return;
    }
    const { value } = checkpoint;
    const isSame = value.size === size && equalBytes(value.root, root);
    if (!isSame || (this.#origin !== undefined && value.origin !== this.#origin)) {
      this.#report('ledger.head_malformed', 'the note is of another tree than it is stored for', { size });
    }
    const isSigned = parsed.value.signatures.some(
      ({ name, keyHash, signature }) =>
        name === value.origin &&
        equalBytes(keyHash, this.#keyHash) &&
        verify('sha256', Buffer.from(parsed.value.text), this.#publicKey, signature),
    );
    if (!isSigned) {
      this.#report('ledger.head_signature_invalid', "no signature by the ledger's key is valid", { size });
    }
  }

  /** The stored nodes, from which proofs are made, at the size that they claim. */
  #checkTree(tree: MerkleLogStore): void {
    const size = tree.size();
    if (size !== this.#integrated) {
      this.#report('ledger.tree_mismatch', `the tree has ${size} leaves, its checkpoint ${this.#integrated}`, { size });
    }
    const head = tree.head();
    if (head !== undefined && head.size <= size && !equalBytes(tree.root(head.size), head.root)) {
      this.#report('ledger.tree_mismatch', 'the stored nodes give another root than the newest checkpoint', { size });
    }
  }

  #root(): Uint8Array {
    return rootHash(this.#count, (level) => this.#edge[level]!);
  }

  #report(code: LedgerProblemCode, message: string, where: { seq?: number; size?: number } = {}): void {
    this.#counts[code] = (this.#counts[code] ?? 0) + 1;
    if (this.#problems.length < MAX_PROBLEMS) this.#problems.push({ code, message, ...where });
  }
}

function isLeafOf(leaf: Uint8Array, salt: Uint8Array, payload: string, authorization: string | null): boolean {
  const bytes = Buffer.from(payload);
  if (!isOneLine(bytes) || (authorization !== null && !isOneLine(Buffer.from(authorization)))) return false;
  return equalBytes(ledgerLeafHash(salt, bytes, authorization), leaf);
}

function parsedPayload(payload: string): { readonly [member: string]: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(payload);
    return typeof value === 'object' && value !== null ? (value as { readonly [member: string]: unknown }) : undefined;
  } catch {
    return undefined;
  }
}
