import { createHash } from 'node:crypto';
import type { SqlDatabase, SqlRow } from '../sql-database/sql-database.ts';
import { StoreError } from '../store-error/store-error.ts';

/** One catalog as it came from a feed. Times are RFC 3339 in UTC. */
export type CatalogEntry = {
  /** `sha256:<hex>` of the bytes. */
  readonly digest: string;
  readonly catalogVersion: string;
  /** Where it came from: an address, or the name of a file. */
  readonly feed: string;
  readonly fetchedAt: string;
  /** When the feed was last asked and had nothing newer. */
  readonly checkedAt: string;
  readonly count: number;
  /** True where `--force` stored it although a check failed. */
  readonly forced?: true;
  /** For the next conditional request. */
  readonly etag?: string;
  readonly lastModified?: string;
};

const STEPS = [
  `CREATE TABLE catalog_content (digest TEXT PRIMARY KEY, content BYTES NOT NULL);
   CREATE TABLE catalog (
     position BIGINT PRIMARY KEY, digest TEXT NOT NULL, catalog_version TEXT NOT NULL, feed TEXT NOT NULL,
     fetched_at TEXT NOT NULL, checked_at TEXT NOT NULL, entry_count BIGINT NOT NULL, etag TEXT, last_modified TEXT,
     forced BIGINT NOT NULL);
   CREATE INDEX catalog_feed ON catalog (feed, position);`,
];

/** Number of the first schema that was released. */
const FIRST = 2;

const NEWEST_IS = `EXISTS (SELECT 1 FROM catalog WHERE position = (SELECT MAX(position) FROM catalog)
  AND digest = ? AND feed = ? AND fetched_at = ?)`;

/** Every known-exploited catalog that was accepted, in the order in which it was; none is ever forgotten. */
export class CatalogStore {
  readonly #db: SqlDatabase;

  private constructor(db: SqlDatabase) {
    this.#db = db;
  }

  /** Makes the tables where they are not there. */
  static async open(db: SqlDatabase): Promise<CatalogStore> {
    await db.migrate('catalog', STEPS, FIRST);
    return new CatalogStore(db);
  }

  /**
   * Makes this catalog the newest.
   * @param after what was the newest when this one was judged; undefined where nothing was kept
   * @throws TypeError where the digest is not that of the bytes
   * @throws StoreError `store.conflict` where another was added since
   */
  async add(
    entry: Omit<CatalogEntry, 'checkedAt'>,
    bytes: Uint8Array,
    after?: Pick<CatalogEntry, 'digest' | 'feed' | 'fetchedAt'>,
  ): Promise<void> {
    const { digest, catalogVersion, feed, fetchedAt, count, forced, etag, lastModified } = entry;
    if (digestOf(bytes) !== digest) throw new TypeError(`${digest} is not the digest of the catalog`);
    const values = [digest, catalogVersion, feed, fetchedAt, fetchedAt, count, forced === true ? 1 : 0];
    // One that was judged by an older catalog might be older than the newest.
    const before = after === undefined ? [] : [after.digest, after.feed, after.fetchedAt];
    await this.#db.write([
      {
        text: 'INSERT INTO catalog_content (digest, content) VALUES (?, ?) ON CONFLICT DO NOTHING',
        values: [digest, bytes],
      },
      {
        text: `INSERT INTO catalog
                 (position, digest, catalog_version, feed, fetched_at, checked_at, entry_count, forced, etag, last_modified)
               SELECT (SELECT COALESCE(MAX(position), 0) + 1 FROM catalog), CAST(? AS TEXT), CAST(? AS TEXT),
                 CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT),
                 CAST(? AS TEXT), CAST(? AS TEXT)
               WHERE ${before.length === 0 ? 'NOT EXISTS (SELECT 1 FROM catalog)' : NEWEST_IS}`,
        values: [...values, etag ?? null, lastModified ?? null, ...before],
        changes: 1,
      },
    ]);
  }

  /**
   * The feed was asked and has nothing newer than its newest catalog here; where it gave the same bytes again, with what
   * it says of them now. False where there is none.
   */
  async touch(
    feed: string,
    checkedAt: string,
    { etag, lastModified }: Pick<CatalogEntry, 'etag' | 'lastModified'> = {},
  ): Promise<boolean> {
    const [changed] = await this.#db.write([
      {
        text: `UPDATE catalog
               SET checked_at = ?, etag = COALESCE(?, etag), last_modified = COALESCE(?, last_modified)
               WHERE position = (SELECT MAX(position) FROM catalog WHERE feed = ?)`,
        values: [checkedAt, etag ?? null, lastModified ?? null, feed],
      },
    ]);
    return changed === 1;
  }

  /** The newest catalog of the feed, or of all feeds; undefined where there is none. */
  async newest(feed?: string): Promise<CatalogEntry | undefined> {
    const [row] = await this.#select(feed, ' DESC LIMIT 1');
    return row && entryOf(row);
  }

  /** Every catalog of the feed, or of all feeds, oldest first. */
  async list(feed?: string): Promise<readonly CatalogEntry[]> {
    return (await this.#select(feed, '')).map(entryOf);
  }

  /**
   * The catalog of this digest as it came, or undefined.
   * @throws StoreError `store.corrupt` where the bytes are not those of the digest
   */
  async bytes(digest: string): Promise<Uint8Array | undefined> {
    const text = 'SELECT content FROM catalog_content WHERE digest = ?';
    const bytes = (await this.#db.all({ text, values: [digest] }))[0]?.['content'] as Uint8Array | undefined;
    if (bytes === undefined || digestOf(bytes) === digest) return bytes;
    throw new StoreError('store.corrupt', `the catalog ${digest} is not what was stored under its digest`);
  }

  #select(feed: string | undefined, order: string): Promise<readonly SqlRow[]> {
    return this.#db.all({
      text: `SELECT digest, catalog_version, feed, fetched_at, checked_at, entry_count, forced, etag, last_modified
             FROM catalog
             ${feed === undefined ? '' : 'WHERE feed = ? '}ORDER BY position${order}`,
      values: feed === undefined ? [] : [feed],
    });
  }
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function entryOf(row: SqlRow): CatalogEntry {
  const { etag, last_modified: lastModified } = row;
  return {
    digest: row['digest'] as string,
    catalogVersion: row['catalog_version'] as string,
    feed: row['feed'] as string,
    fetchedAt: row['fetched_at'] as string,
    checkedAt: row['checked_at'] as string,
    count: row['entry_count'] as number,
    ...(row['forced'] === 1 && { forced: true as const }),
    ...(typeof etag === 'string' && { etag }),
    ...(typeof lastModified === 'string' && { lastModified }),
  };
}
