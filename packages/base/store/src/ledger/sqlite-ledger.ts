import { consistencyProof, equalBytes } from '@colophon/merkle';
import { type AgentName, AgentNameStore } from '../agent-name-store/agent-name-store.ts';
import { type CallerChange, CallerStore } from '../caller-store/caller-store.ts';
import type { Database } from '../database/database.ts';
import { type Erasure, LedgerStore, type NewLedgerRow } from '../ledger-store/ledger-store.ts';
import { MerkleLogStore, type TreeHead } from '../merkle-log-store/merkle-log-store.ts';
import { conflictOf, StoreError } from '../store-error/store-error.ts';
import { UsedTokenStore } from '../used-token-store/used-token-store.ts';
import { findToken } from './find-token.ts';
import type { FoundToken, LedgerStorage, LedgerTail, NewToken, PendingLeaves, TreeAdvance } from './ledger-storage.ts';

type Waiting = {
  readonly tokens: readonly NewToken[];
  readonly change: CallerChange | undefined;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
};

/** A {@link LedgerStorage} in one SQLite file: all that is appended in one turn of the event loop is one write. */
export class SqliteLedger implements LedgerStorage {
  /** Who holds keys, in the same file. */
  readonly callers: CallerStore;
  readonly #db: Database;
  readonly #names: AgentNameStore;
  readonly #rows: LedgerStore;
  readonly #tree: MerkleLogStore;
  readonly #used: UsedTokenStore;
  #waiting: Waiting[] = [];

  /** @throws StoreError `store.tree_corrupt`, and those of {@link Database.migrate}. */
  constructor(db: Database) {
    this.#db = db;
    this.#names = new AgentNameStore(db);
    this.#rows = new LedgerStore(db);
    this.#tree = new MerkleLogStore(db, 'ledger');
    this.#used = new UsedTokenStore(db, 'used_caller_token');
    this.callers = new CallerStore(db);
  }

  async findName(name: string): Promise<AgentName | undefined> {
    return this.#names.find(name);
  }

  /**
   * As {@link LedgerStorage.append}; `change` is made in the same transaction as the rows that record it. Rejects with
   * `store.conflict` for a key's id that is taken, and for what is revoked already or unknown.
   */
  append(tokens: readonly NewToken[], change?: CallerChange): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ tokens, change, resolve, reject });
      if (this.#waiting.length === 1) this.#commitThisTurn();
    });
  }

  async find(jti: string): Promise<FoundToken | undefined> {
    return this.#db.snapshot(() => findToken(this.#rows, this.#tree, jti));
  }

  erase(erasure: Erasure): Promise<void> {
    return this.#db.write(() => this.#rows.erase(erasure));
  }

  /**
   * Appends the row that records that a row of a frozen ledger is erased. Rejects with `store.conflict` where one says so already.
   */
  recordErasure(jti: string, event: NewLedgerRow): Promise<void> {
    return this.#db.write(() => {
      if (this.#rows.erasureEventOf(jti) !== undefined)
        throw new StoreError('store.conflict', 'another row says already that it is erased');
      this.#rows.append([event]);
    });
  }

  /** Payload of the event of this ledger that names a token as erased. Reads every row. */
  erasureEventOf(jti: string): string | undefined {
    return this.#rows.erasureEventOf(jti);
  }

  /** As erase, in a ledger that is frozen. @param event payload of the row that records it in another ledger */
  eraseFrozen(jti: string, contentHash: Uint8Array, event: string): Promise<void> {
    return this.#db.write(() => this.#rows.eraseLater(jti, contentHash, event));
  }

  /** Whether old copies of erased rows may still be in the file. */
  hasUnfinishedErasures(): boolean {
    return this.#unfinished().length > 0;
  }

  /**
   * Writes the file anew, so that no copy of what was erased is left in it, and empties the write-ahead log. Takes as long as the file is
   * large, and nobody else writes meanwhile. Rejects with `store.unavailable` where another process holds the file: the rows stay marked, and
   * the same call goes on later.
   */
  async finishErasures(): Promise<void> {
    const seqs = this.#unfinished();
    if (seqs.length === 0) return;
    this.#db.rewrite();
    await this.#db.write(() => this.#rows.finish(seqs));
  }

  #unfinished(): readonly number[] {
    const kept = [...this.#rows.erasures(), ...this.#rows.laterErasures()];
    return kept.flatMap(({ seq, is_finished }) => (is_finished === 1 ? [] : [seq]));
  }

  async tail(): Promise<LedgerTail> {
    return this.#db.snapshot(() => ({
      rows: this.#rows.size(),
      lastIssuedAt: this.#rows.last()?.issued_at,
      leaves: this.#tree.size(),
      root: this.#tree.root(),
      head: this.#tree.head(),
    }));
  }

  async consistency(first: number, second: number): Promise<readonly Uint8Array[] | undefined> {
    return this.#db.snapshot(() => {
      const isCovered = second <= (this.#tree.head()?.size ?? 0);
      return isCovered && 0 < first && first <= second ? consistencyProof(first, second, this.#tree.read) : undefined;
    });
  }

  async pending(limit: number): Promise<PendingLeaves> {
    return this.#db.snapshot(() => {
      const head = this.#tree.head();
      const size = head?.size ?? 0;
      return { head, edge: this.#tree.edge(size), leafHashes: this.#rows.leafHashesFrom(size, limit) };
    });
  }

  advance({ from, nodes, to }: TreeAdvance): Promise<void> {
    return this.#db.write(() => {
      if (!isSameHead(from, this.#tree.head()))
        throw new StoreError('store.conflict', 'the tree has another head than was read');
      this.#tree.addNodes(nodes);
      this.#tree.saveHead(to);
    });
  }

  #commitThisTurn(): void {
    let batch: Waiting[] | undefined;
    const written = this.#db.write(() => {
      batch = this.#take();
      this.#add(batch);
    });
    written.then(
      () => {
        for (const { resolve } of batch!) resolve();
      },
      // A transaction that could not even begin has not taken its rows yet.
      (error: unknown) => this.#refuse(batch ?? this.#take(), conflictOf(error)),
    );
  }

  #add(batch: readonly Waiting[]): void {
    const rows: NewLedgerRow[] = [];
    for (const { tokens, change } of batch) {
      for (const { row, name, use } of tokens) {
        if (use !== undefined && !this.#used.use(use.tokenKey, use)) throw tokenUsed();
        if (name !== undefined) this.#names.insert(name, row.issued_at);
        rows.push(row);
      }
      if (change !== undefined) this.callers.apply(change);
    }
    this.#rows.append(rows);
  }

  /** Of calls that share a write only those in conflict are refused: each is tried by itself. */
  #refuse(batch: readonly Waiting[], error: unknown): void {
    if (batch.length === 1 || !isOfOneCall(error)) {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const one of batch) {
      this.#db.write(() => this.#add([one])).then(one.resolve, (reason: unknown) => one.reject(conflictOf(reason)));
    }
  }

  #take(): Waiting[] {
    const batch = this.#waiting;
    this.#waiting = [];
    return batch;
  }
}

const tokenUsed = () => new StoreError('store.token_used', 'this token counts once, and was used before');

/** Whether a call was refused for what it brought, so that the others of its write may be fine. */
function isOfOneCall(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'store.conflict' || error.code === 'store.token_used');
}

function isSameHead(one: TreeHead | undefined, other: TreeHead | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.size === other.size && equalBytes(one.root, other.root);
}
