import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';
import type { TreeName } from './merkle-log-store.ts';

const MIGRATIONS = [
  'CREATE TABLE tree_key (tree TEXT PRIMARY KEY, key_id BLOB NOT NULL CHECK (length(key_id) = 32)) STRICT, WITHOUT ROWID',
];

/** Which key signs the heads of each tree: written once, at the tree's first start, and never changed. */
export class TreeKeyStore {
  readonly #db: Database;
  readonly #find: StatementSync;
  readonly #pin: StatementSync;

  /** @throws StoreError, those of {@link Database.migrate} */
  constructor(db: Database) {
    db.migrate('tree-key', MIGRATIONS);
    this.#db = db;
    this.#find = db.sqlite.prepare('SELECT key_id FROM tree_key WHERE tree = ?');
    this.#pin = db.sqlite.prepare('INSERT INTO tree_key VALUES (?, ?) ON CONFLICT DO NOTHING');
  }

  /** SHA-256 over the key's SubjectPublicKeyInfo, or undefined where none was pinned yet. */
  find(tree: TreeName): Uint8Array | undefined {
    return this.#db.read(() => this.#find.get(tree)?.['key_id']) as Uint8Array | undefined;
  }

  /** Pins the key, unless the tree has one already. @throws StoreError where that cannot be written */
  pin(tree: TreeName, keyId: Uint8Array): Promise<void> {
    return this.#db.write(() => this.pinWithin(tree, keyId));
  }

  /** The same; call inside `db.write`. */
  pinWithin(tree: TreeName, keyId: Uint8Array): void {
    this.#pin.run(tree, keyId);
  }
}
