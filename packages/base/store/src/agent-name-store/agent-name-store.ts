import type { StatementSync } from 'node:sqlite';
import type { Database } from '../database/database.ts';

/** An agent's name in the spelling that was accepted first, and the identifier that is never given to another. */
export type AgentName = {
  readonly agent_name: string;
  /** UUID. */
  readonly agent_id: string;
};

/** A name as it is stored. */
export type StoredAgentName = AgentName & {
  /** The name in lower case. */
  readonly folded: string;
  /** Seconds since the epoch: when the first row with this name was written. */
  readonly first_seen_at: number;
};

const MIGRATIONS = [
  `CREATE TABLE agent_name (
     folded TEXT PRIMARY KEY,
     agent_name TEXT NOT NULL,
     agent_id TEXT NOT NULL UNIQUE,
     first_seen_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
];

/** How many names stay in memory; the others are read from the file again. */
export const AGENT_NAME_CACHE_SIZE = 10_000;

/**
 * Agent names, unique without regard to case and never reassigned. Names are ASCII (the parser of the request sees
 * to that), so folding is plain lower case.
 */
export class AgentNameStore {
  readonly #db: Database;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #cacheSize: number;
  /** Least recently used first. */
  readonly #cache = new Map<string, AgentName>();

  constructor(db: Database, { cacheSize = AGENT_NAME_CACHE_SIZE }: { readonly cacheSize?: number } = {}) {
    db.migrate('agent-name', MIGRATIONS);
    this.#db = db;
    this.#cacheSize = cacheSize;
    this.#find = db.sqlite.prepare('SELECT agent_name, agent_id FROM agent_name WHERE folded = ?');
    this.#insert = db.sqlite.prepare(`INSERT INTO agent_name SELECT ?1, ?2, ?3, ?4
       WHERE NOT EXISTS (SELECT 1 FROM agent_name WHERE folded = ?1 AND agent_name = ?2 AND agent_id = ?3)`);
  }

  /** The registered name that equals `name` but for case, or undefined where nobody has it yet. */
  find(name: string): AgentName | undefined {
    const folded = name.toLowerCase();
    const known = this.#cache.get(folded);
    if (known !== undefined) {
      if (this.#cache.size >= this.#cacheSize) this.#remember(folded, known);
      return known;
    }
    const row = this.#db.read(() => this.#find.get(folded) as AgentName | undefined);
    if (row !== undefined) this.#remember(folded, row);
    return row;
  }

  /**
   * Registers a name that `find` did not know, unless it is there with the same identifier; call inside `db.write`.
   * `firstSeenAt` in seconds. It is remembered by the next `find`, not before it is on disk.
   * @throws Error (SQLite constraint) where the name, or the identifier, is another's.
   */
  insert(entry: AgentName, firstSeenAt: number): void {
    this.#insert.run(entry.agent_name.toLowerCase(), entry.agent_name, entry.agent_id, firstSeenAt);
  }

  /** Every name as it is stored, one at a time. */
  *all(): Generator<StoredAgentName> {
    const rows = this.#db.sqlite.prepare('SELECT folded, agent_name, agent_id, first_seen_at FROM agent_name');
    for (const row of rows.iterate()) yield row as StoredAgentName;
  }

  /** How many names are in memory now. */
  get remembered(): number {
    return this.#cache.size;
  }

  #remember(folded: string, entry: AgentName): void {
    this.#cache.delete(folded);
    this.#cache.set(folded, entry);
    if (this.#cache.size > this.#cacheSize) this.#cache.delete(this.#cache.keys().next().value!);
  }
}
