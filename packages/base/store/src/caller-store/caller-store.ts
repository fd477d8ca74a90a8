import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';
import { isRowDigest, type RowValue, rowDigest } from '../row-digest/row-digest.ts';
import { StoreError } from '../store-error/store-error.ts';

/** One API key of a caller. Times in seconds since the epoch. */
export type ApiKeyRow = {
  readonly key_id: string;
  readonly caller: string;
  /** SHA-256 of the whole key, 32 bytes: the key itself is stored nowhere. */
  readonly secret_hash: Uint8Array;
  readonly created_at: number;
  /** From then on it is refused. */
  readonly expires_at: number;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
};

export type NewApiKeyRow = Omit<ApiKeyRow, 'revoked_at' | 'last_used_at'>;

/** A caller that gets nothing any more, by whatever credential. */
export type RevokedCaller = { readonly caller: string; readonly revoked_at: number };

/** A change of keys or callers, as a value: the ledger writes it together with the row that records it. */
export type CallerChange =
  | { readonly kind: 'key-created'; readonly key: NewApiKeyRow }
  | { readonly kind: 'key-revoked'; readonly keyId: string; readonly at: number }
  | { readonly kind: 'caller-revoked'; readonly caller: string; readonly at: number };

const STEPS = [
  `CREATE TABLE api_key (
     key_id TEXT PRIMARY KEY,
     caller TEXT NOT NULL,
     secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
     created_at INTEGER NOT NULL,
     expires_at INTEGER NOT NULL,
     revoked_at INTEGER,
     last_used_at INTEGER,
     row_digest BLOB NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE revoked_caller (caller TEXT PRIMARY KEY, revoked_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE caller_generation (generation INTEGER NOT NULL) STRICT;
   INSERT INTO caller_generation VALUES (0);`,
];

/** Number of the first schema that was released. */
const FIRST = 3;

const COLUMNS = 'key_id, caller, secret_hash, created_at, expires_at, revoked_at, last_used_at';

type Known = {
  readonly generation: number;
  readonly keys: ReadonlyMap<string, ApiKeyRow>;
  readonly revoked: ReadonlySet<string>;
};

/**
 * API keys, and callers that were revoked. `findKey` and `isRevoked` answer from memory, and ask the file whether keys or
 * callers have changed since, whoever changed them: what another process revokes is refused at the very next question.
 */
export class CallerStore {
  readonly #db: Database;
  readonly #generation: StatementSync;
  readonly #advance: StatementSync;
  readonly #keys: StatementSync;
  readonly #revoked: StatementSync;
  readonly #insertKey: StatementSync;
  readonly #revokeKey: StatementSync;
  readonly #revokeCaller: StatementSync;
  readonly #touch: StatementSync;
  readonly #sealed: StatementSync;
  #known: Known | undefined;
  /** Whether the file was asked since this process last did something else. */
  #isAsked = false;

  /** @throws StoreError as Database.migrate does. */
  constructor(db: Database) {
    db.migrate('caller', STEPS, FIRST);
    this.#db = db;
    const { sqlite } = db;
    this.#generation = sqlite.prepare('SELECT generation FROM caller_generation');
    this.#advance = sqlite.prepare('UPDATE caller_generation SET generation = generation + 1');
    this.#keys = sqlite.prepare(`SELECT ${COLUMNS} FROM api_key ORDER BY created_at, key_id`);
    this.#sealed = sqlite.prepare('SELECT * FROM api_key');
    this.#revoked = sqlite.prepare('SELECT caller, revoked_at FROM revoked_caller ORDER BY revoked_at, caller');
    this.#insertKey = sqlite.prepare(
      `INSERT INTO api_key (${COLUMNS}, row_digest) VALUES (?, ?, ?, ?, ?, NULL, NULL, ?)`,
    );
    this.#revokeKey = sqlite.prepare('UPDATE api_key SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL');
    this.#revokeCaller = sqlite.prepare('INSERT OR IGNORE INTO revoked_caller (caller, revoked_at) VALUES (?, ?)');
    this.#touch = sqlite.prepare(
      'UPDATE api_key SET last_used_at = max(coalesce(last_used_at, 0), ?) WHERE key_id = ?',
    );
  }

  /** Its `last_used_at` may be an older one. */
  findKey(id: string): ApiKeyRow | undefined {
    return this.#current().keys.get(id);
  }

  isRevoked(caller: string): boolean {
    return this.#current().revoked.has(caller);
  }

  /** Of every caller or of one, the oldest first; read from the file. */
  keys(caller?: string): ApiKeyRow[] {
    const all = this.#db.read(() => this.#keys.all()) as ApiKeyRow[];
    return caller === undefined ? all : all.filter((key) => key.caller === caller);
  }

  /** In the order in which they were revoked; read from the file. */
  revokedCallers(): RevokedCaller[] {
    return this.#db.read(() => this.#revoked.all()) as RevokedCaller[];
  }

  /**
   * Makes a change; call inside `db.write`.
   * @throws StoreError `store.conflict` for what is revoked already or unknown; Error (SQLite constraint) for a key's id
   * that is taken
   */
  apply(change: CallerChange): void {
    if (change.kind === 'key-created') this.insertKey(change.key);
    else if (change.kind === 'key-revoked') required(this.revokeKey(change.keyId, change.at));
    else required(this.revokeCaller(change.caller, change.at));
  }

  /** Call inside `db.write`. @throws Error (SQLite constraint) where the id is taken */
  insertKey(key: NewApiKeyRow): void {
    const { key_id, caller, secret_hash, created_at, expires_at } = key;
    const digest = rowDigest(valuesOf({ ...key, revoked_at: null, last_used_at: null }));
    this.#insertKey.run(key_id, caller, secret_hash, created_at, expires_at, digest);
    this.#change();
  }

  /** Call inside `db.write`. False where there is no such key, or it is revoked already. */
  revokeKey(id: string, at: number): boolean {
    this.#change();
    return Number(this.#revokeKey.run(at, id).changes) === 1 && this.#seal(id);
  }

  /** Call inside `db.write`. False where the caller is revoked already. */
  revokeCaller(caller: string, at: number): boolean {
    this.#change();
    return Number(this.#revokeCaller.run(caller, at).changes) === 1;
  }

  /** Keeps the last use of a key, if it is later than the one that is there; call inside `db.write`. */
  touch(id: string, at: number): void {
    this.#touch.run(at, id);
    this.#seal(id);
  }

  /** How often keys or callers were changed. */
  generation(): number {
    return this.#db.read(() => Number(this.#generation.get()?.['generation']));
  }

  /** Ids of the keys that are not as they were written. */
  changedKeys(): string[] {
    const rows = this.#db.read(() => this.#sealed.all()) as SealedKey[];
    return rows.filter((row) => !isRowDigest(row.row_digest, valuesOf(row))).map(({ key_id }) => key_id);
  }

  /** Keeps what the columns of a key are now, so that a change behind our back is found. */
  #seal(id: string): true {
    const { sqlite } = this.#db;
    const row = sqlite.prepare(`SELECT ${COLUMNS} FROM api_key WHERE key_id = ?`).get(id) as ApiKeyRow | undefined;
    if (row !== undefined)
      sqlite.prepare('UPDATE api_key SET row_digest = ? WHERE key_id = ?').run(rowDigest(valuesOf(row)), id);
    return true;
  }

  #change(): void {
    this.#isAsked = false;
    this.#advance.run();
  }

  #current(): Known {
    // What a write has changed so far may be undone: it is read, and not remembered.
    if (this.#db.sqlite.isTransaction) return this.#read();
    if (this.#isAsked && this.#known !== undefined) return this.#known;
    const generation = this.#db.read(() => this.#generation.get()?.['generation']);
    if (this.#known?.generation !== generation) this.#known = this.#db.snapshot(() => this.#read());
    // What one decision asks in one go is of one moment, and asks the file once.
    this.#isAsked = true;
    queueMicrotask(() => {
      this.#isAsked = false;
    });
    return this.#known!;
  }

  #read(): Known {
    return this.#db.read(() => ({
      generation: Number(this.#generation.get()?.['generation']),
      keys: new Map((this.#keys.all() as ApiKeyRow[]).map((key) => [key.key_id, key])),
      revoked: new Set((this.#revoked.all() as RevokedCaller[]).map(({ caller }) => caller)),
    }));
  }
}

type SealedKey = ApiKeyRow & { readonly row_digest: Uint8Array };

function valuesOf(row: ApiKeyRow): readonly RowValue[] {
  const { key_id, caller, secret_hash, created_at, expires_at, revoked_at, last_used_at } = row;
  return [key_id, caller, secret_hash, created_at, expires_at, revoked_at, last_used_at];
}

function required(isDone: boolean): void {
  if (!isDone) throw new StoreError('store.conflict', 'it is revoked already, or unknown');
}
