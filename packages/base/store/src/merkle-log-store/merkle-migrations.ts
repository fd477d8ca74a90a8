/** Tables of every tree: complete subtrees by level and index, and the heads that were signed. */
export const MERKLE_STEPS: readonly string[] = [
  `CREATE TABLE merkle_node (
     tree TEXT NOT NULL,
     level INTEGER NOT NULL,
     idx INTEGER NOT NULL,
     hash BLOB NOT NULL CHECK (length(hash) = 32),
     PRIMARY KEY (tree, level, idx)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE merkle_head (
     tree TEXT NOT NULL,
     size INTEGER NOT NULL,
     root BLOB NOT NULL CHECK (length(root) = 32),
     note TEXT NOT NULL,
     signed_at INTEGER NOT NULL,
     row_digest BLOB NOT NULL,
     PRIMARY KEY (tree, size)
   ) STRICT, WITHOUT ROWID`,
];

/** Number of the first schema that was released. */
export const FIRST_MERKLE_SCHEMA = 3;
