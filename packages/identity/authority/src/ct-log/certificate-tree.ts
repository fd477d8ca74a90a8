import { decodeBase64 } from '@colophon/encoding';
import { consistencyProof, inclusionProof } from '@colophon/merkle';
import { type CtEntryRow, CtEntryStore, type Database, MerkleLogStore, type TreeHead } from '@colophon/store';
import { AuthorityError } from '../authority-error/authority-error.ts';

/** A signed tree head (RFC 6962 §4.3). */
export type SignedTreeHead = {
  readonly size: number;
  readonly root: Uint8Array;
  readonly timestamp: number;
  /** DER. */
  readonly signature: Uint8Array;
};

/** The tree of a certificate log (RFC 6962), to be read; by itself that of one that was frozen. */
export class CertificateTree {
  protected readonly entryStore: CtEntryStore;
  protected readonly tree: MerkleLogStore;

  constructor(db: Database) {
    this.entryStore = new CtEntryStore(db);
    this.tree = new MerkleLogStore(db, 'ct');
  }

  /** The newest tree head. @throws AuthorityError `authority.not_found` where none was ever signed */
  async treeHead(): Promise<SignedTreeHead> {
    const newest = this.tree.head();
    if (newest === undefined) throw new AuthorityError('authority.not_found', 'this log has signed no tree head');
    return signedTreeHead(newest);
  }

  /** @throws AuthorityError `authority.range_invalid` */
  consistency(first: number, second: number): Uint8Array[] {
    this.#requireSize(second);
    if (first > second) throw range('the first tree is not larger than the second');
    return consistencyProof(first, second, this.tree.read);
  }

  /** @throws AuthorityError `authority.range_invalid`, `authority.not_found` */
  proofByHash(leafHash: Uint8Array, size: number): { index: number; path: Uint8Array[] } {
    this.#requireSize(size);
    const index = this.entryStore.findByLeafHash(leafHash)?.entry_index;
    if (index === undefined || index >= size)
      throw new AuthorityError('authority.not_found', 'no such leaf in that tree');
    return { index, path: inclusionProof(index, size, this.tree.read) };
  }

  /** @throws AuthorityError `authority.range_invalid` */
  entryAndProof(index: number, size: number): { entry: CtEntryRow; path: Uint8Array[] } {
    this.#requireSize(size);
    const entry = index < size ? this.entryStore.findByIndex(index) : undefined;
    if (entry === undefined) throw range('no such leaf in that tree');
    return { entry, path: inclusionProof(index, size, this.tree.read) };
  }

  /** At most `limit` entries. @throws AuthorityError `authority.range_invalid` where the log ends before `start` */
  entries(start: number, limit: number): CtEntryRow[] {
    if (start >= this.tree.size()) throw range('the log has no entry there yet');
    return this.entryStore.range(start, limit);
  }

  #requireSize(size: number): void {
    if (size < 1 || size > this.tree.size()) throw range('the log has no tree of that size');
  }
}

/** A stored head, which the log wrote or whose signature was verified with its key at the start. */
export function signedTreeHead({ size, root, note, signedAt }: TreeHead): SignedTreeHead {
  return { size, root, timestamp: signedAt, signature: decodeBase64(note) as Uint8Array };
}

function range(message: string): AuthorityError {
  return new AuthorityError('authority.range_invalid', message);
}
