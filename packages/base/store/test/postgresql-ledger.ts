// The ledger on a PostgreSQL server, for tests alone: shows that the port asks for nothing that only SQLite has.
import { consistencyProof, EMPTY_ROOT, equalBytes, inclusionProof, type NodeReader, rootHash } from '@colophon/merkle';
import type { AgentName } from '../src/agent-name-store/agent-name-store.ts';
import type {
  FoundToken,
  LedgerStorage,
  LedgerTail,
  NewToken,
  PendingLeaves,
  TokenUse,
  TreeAdvance,
} from '../src/ledger/ledger-storage.ts';
import type { Erasure, LedgerRow, NewLedgerRow } from '../src/ledger-store/ledger-store.ts';
import type { TreeHead } from '../src/merkle-log-store/merkle-log-store.ts';
import { openSqlDatabase } from '../src/sql-database/open-sql-database.ts';
import type { SqlDatabase, SqlStatement } from '../src/sql-database/sql-database.ts';
import { StoreError } from '../src/store-error/store-error.ts';

const STEPS = [
  `CREATE TABLE agent_name (
     folded TEXT PRIMARY KEY, agent_name TEXT NOT NULL, agent_id TEXT NOT NULL UNIQUE, first_seen_at BIGINT NOT NULL);
   CREATE TABLE ledger_entry (
     seq BIGINT PRIMARY KEY, jti TEXT NOT NULL UNIQUE, issued_at BIGINT NOT NULL,
     salt BYTES, leaf_version BIGINT NOT NULL, leaf_hash BYTES NOT NULL, payload TEXT, "authorization" TEXT,
     content_hash BYTES);
   CREATE TABLE ledger_erasure (seq BIGINT PRIMARY KEY, event_seq BIGINT NOT NULL UNIQUE);
   CREATE TABLE used_caller_token (token_key BYTES PRIMARY KEY, forget_at BIGINT NOT NULL);
   CREATE TABLE ledger_node (
     level BIGINT NOT NULL, idx BIGINT NOT NULL, hash BYTES NOT NULL, PRIMARY KEY (level, idx));
   CREATE TABLE ledger_head (
     size BIGINT PRIMARY KEY, root BYTES NOT NULL, note TEXT NOT NULL, signed_at BIGINT NOT NULL);
   CREATE TABLE ledger_tree (size BIGINT NOT NULL, root BYTES NOT NULL);
   INSERT INTO ledger_tree VALUES (0, '\\x${Buffer.from(EMPTY_ROOT).toString('hex')}')`,
];

/** One row of numbers at a time: who appends holds it until the commit, so numbers have no gaps. */
const LOCK: SqlStatement = { text: 'SELECT pg_advisory_xact_lock(7080)' };

const NEWEST_HEAD = 'SELECT size, root, note, signed_at AS "signedAt" FROM ledger_head ORDER BY size DESC LIMIT 1';

export class PostgresqlLedger implements LedgerStorage {
  readonly #db: SqlDatabase;

  private constructor(db: SqlDatabase) {
    this.#db = db;
  }

  static async open(address: string): Promise<PostgresqlLedger> {
    const db = await openSqlDatabase(address);
    await db.migrate('ledger', STEPS);
    return new PostgresqlLedger(db);
  }

  close(): Promise<void> {
    return this.#db.close();
  }

  async findName(name: string): Promise<AgentName | undefined> {
    const text = 'SELECT agent_name, agent_id FROM agent_name WHERE folded = ?';
    const [row] = await this.#db.all({ text, values: [name.toLowerCase()] });
    return row as AgentName | undefined;
  }

  async append(tokens: readonly NewToken[]): Promise<void> {
    const statements = tokens.flatMap(({ row, name, use }): SqlStatement[] => [
      ...(use === undefined ? [] : useToken(use)),
      ...(name === undefined ? [] : [insertName(name, row.issued_at)]),
      insertRow(row),
    ]);
    try {
      await this.#db.write([LOCK, ...statements]);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'store.conflict') throw error;
      for (const { use } of tokens) if (use !== undefined) await this.#refuseUsed(use, error);
      throw error;
    }
  }

  async #refuseUsed({ tokenKey, now }: TokenUse, cause: unknown): Promise<void> {
    const text = 'SELECT 1 AS found FROM used_caller_token WHERE token_key = ? AND forget_at >= ?';
    const found = await this.#db.all({ text, values: [tokenKey, now] });
    if (found.length > 0) throw new StoreError('store.token_used', 'this token was used before', { cause });
  }

  async find(jti: string): Promise<FoundToken | undefined> {
    // One statement is one moment; nodes under a head never change.
    const [found] = await this.#db.all({
      text: `SELECT e.*, h.size, h.root, h.note, h."signedAt"
             FROM ledger_entry e LEFT JOIN (${NEWEST_HEAD}) h ON true WHERE e.jti = ?`,
      values: [jti],
    });
    if (found === undefined) return undefined;
    const { size, root, note, signedAt, ...row } = found as LedgerRow & { [name in keyof TreeHead]: never };
    const [erasure] = await this.#db.all({
      text: 'SELECT * FROM ledger_entry WHERE seq = (SELECT event_seq FROM ledger_erasure WHERE seq = ?)',
      values: [row.seq],
    });
    const known = erasure === undefined ? { row } : { row, erasure: erasure as LedgerRow };
    if (size === null || row.seq >= size) return { ...known, covered: undefined };
    const path = await this.#reading((read) => inclusionProof(row.seq, size, read));
    return { ...known, covered: { head: { size, root, note, signedAt }, path } };
  }

  async erase({ jti, contentHash, event }: Erasure): Promise<void> {
    await this.#db.write([
      LOCK,
      insertRow(event),
      {
        text: `UPDATE ledger_entry SET payload = NULL, salt = NULL, "authorization" = NULL, content_hash = ?::bytea
               WHERE jti = ? AND payload IS NOT NULL`,
        values: [contentHash, jti],
        changes: 1,
      },
      {
        text: `INSERT INTO ledger_erasure
               SELECT (SELECT seq FROM ledger_entry WHERE jti = ?), (SELECT seq FROM ledger_entry WHERE jti = ?)`,
        values: [jti, event.jti],
      },
    ]);
  }

  async tail(): Promise<LedgerTail> {
    const [found] = await this.#db.all({
      text: `SELECT (SELECT count(*) FROM ledger_entry) AS rows,
               (SELECT issued_at FROM ledger_entry ORDER BY seq DESC LIMIT 1) AS last,
               (SELECT count(*) FROM ledger_node WHERE level = 0) AS leaves, h.*
             FROM (SELECT 1) one LEFT JOIN (${NEWEST_HEAD}) h ON true`,
    });
    const { rows, last, leaves, size, root, note, signedAt } = found as Record<string, never>;
    return {
      rows: rows!,
      lastIssuedAt: last ?? undefined,
      leaves: leaves!,
      root: await this.#reading((read) => rootHash(leaves!, read)),
      head: size === null ? undefined : { size: size!, root: root!, note: note!, signedAt: signedAt! },
    };
  }

  async consistency(first: number, second: number): Promise<readonly Uint8Array[] | undefined> {
    const { size } = (await this.#head()) ?? { size: 0 };
    if (second > size || first < 1 || first > second) return undefined;
    return this.#reading((read) => consistencyProof(first, second, read));
  }

  async pending(limit: number): Promise<PendingLeaves> {
    const head = await this.#head();
    const size = head?.size ?? 0;
    const rows = await this.#db.all({
      text: 'SELECT leaf_hash FROM ledger_entry WHERE seq >= ? ORDER BY seq LIMIT ?',
      values: [size, limit],
    });
    const edge = await this.#reading((read) => {
      const nodes: (Uint8Array | undefined)[] = [];
      for (let level = 0, rest = size; rest > 0; level += 1, rest = Math.floor(rest / 2)) {
        nodes.push(rest % 2 === 1 ? read(level, rest - 1) : undefined);
      }
      return nodes;
    });
    return { head, edge, leafHashes: rows.map((row) => row['leaf_hash'] as Uint8Array) };
  }

  async advance({ from, nodes, to }: TreeAdvance): Promise<void> {
    const { size, root, note, signedAt } = to;
    const added = new Map(nodes.map(({ level, index, hash }) => [`${level}/${index}`, hash]));
    if (size < (from?.size ?? 0) || !equalBytes(await this.#reading((read) => rootHash(size, read), added), root))
      throw new StoreError('store.fork', 'the nodes give another root');
    try {
      await this.#db.write([
        {
          text: 'UPDATE ledger_tree SET size = ?, root = ? WHERE size = ? AND root = ?',
          values: [size, root, from?.size ?? 0, from?.root ?? EMPTY_ROOT],
          changes: 1,
        },
        ...nodes.map(({ level, index, hash }) => ({
          text: 'INSERT INTO ledger_node VALUES (?, ?, ?)',
          values: [level, index, hash],
        })),
        { text: 'INSERT INTO ledger_head VALUES (?, ?, ?, ?)', values: [size, root, note, signedAt] },
      ]);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'store.conflict') throw error;
      // Either the head moved, or nodes of the same places are there under the head that was read.
      const head = await this.#head();
      if (head?.size !== from?.size) throw error;
      throw new StoreError('store.fork', 'the tree has other nodes', { cause: error });
    }
  }

  async #head(): Promise<TreeHead | undefined> {
    return (await this.#db.all({ text: NEWEST_HEAD }))[0] as TreeHead | undefined;
  }

  /** Runs `work`, which reads nodes at once, as often as it asks for nodes that were not fetched yet. */
  async #reading<T>(work: (read: NodeReader) => T, known = new Map<string, Uint8Array>()): Promise<T> {
    for (;;) {
      const missing: [level: number, index: number][] = [];
      const result = work((level, index) => {
        const hash = known.get(`${level}/${index}`);
        if (hash === undefined) missing.push([level, index]);
        return hash ?? EMPTY_ROOT;
      });
      if (missing.length === 0) return result;
      for (const [level, index] of missing) {
        const text = 'SELECT hash FROM ledger_node WHERE level = ? AND idx = ?';
        const [row] = await this.#db.all({ text, values: [level, index] });
        if (row === undefined) throw new StoreError('store.tree_corrupt', `no node ${index} on level ${level}`);
        known.set(`${level}/${index}`, row['hash'] as Uint8Array);
      }
    }
  }
}

function insertRow(row: NewLedgerRow): SqlStatement {
  const { jti, issued_at, salt, leaf_version, leaf_hash, payload, authorization } = row;
  return {
    text: `INSERT INTO ledger_entry
           SELECT coalesce(max(seq) + 1, 0), ?, ?, ?::bytea, ?::bigint, ?::bytea, ?, ?, NULL FROM ledger_entry`,
    values: [jti, issued_at, salt, leaf_version, leaf_hash, payload, authorization],
  };
}

function useToken({ tokenKey, now, forgetAt }: TokenUse): SqlStatement[] {
  return [
    { text: 'DELETE FROM used_caller_token WHERE forget_at < ?', values: [now] },
    { text: 'INSERT INTO used_caller_token VALUES (?::bytea, ?)', values: [tokenKey, forgetAt] },
  ];
}

function insertName({ agent_name, agent_id }: AgentName, firstSeenAt: number): SqlStatement {
  const folded = agent_name.toLowerCase();
  return {
    text: `INSERT INTO agent_name SELECT ?, ?, ?, ?::bigint
           WHERE NOT EXISTS (SELECT 1 FROM agent_name WHERE folded = ? AND agent_name = ? AND agent_id = ?)`,
    values: [folded, agent_name, agent_id, firstSeenAt, folded, agent_name, agent_id],
  };
}
