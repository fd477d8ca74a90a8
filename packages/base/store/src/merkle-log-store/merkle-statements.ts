import type { Database } from '../database/database.ts';

/** The prepared statements over the tables of {@link MERKLE_STEPS}; the first parameter is always the tree. */
export type MerkleStatements = ReturnType<typeof prepareMerkleStatements>;

/** Prepares them; the tables must be there. */
export function prepareMerkleStatements({ sqlite, readonly }: Database) {
  return {
    size: sqlite.prepare('SELECT coalesce(max(idx) + 1, 0) AS size FROM merkle_node WHERE tree = ? AND level = 0'),
    node: sqlite.prepare('SELECT hash FROM merkle_node WHERE tree = ? AND level = ? AND idx = ?'),
    level: sqlite.prepare('SELECT idx, hash FROM merkle_node WHERE tree = ? AND level = ? ORDER BY idx'),
    count: sqlite.prepare('SELECT count(*) AS count FROM merkle_node WHERE tree = ?'),
    insert: sqlite.prepare('INSERT INTO merkle_node VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING'),
    saveHead: readonly
      ? undefined
      : sqlite.prepare(
          `INSERT INTO merkle_head VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (tree, size)
       DO UPDATE SET note = excluded.note, signed_at = excluded.signed_at, row_digest = excluded.row_digest`,
        ),
    newestHead: sqlite.prepare(
      'SELECT size, root, note, signed_at AS signedAt FROM merkle_head WHERE tree = ? ORDER BY size DESC LIMIT 1',
    ),
    heads: sqlite.prepare(
      'SELECT size, root, note, signed_at AS signedAt FROM merkle_head WHERE tree = ? ORDER BY size',
    ),
    storedHeads: sqlite.prepare(
      `SELECT size, root, note, signed_at AS signedAt, row_digest AS digest
       FROM merkle_head WHERE tree = ? ORDER BY size`,
    ),
  };
}
