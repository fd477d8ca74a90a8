import { type Database, LedgerStore, MerkleLogStore } from '@colophon/store';

/**
 * The ledger at one moment: what is read until it is disposed of does not change, and a writer in another process is
 * neither seen nor stopped. A connection that also writes cannot write meanwhile.
 */
export class LedgerSnapshot implements Disposable {
  readonly ledger: LedgerStore;
  readonly #db: Database;
  readonly #tree: MerkleLogStore | undefined;
  readonly #treeError: unknown;

  /** @throws StoreError where the file has no ledger or cannot be read. */
  constructor(db: Database) {
    this.#db = db;
    // Opening the stores of a writable file may make their tables, in transactions of their own.
    if (db.readonly) db.sqlite.exec('BEGIN');
    try {
      this.ledger = new LedgerStore(db);
      try {
        this.#tree = new MerkleLogStore(db, 'ledger');
      } catch (error) {
        this.#treeError = error;
      }
      if (!db.readonly) db.sqlite.exec('BEGIN');
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    }
  }

  /** @throws StoreError store.tree_corrupt where the tree contradicts its own newest checkpoint. */
  get tree(): MerkleLogStore {
    if (this.#tree === undefined) throw this.#treeError;
    return this.#tree;
  }

  [Symbol.dispose](): void {
    if (this.#db.sqlite.isTransaction) this.#db.sqlite.exec('ROLLBACK');
  }
}
