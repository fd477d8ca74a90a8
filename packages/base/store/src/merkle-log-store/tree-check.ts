import { hash } from 'node:crypto';
import { EMPTY_ROOT } from '@colophon/merkle';
import type { Database } from '../database/database.ts';

/** Nodes that are read at once, of one level. */
const NODES_PER_READ = 512;

/** A stored node that its leaves do not give; `isMissing` where there is none in its place. */
export type NodeProblem = { readonly level: number; readonly index: number; readonly isMissing: boolean };

/**
 * Builds a tree from its leaves, one by one, and holds every stored node against it. Keeps the tree's right edge in memory
 * and some nodes of each level. The caller sees to it that all is read at one moment, and that its rows are read to the
 * end.
 */
export class TreeCheck {
  /** Leaves that the stored tree claims to have; rows beyond have no nodes yet. */
  readonly storedLeaves: number;
  readonly #levels: StoredLevel[] = [];
  readonly #open: (level: number) => StoredLevel;
  readonly #stored: number;
  /** By level, the newest complete subtree. */
  readonly #edge: Uint8Array[] = [];
  #leaves = 0;
  #nodes = 0;

  constructor({ sqlite }: Database, tree: string) {
    const counts = sqlite
      .prepare(
        'SELECT count(*) AS nodes, coalesce(max(idx) FILTER (WHERE level = 0) + 1, 0) AS leaves FROM merkle_node WHERE tree = ?',
      )
      .get(tree) as { nodes: number; leaves: number };
    this.#stored = counts.nodes;
    this.storedLeaves = counts.leaves;
    this.#open = (level) => {
      const read = sqlite.prepare(
        'SELECT idx, hash FROM merkle_node WHERE tree = ? AND level = ? AND idx >= ? ORDER BY idx LIMIT ?',
      );
      read.setReturnArrays(true);
      return new StoredLevel((from) => read.all(tree, level, from, NODES_PER_READ) as unknown as StoredNode[]);
    };
  }

  /** Leaves that were added. */
  get leaves(): number {
    return this.#leaves;
  }

  /** Stored nodes that were compared. */
  get nodes(): number {
    return this.#nodes;
  }

  /** Adds the next leaf hash, 32 bytes; answers with each stored node that differs. */
  add(leaf: Uint8Array): readonly NodeProblem[] {
    const problems: NodeProblem[] = [];
    const isStored = this.#leaves < this.storedLeaves;
    let node = leaf;
    let index = this.#leaves;
    for (let level = 0; ; level += 1) {
      if (isStored) {
        this.#nodes += 1;
        if (level === this.#levels.length) this.#levels.push(this.#open(level));
        const stored = this.#levels[level]!.at(index);
        if (stored === undefined) problems.push({ level, index, isMissing: true });
        else if (Buffer.compare(stored, node) !== 0) problems.push({ level, index, isMissing: false });
      }
      if (index % 2 === 0) {
        this.#edge[level] = node;
        break;
      }
      node = childrenHash(this.#edge[level]!, node);
      index = (index - 1) / 2;
    }
    this.#leaves += 1;
    return problems;
  }

  /** RFC 6962 root over the leaves so far. */
  root(): Uint8Array {
    let root: Uint8Array | undefined;
    // Sizes go to 2^53: bit operators would cut them to 32 bits.
    for (let rest = this.#leaves, level = 0; rest > 0; rest = Math.floor(rest / 2), level += 1) {
      if (rest % 2 === 1) root = root === undefined ? this.#edge[level]! : childrenHash(this.#edge[level]!, root);
    }
    return root ?? EMPTY_ROOT;
  }

  /** Stored nodes that none of the leaves gives; called after the last one. */
  surplus(): number {
    return this.#stored - this.#nodes;
  }
}

type StoredNode = readonly [index: number, hash: Uint8Array];

/** The stored nodes of one level, asked for in their order. */
class StoredLevel {
  readonly #read: (from: number) => readonly StoredNode[];
  #nodes: readonly StoredNode[] = [];
  #next = 0;

  constructor(read: (from: number) => readonly StoredNode[]) {
    this.#read = read;
  }

  at(index: number): Uint8Array | undefined {
    if (this.#next === this.#nodes.length) {
      this.#nodes = this.#read(index);
      this.#next = 0;
    }
    const node = this.#nodes[this.#next];
    if (node?.[0] !== index) return undefined;
    this.#next += 1;
    return node[1];
  }
}

const HASH_BYTES = EMPTY_ROOT.length;
const CHILDREN = Buffer.alloc(1 + 2 * HASH_BYTES);
CHILDREN[0] = 1;

/** RFC 6962 §2.1, by the platform's SHA-256: a ledger has millions of nodes. */
function childrenHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  CHILDREN.set(left, 1);
  CHILDREN.set(right, 1 + HASH_BYTES);
  return hash('sha256', CHILDREN, 'buffer');
}
