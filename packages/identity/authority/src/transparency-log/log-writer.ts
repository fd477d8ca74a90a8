import type { SigningKey } from '@colophon/keys';
import { ecdsaKeyHash, formatCheckpoint, hashLeaf, signNote } from '@colophon/merkle';
import type { LogEntryRow, TreeHead } from '@colophon/store';
import type { VerifiedEntry } from '../log-entry/proposed-entry.ts';
import { type LogTree, promisedOf } from './log-tree.ts';

export type LogWriterOptions = {
  readonly tree: LogTree;
  readonly key: SigningKey;
  readonly clock: { now(): Date };
  /** Names the log in its checkpoints: the host of its address, without a port. */
  readonly hostname: string;
};

/** Name of a tree in its checkpoints, as Rekor v1 makes it. */
export function logOrigin(hostname: string, treeId: bigint): string {
  return `${hostname} - ${treeId}`;
}

/** Adds entries to one tree and signs what it has become. */
export class LogWriter {
  readonly origin: string;
  readonly #tree: LogTree;
  readonly #key: SigningKey;
  readonly #clock: { now(): Date };
  readonly #hostname: string;

  constructor({ tree, key, clock, hostname }: LogWriterOptions) {
    this.#tree = tree;
    this.#key = key;
    this.#clock = clock;
    this.#hostname = hostname;
    this.origin = logOrigin(hostname, tree.treeId);
  }

  /** Puts an entry that is not in the tree yet into its place, found by `names` too; call inside `db.write`. */
  place({ body, keys }: VerifiedEntry, names: readonly string[]): LogEntryRow {
    const { tree, entries } = this.#tree;
    const leafHash = hashLeaf(body);
    const placed = {
      log_index: tree.append(leafHash),
      leaf_hash: leafHash,
      body,
      integrated_time: Math.floor(this.#clock.now().getTime() / 1000),
    };
    // Kept, so that nobody changes the time behind the log's back, and the answer is always the same.
    const row = { ...placed, promise: this.#key.signDer(promisedOf(placed, this.#tree)) };
    entries.add(row, keys, names);
    return row;
  }

  /** The head over all that is there, shared by all that is added in one turn; so it is one function. Call inside `db.write`. */
  readonly coverAll = (): TreeHead => {
    const { tree } = this.#tree;
    const newest = tree.head();
    const size = tree.size();
    if (newest?.size === size) return newest;
    const root = tree.root(size);
    const note = signNote(formatCheckpoint({ origin: this.origin, size, root }), {
      name: this.#hostname,
      keyHash: ecdsaKeyHash(this.#key.spki),
      sign: (text) => this.#key.signDer(text),
    });
    const head = { size, root, note, signedAt: this.#clock.now().getTime() };
    tree.saveHead(head);
    return head;
  };
}
