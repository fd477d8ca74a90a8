import { equalBytes } from '@colophon/merkle';
import { type AgentName, AgentNameStore } from '../agent-name-store/agent-name-store.ts';
import type { Database } from '../database/database.ts';
import { LedgerStore } from '../ledger-store/ledger-store.ts';
import { MerkleLogStore, type TreeHead } from '../merkle-log-store/merkle-log-store.ts';
import { conflictOf, StoreError } from '../store-error/store-error.ts';
import { findToken } from './find-token.ts';
import type { FoundToken, LedgerStorage, LedgerTail, NewToken, PendingLeaves, TreeAdvance } from './ledger-storage.ts';

type Waiting = {
  readonly tokens: readonly NewToken[];
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
};

/** A {@link LedgerStorage} in one SQLite file: all that is appended in one turn of the event loop is one write. */
export class SqliteLedger implements LedgerStorage {
  readonly #db: Database;
  readonly #names: AgentNameStore;
  readonly #rows: LedgerStore;
  readonly #tree: MerkleLogStore;
  #waiting: Waiting[] = [];

  /** @throws StoreError `store.tree_corrupt`, and those of {@link Database.migrate}. */
  constructor(db: Database) {
    this.#db = db;
    this.#names = new AgentNameStore(db);
    this.#rows = new LedgerStore(db);
    this.#tree = new MerkleLogStore(db, 'ledger');
  }

  async findName(name: string): Promise<AgentName | undefined> {
    return this.#names.find(name);
  }

  append(tokens: readonly NewToken[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ tokens, resolve, reject });
      if (this.#waiting.length === 1) this.#commitThisTurn();
    });
  }

  async find(jti: string): Promise<FoundToken | undefined> {
    return this.#db.snapshot(() => findToken(this.#rows, this.#tree, jti));
  }

  erase(jti: string): Promise<boolean> {
    return this.#db.write(() => this.#rows.erase(jti));
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
      this.#add(batch.flatMap(({ tokens }) => tokens));
    });
    written.then(
      () => {
        for (const { resolve } of batch!) resolve();
      },
      // A transaction that could not even begin has not taken its rows yet.
      (error: unknown) => this.#refuse(batch ?? this.#take(), conflictOf(error)),
    );
  }

  #add(tokens: readonly NewToken[]): void {
    for (const { row, name } of tokens) {
      if (name !== undefined) this.#names.insert(name, row.issued_at);
    }
    this.#rows.append(tokens.map(({ row }) => row));
  }

  /** Of calls that share a write only those in conflict are refused: each is tried by itself. */
  #refuse(batch: readonly Waiting[], error: unknown): void {
    if (batch.length === 1 || !(error instanceof StoreError) || error.code !== 'store.conflict') {
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const { tokens, resolve, reject } of batch) {
      this.#db.write(() => this.#add(tokens)).then(resolve, (reason: unknown) => reject(conflictOf(reason)));
    }
  }

  #take(): Waiting[] {
    const batch = this.#waiting;
    this.#waiting = [];
    return batch;
  }
}

function isSameHead(one: TreeHead | undefined, other: TreeHead | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.size === other.size && equalBytes(one.root, other.root);
}
