import {
  AgentNameStore,
  CallerStore,
  type Database,
  LedgerStore,
  MerkleLogStore,
  TreeCheck,
  UsedTokenStore,
} from '@colophon/store';

/**
 * The ledger at one moment: what is read until it is disposed of does not change, and a writer in another process is
 * neither seen nor stopped. A connection that also writes cannot write meanwhile.
 */
export class LedgerSnapshot implements Disposable {
  readonly ledger: LedgerStore;
  /** What stands beside the rows; undefined in the copy of a ledger that a restore froze. */
  readonly names: AgentNameStore | undefined;
  readonly callers: CallerStore | undefined;
  readonly used: UsedTokenStore | undefined;
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
      this.names = ifThere(db, 'agent_name', () => new AgentNameStore(db));
      this.callers = ifThere(db, 'api_key', () => new CallerStore(db));
      this.used = ifThere(db, 'used_caller_token', () => new UsedTokenStore(db, 'used_caller_token'));
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

  /** To be handed every leaf, and to hold the stored nodes against them, also where the tree contradicts its checkpoint. */
  startTree(): TreeCheck {
    return new TreeCheck(this.#db, 'ledger');
  }

  [Symbol.dispose](): void {
    if (this.#db.sqlite.isTransaction) this.#db.sqlite.exec('ROLLBACK');
  }
}

/** The copy of a frozen ledger has its rows and its tree alone. */
function ifThere<T>({ readonly, sqlite }: Database, table: string, open: () => T): T | undefined {
  const isThere = sqlite.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(table) !== undefined;
  return isThere || !readonly ? open() : undefined;
}
