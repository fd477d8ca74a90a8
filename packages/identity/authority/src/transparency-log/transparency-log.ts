import { randomBytes } from 'node:crypto';
import type { SigningKey } from '@colophon/keys';
import { hashLeaf } from '@colophon/merkle';
import { type Database, LogEntryStore, type TreeHead } from '@colophon/store';
import { AuthorityError } from '../authority-error/authority-error.ts';
import type { KnownAuthorities } from '../log-entry/known-authorities.ts';
import type { VerifiedEntry } from '../log-entry/proposed-entry.ts';
import { NAME_KEY_PREFIX } from '../log-entry/search-keys.ts';
import { type LogEntry, LogTree } from './log-tree.ts';
import { LogWriter } from './log-writer.ts';

/** Entries of one page of a search. */
export const MAX_SEARCH_RESULTS = 1000;

/** One page of what a search found, the oldest entries first. */
export type FoundPage = {
  readonly uuids: readonly string[];
  /** Where the next page begins: the log index that it comes after. Undefined on the last page. */
  readonly next?: number;
};

/** A tree that the log wrote before, in a database of its own. */
export type FrozenTree = {
  readonly db: Database;
  /** SubjectPublicKeyInfo of its key, DER. */
  readonly spki: Uint8Array;
  readonly statement?: string | undefined;
};

/** An entry's id: without a tree it is looked for in all of them. */
export type EntryId = { readonly treeId: bigint | undefined; readonly leafHash: Uint8Array };

export type TransparencyLogOptions = {
  readonly db: Database;
  readonly key: SigningKey;
  readonly clock: { now(): Date };
  /** Names the log in its checkpoints: the host of its address, without a port. */
  readonly hostname: string;
  /** Those whose certificates are found by their names. */
  readonly authorities: KnownAuthorities;
  /** What the first entry says, where the tree took the place of others. */
  readonly statement?: string | undefined;
  /** Those, the oldest first: Rekor's inactive shards. */
  readonly frozen?: readonly FrozenTree[] | undefined;
};

/** The transparency log: what was signed by whom, append-only, durable, provable (contract §1, §4.5). */
export class TransparencyLog {
  readonly key: SigningKey;
  /** The tree that is written. */
  readonly active: LogTree;
  /** Trees that were written before, and of which there is a checkpoint; the oldest first. */
  readonly frozen: readonly LogTree[];
  readonly #db: Database;
  readonly #databases: readonly Database[];
  readonly #authorities: KnownAuthorities;
  readonly #writer: LogWriter;

  constructor({ db, key, clock, hostname, authorities, statement, frozen = [] }: TransparencyLogOptions) {
    this.#db = db;
    this.#databases = [...frozen.map((one) => one.db), db];
    this.key = key;
    this.#authorities = authorities;
    let firstIndex = 0;
    this.frozen = frozen.flatMap((one) => {
      const treeId = new LogEntryStore(one.db).knownTreeId();
      if (treeId === undefined) return [];
      const tree = new LogTree({ ...one, treeId, firstIndex });
      const size = tree.tree.head()?.size;
      firstIndex += size ?? 0;
      return size === undefined ? [] : [tree];
    });
    const treeId = new LogEntryStore(db).treeId(drawTreeId);
    this.active = new LogTree({ db, treeId, spki: key.spki, firstIndex, statement });
    this.#writer = new LogWriter({ tree: this.active, key, clock, hostname });
  }

  /** First line of every checkpoint. */
  get origin(): string {
    return this.#writer.origin;
  }

  /** SHA-256 over the log's SubjectPublicKeyInfo, hex. */
  get logId(): string {
    return this.active.logId;
  }

  /**
   * Brings the index of names in step with the authorities that are known now; to be awaited before the first search. An
   * older data folder, whose index has every name that anybody made up, is read through once.
   */
  async indexNames(): Promise<void> {
    for (const db of this.#databases) {
      const entries = new LogEntryStore(db);
      const keysOf = (body: Uint8Array) => this.#authorities.nameKeys(body);
      await db.write(() => entries.indexNames(this.#authorities.id, NAME_KEY_PREFIX, keysOf));
    }
  }

  /**
   * Adds a verified entry: its row, its place in the tree and the checkpoint that covers it are on disk, in one
   * transaction, before the answer.
   * @throws LogEntryExists where the same entry is in the tree that is written already
   */
  async addLogEntry(entry: VerifiedEntry): Promise<LogEntry> {
    const leafHash = hashLeaf(entry.body);
    const names = this.#authorities.nameKeys(entry.body);
    const written = this.#db.write(() => {
      if (this.active.entries.findByLeafHash(leafHash) !== undefined)
        throw new LogEntryExists(this.active.uuidOf(leafHash));
      return this.#writer.place(entry, names);
    });
    const [row, head] = await Promise.all([written, this.#db.writeLast(this.#writer.coverAll)]);
    return this.active.render(row, head);
  }

  /** The newest checkpoint; of the empty log too. */
  async head(): Promise<TreeHead> {
    return this.active.tree.head() ?? (await this.#db.writeLast(this.#writer.coverAll));
  }

  /** Entries of the tree that is written. */
  size(): number {
    return this.active.tree.size();
  }

  /** @param logIndex counts the entries of all trees */
  findByIndex(logIndex: number): LogEntry | undefined {
    return this.#trees.findLast(({ firstIndex }) => firstIndex <= logIndex)?.findByIndex(logIndex);
  }

  findByLeafHash(leafHash: Uint8Array): LogEntry | undefined {
    return this.findById({ treeId: undefined, leafHash });
  }

  /** In the newest tree that has it. */
  findById({ treeId, leafHash }: EntryId): LogEntry | undefined {
    for (const tree of this.#trees.toReversed()) {
      if (treeId !== undefined && treeId !== tree.treeId) continue;
      const found = tree.findByLeafHash(leafHash);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /**
   * The entries that any of the keys finds, or with `all` every one of them: a page of {@link MAX_SEARCH_RESULTS} from
   * after the index `after` on, the oldest first. Anybody may log more entries about a digest; they come after the ones
   * that were there.
   */
  search(
    keys: readonly string[],
    { all = false, after = -1 }: { readonly all?: boolean; readonly after?: number | undefined } = {},
  ): FoundPage {
    const found: { readonly uuid: string; readonly index: number }[] = [];
    for (const tree of this.#trees) {
      const { firstIndex } = tree;
      const limit = MAX_SEARCH_RESULTS + 1 - found.length;
      const rows = tree.entries.search(keys, { limit, all, after: Math.max(after - firstIndex, -1) });
      found.push(
        ...rows.map(({ log_index, leaf_hash }) => ({ uuid: tree.uuidOf(leaf_hash), index: firstIndex + log_index })),
      );
      if (found.length > MAX_SEARCH_RESULTS) break;
    }
    const page = found.slice(0, MAX_SEARCH_RESULTS);
    const uuids = page.map(({ uuid }) => uuid);
    return found.length > page.length ? { uuids, next: page.at(-1)!.index } : { uuids };
  }

  get #trees(): readonly LogTree[] {
    return [...this.frozen, this.active];
  }
}

/** A number that no other tree has, and that a signed 64-bit integer holds. */
export function drawTreeId(): bigint {
  return (randomBytes(8).readBigUInt64BE() >> 1n) | 1n;
}

/** The entry is in the log already, under this id. */
export class LogEntryExists extends AuthorityError {
  readonly uuid: string;
  constructor(uuid: string) {
    super('authority.entry_exists', `an equivalent entry already exists in the transparency log with UUID ${uuid}`);
    this.uuid = uuid;
  }
}
