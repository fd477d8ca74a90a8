import type { TreeNode } from '@colophon/merkle';
import type { AgentName } from '../agent-name-store/agent-name-store.ts';
import type { Erasure, LedgerRow, NewLedgerRow } from '../ledger-store/ledger-store.ts';
import type { TreeHead } from '../merkle-log-store/merkle-log-store.ts';

/** A caller's own token that counts once; times in seconds. */
export type TokenUse = {
  /** A hash: the token itself is never stored. */
  readonly tokenKey: Uint8Array;
  readonly now: number;
  /** From when on the token must be invalid anyhow. */
  readonly forgetAt: number;
};

/** A token that is about to be signed. */
export type NewToken = {
  readonly row: NewLedgerRow;
  /** Of its agent, where the ledger may not have that yet. */
  readonly name?: AgentName;
  /** Of the caller's token, where that counts once. */
  readonly use?: TokenUse;
};

/** A row, and the newest head with the audit path of the row's leaf where that head covers it. */
export type FoundToken = {
  readonly row: LedgerRow;
  /** The row that records that this one was erased, which may stand in a later ledger. */
  readonly erasure?: Pick<LedgerRow, 'payload'>;
  /** `path`: hashes, nearest to the leaf first (RFC 6962 §2.1.1). */
  readonly covered: { readonly head: TreeHead; readonly path: readonly Uint8Array[] } | undefined;
};

/** What is stored, in short: enough to see that a file was cut, rolled back or exchanged. */
export type LedgerTail = {
  /** Tokens ever issued, and events. */
  readonly rows: number;
  /** Seconds since the epoch, of the last row. */
  readonly lastIssuedAt: number | undefined;
  readonly leaves: number;
  /** Over all `leaves`. */
  readonly root: Uint8Array;
  readonly head: TreeHead | undefined;
};

/** What a sequencer reads, and hands to `grownTree`. */
export type PendingLeaves = {
  readonly head: TreeHead | undefined;
  /** By level, the hash of each complete subtree that the head's root is made of; holes where it has none. */
  readonly edge: readonly (Uint8Array | undefined)[];
  /** Of the rows from `head.size` on, in their order. */
  readonly leafHashes: readonly Uint8Array[];
};

/** From one head to the next: `from` is what was read, undefined for the empty tree. */
export type TreeAdvance = {
  readonly from: TreeHead | undefined;
  /** Every complete subtree that the new leaves make. */
  readonly nodes: readonly TreeNode[];
  readonly to: TreeHead;
};

/**
 * Where the ledger's rows, the agents' names and the tree are kept. What an answer rests on is durable before the promise
 * is fulfilled, and a rejected promise means that nothing was written, but for `store.outcome_unknown`. No transaction is
 * open between two calls, so nobody signs inside one. Several processes may share a storage.
 *
 * Rejects with StoreError: `store.conflict` and `store.token_used` where said, else `store.unavailable` (the same call may be tried again),
 * `store.corrupt`, `store.closed`, `store.outcome_unknown`.
 */
export interface LedgerStorage {
  /** The registered name that equals `name` but for case. */
  findName(name: string): Promise<AgentName | undefined>;
  /**
   * Adds rows in their order with their agents' names, all or none; rows are numbered 0, 1, 2, … without gaps. Calls that
   * come together may share a transaction, and one that is refused takes no other with it. Rejects with `store.conflict`
   * for a jti that is there, and for a name, in any case, that has another spelling or identifier. A name that is there
   * with the same is kept as it is. Rejects with `store.token_used` where the key of a `use` is there; else it is kept
   * until `forgetAt`, in the same transaction as the rows.
   */
  append(tokens: readonly NewToken[]): Promise<void>;
  /** Of one moment; undefined where no such token was issued. */
  find(jti: string): Promise<FoundToken | undefined>;
  /**
   * Drops payload, salt and authorization of a row, keeps its leaf and the digest of what it dropped, and appends the row that
   * records it: both, or neither. Rejects with `store.conflict` where there is no such row, or it is erased.
   */
  erase(erasure: Erasure): Promise<void>;
  /** Of one moment. */
  tail(): Promise<LedgerTail>;
  /**
   * The proof that the first `second` leaves begin with the first `first` (RFC 6962 §2.1.2); undefined unless
   * 0 < first ≤ second, and a head covers them.
   */
  consistency(first: number, second: number): Promise<readonly Uint8Array[] | undefined>;
  /** The tree under its newest head, and at most `limit` leaves that come next. */
  pending(limit: number): Promise<PendingLeaves>;
  /**
   * Writes nodes and head together if the newest head still is `from`. Rejects with `store.conflict` where it is another:
   * who lost reads anew. With `store.fork` for nodes that contradict stored ones or do not give the root of `to`.
   */
  advance(step: TreeAdvance): Promise<void>;
}
