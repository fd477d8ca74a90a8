import { createHash, randomBytes } from 'node:crypto';
import { canonicalJson } from '@colophon/json';
import type { SigningKey } from '@colophon/keys';
import { consistencyProof, ecdsaKeyHash, formatCheckpoint, hashLeaf, inclusionProof, signNote } from '@colophon/merkle';
import { type Database, type LogEntryRow, LogEntryStore, MerkleLogStore, type TreeHead } from '@colophon/store';
import { AuthorityError } from '../authority-error/authority-error.ts';
import type { KnownAuthorities } from '../log-entry/known-authorities.ts';
import type { VerifiedEntry } from '../log-entry/proposed-entry.ts';
import { NAME_KEY_PREFIX } from '../log-entry/search-keys.ts';

/** An entry with the proof that it is in the log, under the id that names tree and leaf. */
export type LogEntry = {
  /** Tree, 16 hex digits, then leaf hash, 64 hex digits. */
  readonly uuid: string;
  /** The canonical body, base64. */
  readonly body: string;
  /** Seconds since the epoch. */
  readonly integratedTime: number;
  /** SHA-256 over the log's SubjectPublicKeyInfo, hex. */
  readonly logID: string;
  readonly logIndex: number;
  readonly verification: {
    readonly inclusionProof: {
      /** A signed note. */
      readonly checkpoint: string;
      /** Hex, nearest to the leaf first. */
      readonly hashes: readonly string[];
      readonly logIndex: number;
      readonly rootHash: string;
      readonly treeSize: number;
    };
    /** Over the canonical JSON of body, integratedTime, logID and logIndex; base64 of DER. */
    readonly signedEntryTimestamp: string;
  };
};

/** Entries of one page of a search. */
export const MAX_SEARCH_RESULTS = 1000;

/** One page of what a search found, the oldest entries first. */
export type FoundPage = {
  readonly uuids: readonly string[];
  /** Where the next page begins: the log index that it comes after. Undefined on the last page. */
  readonly next?: number;
};

/** The transparency log: what was signed by whom, append-only, durable, provable (contract §1, §4.5). */
export class TransparencyLog {
  readonly treeId: bigint;
  readonly key: SigningKey;
  /** SHA-256 over the log's SubjectPublicKeyInfo, hex. */
  readonly logId: string;
  /** First line of every checkpoint. */
  readonly origin: string;
  readonly #db: Database;
  readonly #clock: { now(): Date };
  readonly #hostname: string;
  readonly #authorities: KnownAuthorities;
  readonly #entries: LogEntryStore;
  readonly #tree: MerkleLogStore;

  /**
   * `hostname` names the log in its checkpoints: the host of its address, without a port. `authorities` are those whose
   * certificates are found by their names.
   */
  constructor(options: {
    readonly db: Database;
    readonly key: SigningKey;
    readonly clock: { now(): Date };
    readonly hostname: string;
    readonly authorities: KnownAuthorities;
  }) {
    this.#db = options.db;
    this.key = options.key;
    this.#clock = options.clock;
    this.#hostname = options.hostname;
    this.#authorities = options.authorities;
    this.#entries = new LogEntryStore(options.db);
    this.#tree = new MerkleLogStore(options.db, 'rekor');
    this.treeId = this.#entries.treeId(() => (randomBytes(8).readBigUInt64BE() >> 1n) | 1n);
    this.logId = createHash('sha256').update(this.key.spki).digest('hex');
    this.origin = `${this.#hostname} - ${this.treeId}`;
  }

  /**
   * Brings the index of names in step with the authorities that are known now; to be awaited before the first search. An
   * older data folder, whose index has every name that anybody made up, is read through once.
   */
  async indexNames(): Promise<void> {
    await this.#db.write(() =>
      this.#entries.indexNames(this.#authorities.id, NAME_KEY_PREFIX, (body) => this.#authorities.nameKeys(body)),
    );
  }

  /**
   * Adds a verified entry: its row, its place in the tree and the checkpoint that covers it are on disk, in one
   * transaction, before the answer.
   * @throws LogEntryExists where the same entry is in the log already
   */
  async addLogEntry({ body, keys }: VerifiedEntry): Promise<LogEntry> {
    const leafHash = hashLeaf(body);
    const names = this.#authorities.nameKeys(body);
    const integratedTime = Math.floor(this.#clock.now().getTime() / 1000);
    const written = this.#db.write(() => {
      if (this.#entries.findByLeafHash(leafHash) !== undefined) throw new LogEntryExists(this.uuidOf(leafHash));
      const placed = {
        log_index: this.#tree.append(leafHash),
        leaf_hash: leafHash,
        body,
        integrated_time: integratedTime,
      };
      // Kept, so that nobody changes the time behind the log's back, and the answer is always the same.
      const row = { ...placed, promise: this.key.signDer(promisedOf(placed, this.logId)) };
      this.#entries.add(row, keys, names);
      return row;
    });
    const [row, head] = await Promise.all([written, this.#db.writeLast(this.#coverAll)]);
    return this.#render(row, head);
  }

  /** The newest checkpoint; of the empty log too. */
  async head(): Promise<TreeHead> {
    return this.#tree.head() ?? (await this.#db.writeLast(this.#coverAll));
  }

  size(): number {
    return this.#tree.size();
  }

  findByIndex(logIndex: number): LogEntry | undefined {
    return this.#renderFound(this.#entries.findByIndex(logIndex));
  }

  findByLeafHash(leafHash: Uint8Array): LogEntry | undefined {
    return this.#renderFound(this.#entries.findByLeafHash(leafHash));
  }

  /**
   * The entries that any of the keys finds, or with `all` every one of them: a page of {@link MAX_SEARCH_RESULTS} from
   * after the index `after` on, the oldest first. Anybody may log more entries about a digest; they come after the ones
   * that were there.
   */
  search(
    keys: readonly string[],
    { all = false, after }: { readonly all?: boolean; readonly after?: number | undefined } = {},
  ): FoundPage {
    const found = this.#entries.search(keys, {
      limit: MAX_SEARCH_RESULTS + 1,
      all,
      ...(after === undefined ? {} : { after }),
    });
    const page = found.slice(0, MAX_SEARCH_RESULTS);
    const uuids = page.map(({ leaf_hash }) => this.uuidOf(leaf_hash));
    return found.length > page.length ? { uuids, next: page.at(-1)!.log_index } : { uuids };
  }

  /** @throws AuthorityError `authority.range_invalid` */
  consistency(first: number, last: number): { root: Uint8Array; proof: Uint8Array[] } {
    const size = this.#tree.size();
    if (first > last)
      throw new AuthorityError('authority.range_invalid', `firstSize(${first}) must be less than lastSize(${last})`);
    if (last > size) {
      throw new AuthorityError(
        'authority.range_invalid',
        `the tree size requested(${last}) was greater than what is currently observable(${size})`,
      );
    }
    return { root: this.#tree.root(last), proof: consistencyProof(first, last, this.#tree.read) };
  }

  uuidOf(leafHash: Uint8Array): string {
    return this.treeId.toString(16).padStart(16, '0') + Buffer.from(leafHash).toString('hex');
  }

  #renderFound(row: LogEntryRow | undefined): LogEntry | undefined {
    const head = this.#tree.head();
    return row === undefined || head === undefined ? undefined : this.#render(row, head);
  }

  #render(row: LogEntryRow, head: TreeHead): LogEntry {
    const promise = row.promise ?? this.key.signDer(promisedOf(row, this.logId));
    const proof = inclusionProof(row.log_index, head.size, this.#tree.read);
    return {
      uuid: this.uuidOf(row.leaf_hash),
      ...anchoredOf(row, this.logId),
      verification: {
        inclusionProof: {
          checkpoint: head.note,
          hashes: proof.map((hash) => Buffer.from(hash).toString('hex')),
          logIndex: row.log_index,
          rootHash: Buffer.from(head.root).toString('hex'),
          treeSize: head.size,
        },
        signedEntryTimestamp: Buffer.from(promise).toString('base64'),
      },
    };
  }

  /** The head over all that is there, shared by all that is added in one turn; so it is one function. */
  readonly #coverAll = (): TreeHead => {
    const newest = this.#tree.head();
    const size = this.#tree.size();
    if (newest?.size === size) return newest;
    const root = this.#tree.root(size);
    const note = signNote(formatCheckpoint({ origin: this.origin, size, root }), {
      name: this.#hostname,
      keyHash: ecdsaKeyHash(this.key.spki),
      sign: (text) => this.key.signDer(text),
    });
    const head = { size, root, note, signedAt: this.#clock.now().getTime() };
    this.#tree.saveHead(head);
    return head;
  };
}

function anchoredOf({ body, integrated_time, log_index }: Omit<LogEntryRow, 'promise'>, logID: string) {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64');
  return { body: text, integratedTime: integrated_time, logID, logIndex: log_index };
}

/** What the log's promise of an entry is signed over. @param logId hex */
export function promisedOf(row: Omit<LogEntryRow, 'promise'>, logId: string): Uint8Array {
  return canonicalJson(anchoredOf(row, logId));
}

/** The entry is in the log already, under this id. */
export class LogEntryExists extends AuthorityError {
  readonly uuid: string;
  constructor(uuid: string) {
    super('authority.entry_exists', `an equivalent entry already exists in the transparency log with UUID ${uuid}`);
    this.uuid = uuid;
  }
}
