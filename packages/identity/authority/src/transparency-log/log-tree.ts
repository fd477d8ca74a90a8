import { createHash, createPublicKey } from 'node:crypto';
import { canonicalJson } from '@colophon/json';
import { consistencyProof, inclusionProof } from '@colophon/merkle';
import { type Database, type LogEntryRow, LogEntryStore, MerkleLogStore, type TreeHead } from '@colophon/store';
import { AuthorityError } from '../authority-error/authority-error.ts';

/** An entry with the proof that it is in the log, under the id that names tree and leaf. */
export type LogEntry = {
  /** Tree, 16 hex digits, then leaf hash, 64 hex digits. */
  readonly uuid: string;
  /** What the entry is about, where the log keeps it: of the first entry of a tree that took the place of another. */
  readonly attestation?: { readonly data: string };
  /** The canonical body, base64. */
  readonly body: string;
  /** Seconds since the epoch. */
  readonly integratedTime: number;
  /** SHA-256 over the log's SubjectPublicKeyInfo, hex. */
  readonly logID: string;
  /** Counts the entries of all trees. */
  readonly logIndex: number;
  readonly verification: {
    readonly inclusionProof: {
      /** A signed note. */
      readonly checkpoint: string;
      /** Hex, nearest to the leaf first. */
      readonly hashes: readonly string[];
      /** In its own tree. */
      readonly logIndex: number;
      readonly rootHash: string;
      readonly treeSize: number;
    };
    /** Over the canonical JSON of body, integratedTime, logID and logIndex; base64 of DER. */
    readonly signedEntryTimestamp: string;
  };
};

export type LogTreeOptions = {
  readonly db: Database;
  readonly treeId: bigint;
  /** SubjectPublicKeyInfo of its key, DER. */
  readonly spki: Uint8Array;
  /** How many entries the trees before it have. */
  readonly firstIndex: number;
  /** What its first entry says, where it took the place of another tree. */
  readonly statement?: string | undefined;
};

/** One tree of the transparency log, to be read: the one that is written, or one that was frozen. */
export class LogTree {
  readonly treeId: bigint;
  readonly spki: Uint8Array;
  /** SHA-256 over the log's SubjectPublicKeyInfo, hex. */
  readonly logId: string;
  readonly firstIndex: number;
  readonly entries: LogEntryStore;
  readonly tree: MerkleLogStore;
  readonly #statement: string | undefined;

  constructor({ db, treeId, spki, firstIndex, statement }: LogTreeOptions) {
    this.treeId = treeId;
    this.spki = spki;
    this.logId = createHash('sha256').update(spki).digest('hex');
    this.firstIndex = firstIndex;
    this.entries = new LogEntryStore(db);
    this.tree = new MerkleLogStore(db, 'rekor');
    this.#statement = statement;
  }

  publicPem(): string {
    const key = createPublicKey({ key: Buffer.from(this.spki), format: 'der', type: 'spki' });
    return key.export({ format: 'pem', type: 'spki' }).toString();
  }

  /** @param logIndex counts the entries of all trees */
  findByIndex(logIndex: number): LogEntry | undefined {
    return this.#renderFound(this.entries.findByIndex(logIndex - this.firstIndex));
  }

  findByLeafHash(leafHash: Uint8Array): LogEntry | undefined {
    return this.#renderFound(this.entries.findByLeafHash(leafHash));
  }

  /** @throws AuthorityError `authority.range_invalid` */
  consistency(first: number, last: number): { root: Uint8Array; proof: Uint8Array[] } {
    const size = this.tree.size();
    if (first > last)
      throw new AuthorityError('authority.range_invalid', `firstSize(${first}) must be less than lastSize(${last})`);
    if (last > size) {
      throw new AuthorityError(
        'authority.range_invalid',
        `the tree size requested(${last}) was greater than what is currently observable(${size})`,
      );
    }
    return { root: this.tree.root(last), proof: consistencyProof(first, last, this.tree.read) };
  }

  uuidOf(leafHash: Uint8Array): string {
    return this.treeId.toString(16).padStart(16, '0') + Buffer.from(leafHash).toString('hex');
  }

  /** @param head one that covers the row */
  render(row: LogEntryRow, head: TreeHead): LogEntry {
    const proof = inclusionProof(row.log_index, head.size, this.tree.read);
    const isFirst = row.log_index === 0 && this.#statement !== undefined;
    return {
      uuid: this.uuidOf(row.leaf_hash),
      ...(isFirst ? { attestation: { data: Buffer.from(this.#statement).toString('base64') } } : {}),
      ...anchoredOf(row, this),
      verification: {
        inclusionProof: {
          checkpoint: head.note,
          hashes: proof.map((hash) => Buffer.from(hash).toString('hex')),
          logIndex: row.log_index,
          rootHash: Buffer.from(head.root).toString('hex'),
          treeSize: head.size,
        },
        signedEntryTimestamp: Buffer.from(row.promise).toString('base64'),
      },
    };
  }

  #renderFound(row: LogEntryRow | undefined): LogEntry | undefined {
    const head = this.tree.head();
    return row === undefined || head === undefined ? undefined : this.render(row, head);
  }
}

type Anchor = Pick<LogTree, 'logId' | 'firstIndex'>;

function anchoredOf({ body, integrated_time, log_index }: Omit<LogEntryRow, 'promise'>, { logId, firstIndex }: Anchor) {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('base64');
  return { body: text, integratedTime: integrated_time, logID: logId, logIndex: firstIndex + log_index };
}

/** What the log's promise of an entry is signed over. */
export function promisedOf(row: Omit<LogEntryRow, 'promise'>, anchor: Anchor): Uint8Array {
  return canonicalJson(anchoredOf(row, anchor));
}
