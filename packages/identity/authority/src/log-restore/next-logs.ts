import { createHash } from 'node:crypto';
import type { SigningKey } from '@colophon/keys';
import { hashLeaf } from '@colophon/merkle';
import { type Database, LogEntryStore, MerkleLogStore, type TreeHead, TreeKeyStore } from '@colophon/store';
import { LogTree } from '../transparency-log/log-tree.ts';
import { LogWriter } from '../transparency-log/log-writer.ts';
import { drawTreeId } from '../transparency-log/transparency-log.ts';
import { restoredEntry } from './restored-entry.ts';

export type NextLogsOptions = {
  readonly db: Database;
  readonly logKey: SigningKey;
  readonly ctKey: SigningKey;
  /** Host of the address of the logs, without a port. */
  readonly hostname: string;
  /** Entries of the trees before this one. */
  readonly firstIndex: number;
  readonly clock: { now(): Date };
};

/** Transparency log and certificate log that take the place of those of a data folder. */
export class NextLogs {
  /** First line of the transparency log's checkpoints. */
  readonly origin: string;
  /** Index of the first entry of the transparency log. */
  readonly firstIndex: number;
  readonly #entries: LogEntryStore;
  readonly #keys: TreeKeyStore;
  readonly #tree: LogTree;
  readonly #writer: LogWriter;
  readonly #logKey: SigningKey;
  readonly #ctKey: SigningKey;

  /** Opens the tables, so that {@link NextLogs.begin} can be called in a transaction. @throws StoreError */
  constructor({ db, logKey, ctKey, hostname, firstIndex, clock }: NextLogsOptions) {
    this.#entries = new LogEntryStore(db);
    this.#keys = new TreeKeyStore(db);
    this.#logKey = logKey;
    this.#ctKey = ctKey;
    this.#tree = new LogTree({ db, treeId: drawTreeId(), spki: logKey.spki, firstIndex });
    this.#writer = new LogWriter({ tree: this.#tree, key: logKey, clock, hostname });
    this.origin = this.#writer.origin;
    this.firstIndex = firstIndex;
  }

  /**
   * Begins both in tables that were emptied; call inside `db.write`. The first entry of the transparency log is a signed
   * statement; the certificate log, which takes certificates alone, is empty.
   * @returns id of the entry, and the checkpoint over it
   */
  begin(statement: string): { readonly uuid: string; readonly head: TreeHead } {
    this.#entries.treeId(() => this.#tree.treeId);
    for (const [tree, { spki }] of [['rekor', this.#logKey] as const, ['ct', this.#ctKey] as const]) {
      this.#keys.pinWithin(tree, new Uint8Array(createHash('sha256').update(spki).digest()));
    }
    const entry = restoredEntry(statement, this.#logKey);
    this.#writer.place(entry, []);
    return { uuid: this.#tree.uuidOf(hashLeaf(entry.body)), head: this.#writer.coverAll() };
  }
}

/** Number and size of a transparency log's tree; undefined where there was never a checkpoint of it. */
export function signedTree(db: Database): { readonly treeId: bigint; readonly size: number } | undefined {
  const treeId = new LogEntryStore(db).knownTreeId();
  const head = new MerkleLogStore(db, 'rekor').head();
  return treeId === undefined || head === undefined ? undefined : { treeId, size: head.size };
}
