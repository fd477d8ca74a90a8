import type { Migrations } from '../database/database.ts';

/** Tables of every tree: complete subtrees by level and index, and the heads that were signed. */
export const MERKLE_STEPS: Migrations = [
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

/** Of older programs. */
export const OLDER_MERKLE_STEPS: Migrations = [
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
     PRIMARY KEY (tree, size)
   ) STRICT, WITHOUT ROWID`,
  // Of a checkpoint the note says all but when it was signed.
  'ALTER TABLE merkle_head ADD COLUMN row_digest BLOB',
];

/** Tables of this version are read too, where they cannot be changed. */
export const MERKLE_READABLE_FROM = 1;
