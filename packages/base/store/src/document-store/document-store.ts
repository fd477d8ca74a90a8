import { createHash } from 'node:crypto';
import type { SqlDatabase, SqlRow, SqlStatement } from '../sql-database/sql-database.ts';
import { StoreError } from '../store-error/store-error.ts';

/** What kinds of documents are kept. */
export const DOCUMENT_KINDS = ['sbom', 'scan', 'vex', 'signature', 'catalog'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** A document as it came, under the digest of its bytes. */
export type StoredDocument = {
  /** `sha256:<hex>` of the bytes. */
  readonly digest: string;
  readonly kind: DocumentKind;
  /** A file name without folders. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** RFC 3339 in UTC. */
  readonly addedAt: string;
};

/** The same without its bytes. */
export type DocumentEntry = Omit<StoredDocument, 'bytes'> & { readonly size: number };

const STEPS = [
  `CREATE TABLE document (
     digest TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, content BYTES NOT NULL, size BIGINT NOT NULL,
     added_at TEXT NOT NULL, PRIMARY KEY (digest, kind));
   CREATE INDEX document_kind ON document (kind, added_at);`,
];

/** Documents by the digest of their bytes. One document may be of two kinds: a VDR is an SBOM and a scan. */
export class DocumentStore {
  readonly #db: SqlDatabase;

  private constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Makes the table where it is not there. */
  static async open(db: SqlDatabase): Promise<DocumentStore> {
    await db.migrate('document', STEPS);
    return new DocumentStore(db);
  }

  /**
   * Keeps all of them or none. What is there already stays as it is.
   * @throws TypeError where a digest is not that of the bytes
   */
  async put(documents: readonly StoredDocument[]): Promise<void> {
    await this.#db.write(documentStatements(documents));
  }

  /**
   * The document of this digest, of the given kind where one is given, or undefined.
   * @throws StoreError `store.corrupt` where the bytes are not those of the digest
   */
  async get(digest: string, kind?: DocumentKind): Promise<StoredDocument | undefined> {
    const [row] = await this.#db.all({
      text: `SELECT digest, kind, name, added_at, content FROM document WHERE digest = ?${kind === undefined ? '' : ' AND kind = ?'} ORDER BY kind LIMIT 1`,
      values: kind === undefined ? [digest] : [digest, kind],
    });
    if (row === undefined) return undefined;
    const bytes = row['content'] as Uint8Array;
    if (digestOf(bytes) === digest) return { ...entryOf(row), bytes };
    throw new StoreError('store.corrupt', `the document ${digest} is not what was stored under its digest`);
  }

  /** All of one kind, oldest first. */
  async list(kind: DocumentKind): Promise<readonly DocumentEntry[]> {
    const rows = await this.#db.all({
      text: 'SELECT digest, kind, name, added_at, size FROM document WHERE kind = ? ORDER BY added_at, digest',
      values: [kind],
    });
    return rows.map((row) => ({ ...entryOf(row), size: row['size'] as number }));
  }
}

/**
 * What keeps the documents, as statements of a write that may hold others.
 * @throws TypeError where a digest is not that of the bytes
 */
export function documentStatements(documents: readonly StoredDocument[]): readonly SqlStatement[] {
  // In one order, so that two writers of the same documents do not wait for each other.
  const sorted = documents.toSorted((a, b) => (a.digest < b.digest ? -1 : a.digest > b.digest ? 1 : 0));
  return sorted.map(({ digest, kind, name, bytes, addedAt }) => {
    if (digestOf(bytes) !== digest) throw new TypeError(`${digest} is not the digest of ${name}`);
    return {
      text: 'INSERT INTO document (digest, kind, name, content, size, added_at) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
      values: [digest, kind, name, bytes, bytes.length, addedAt],
    };
  });
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function entryOf(row: SqlRow): Omit<StoredDocument, 'bytes'> {
  return {
    digest: row['digest'] as string,
    kind: row['kind'] as DocumentKind,
    name: row['name'] as string,
    addedAt: row['added_at'] as string,
  };
}
