import { equalBytes, type NodeReader, nodesOfLeaf, rootHash, type TreeNode } from '@colophon/merkle';
import type { Database } from '../database/database.ts';
import { isRowDigest, rowDigest } from '../row-digest/row-digest.ts';
import { StoreError } from '../store-error/store-error.ts';
import { FIRST_MERKLE_SCHEMA, MERKLE_STEPS } from './merkle-migrations.ts';
import { type MerkleStatements, prepareMerkleStatements } from './merkle-statements.ts';
import { treeProblem } from './tree-problem.ts';

/** In their order. */
const TREE_NAMES = ['ct', 'ledger', 'rekor'] as const;
/** The trees that one data folder holds. */
export type TreeName = (typeof TREE_NAMES)[number];

/** A state of the tree that was signed and may have been seen by anyone. */
export type TreeHead = {
  readonly size: number;
  readonly root: Uint8Array;
  /** The signed form, as the log serves it. */
  readonly note: string;
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  readonly signedAt: number;
};

/**
 * The nodes and signed heads of one append-only tree. Nothing is held in memory: after an undone write the next one
 * sees what the file has.
 */
export class MerkleLogStore {
  readonly tree: TreeName;
  /** The stored hash of a complete subtree. @throws StoreError `store.tree_corrupt` where it is missing. */
  readonly read: NodeReader;
  readonly #db: Database;
  readonly #statements: MerkleStatements;

  /**
   * Makes the tables where they are missing, and checks that the nodes still give the root signed last.
   * @throws StoreError `store.tree_corrupt`, and those of {@link Database.migrate}.
   */
  constructor(db: Database, tree: TreeName) {
    db.migrate('merkle', MERKLE_STEPS, FIRST_MERKLE_SCHEMA);
    this.tree = tree;
    this.#db = db;
    this.#statements = prepareMerkleStatements(db);
    this.read = (level, index) => {
      const hash = this.#nodeAt(level, index);
      if (hash === undefined)
        throw new StoreError('store.tree_corrupt', `tree ${tree} has no node ${index} on level ${level}`);
      return hash;
    };
    this.#requireHead();
  }

  /** Number of leaves, those of the running transaction included. */
  size(): number {
    return this.#db.read(() => Number(this.#statements.size.get(this.tree)?.['size']));
  }

  /** {@link MerkleLogStore.appendAll} of one leaf. */
  append(leafHash: Uint8Array): number {
    return this.appendAll([leafHash]);
  }

  /**
   * Adds leaves in their order and answers with the index of the first. Call it inside `db.write`: they are undone with
   * that write.
   * @throws StoreError `store.fork` where the tree already has another node in a place that a leaf fills;
   * TypeError outside a transaction.
   */
  appendAll(leafHashes: readonly Uint8Array[]): number {
    if (!this.#db.sqlite.isTransaction) throw new TypeError('append is called inside db.write');
    const first = this.size();
    // Of each level only the newest subtree is asked for again, and most of them were made a moment ago.
    const edge: Uint8Array[] = [];
    const read: NodeReader = (level, index) => edge[level] ?? this.read(level, index);
    leafHashes.forEach((leafHash, i) => {
      for (const node of nodesOfLeaf(first + i, leafHash, read)) {
        this.#insert(node);
        edge[node.level] = node.hash;
      }
    });
    return first;
  }

  /**
   * Adds complete subtrees that were computed outside; call inside `db.write`, before {@link MerkleLogStore.saveHead},
   * which holds the root against them.
   * @throws StoreError `store.fork` where the tree has another node in the place of one; TypeError outside a transaction.
   */
  addNodes(nodes: readonly TreeNode[]): void {
    if (!this.#db.sqlite.isTransaction) throw new TypeError('addNodes is called inside db.write');
    for (const node of nodes) this.#insert(node);
  }

  /**
   * By level, the hashes of the complete subtrees that the first `size` leaves end in; holes where there is none. Their
   * root, and every further leaf, needs no other node.
   * @throws StoreError `store.tree_corrupt` where one is missing.
   */
  edge(size: number): (Uint8Array | undefined)[] {
    const edge: (Uint8Array | undefined)[] = [];
    let rest = size;
    // Sizes go to 2^53: bit operators would cut them to 32 bits.
    for (let level = 0; rest > 0; level++) {
      edge.push(rest % 2 === 1 ? this.read(level, rest - 1) : undefined);
      rest = Math.floor(rest / 2);
    }
    return edge;
  }

  /** Root over the first `size` leaves, by default over all. @throws TypeError for more leaves than there are. */
  root(size: number = this.size()): Uint8Array {
    if (size > this.size()) throw new TypeError(`tree ${this.tree} has fewer than ${size} leaves`);
    return rootHash(size, this.read);
  }

  /**
   * Keeps a signed head; call it inside `db.write`, and publish the head after that. Signing the same size anew
   * replaces its note; heads of other sizes stay, so that consistency can be shown from each of them.
   * @throws StoreError `store.fork` where the root is not the tree's, or the head is older than the newest one;
   * TypeError outside a transaction, or for more leaves than there are.
   */
  saveHead({ size, root, note, signedAt }: TreeHead): void {
    if (!this.#db.sqlite.isTransaction) throw new TypeError('saveHead is called inside db.write');
    if (!equalBytes(this.root(size), root))
      throw new StoreError('store.fork', `tree ${this.tree} has another root at size ${size}`);
    if (size < (this.head()?.size ?? 0))
      throw new StoreError('store.fork', `tree ${this.tree} has a signed head beyond size ${size}`);
    this.#statements.saveHead?.run(this.tree, size, root, note, signedAt, rowDigest([this.tree, size, signedAt]));
  }

  /** The newest signed head. */
  head(): TreeHead | undefined {
    const row = this.#db.read(() => this.#statements.newestHead.get(this.tree));
    return row as TreeHead | undefined;
  }

  /** Every size that was ever signed, with its newest note, smallest first. */
  heads(): TreeHead[] {
    return this.#db.read(() => this.#statements.heads.all(this.tree)) as TreeHead[];
  }

  /** Whether the file has nodes or heads that belong to no tree; asks the ranges between the trees' names. */
  hasStrayRows(): boolean {
    const edges = ['', ...TREE_NAMES, '\u{10ffff}'];
    const isBetween = (table: string, after: string, before: string) =>
      this.#db.sqlite.prepare(`SELECT 1 FROM ${table} WHERE tree > ? AND tree < ?`).get(after, before) !== undefined;
    return this.#db.read(() =>
      ['merkle_node', 'merkle_head'].some((table) =>
        edges.slice(1).some((edge, i) => isBetween(table, edges[i]!, edge)),
      ),
    );
  }

  /** Every head one at a time, and whether its time is the one that was written. */
  *checkedHeads(): Generator<TreeHead & { readonly isAsWritten: boolean }> {
    for (const row of this.#statements.storedHeads.iterate(this.tree)) {
      const { digest, ...head } = row as TreeHead & { digest: Uint8Array };
      const isAsWritten = isRowDigest(digest, [this.tree, head.size, head.signedAt]);
      yield { ...head, isAsWritten };
    }
  }

  /**
   * Computes the whole tree anew from its leaves and compares every stored node and every signed head; reads all of it.
   * Opening compares only what the newest head rests on.
   * @throws StoreError `store.tree_corrupt` with the first difference.
   */
  verify(): void {
    const problem = this.#db.snapshot(() => treeProblem(this.tree, this.#statements));
    if (problem) throw new StoreError('store.tree_corrupt', `tree ${this.tree}: ${problem}`);
  }

  #nodeAt(level: number, index: number): Uint8Array | undefined {
    return this.#db.read(() => this.#statements.node.get(this.tree, level, index)?.['hash']) as Uint8Array | undefined;
  }

  #insert({ level, index, hash }: TreeNode): void {
    const { changes } = this.#statements.insert.run(this.tree, level, index, hash);
    // Left over from a file that lost rows: harmless where it is the same node, a fork where it is not.
    if (changes === 0 && !equalBytes(this.read(level, index), hash))
      throw new StoreError('store.fork', `tree ${this.tree} has another node ${index} on level ${level}`);
  }

  #requireHead(): void {
    const size = this.size();
    const head = this.head();
    const problem =
      head !== undefined && head.size > size
        ? `${head.size} leaves were signed and ${size} are here`
        : head !== undefined && !equalBytes(this.root(head.size), head.root)
          ? `the nodes do not give the root signed at size ${head.size}`
          : undefined;
    if (problem) throw new StoreError('store.tree_corrupt', `tree ${this.tree}: ${problem}`);
    // Leaves that no head covers yet must be whole too before anything is built on them.
    this.root(size);
  }
}
