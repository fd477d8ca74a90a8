import type { Database } from '@colophon/store';
import { OciError } from './oci-error.ts';
import type { ManifestReference } from './registry-path.ts';

/** A manifest as the index knows it. */
export type ManifestRow = { readonly digest: string; readonly mediaType: string; readonly size: number };

/** What a referrers answer lists (OCI content descriptor). */
export type ReferrerDescriptor = {
  readonly mediaType: string;
  readonly size: number;
  readonly digest: string;
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** Everything that is written about one manifest, in one transaction. */
export type ManifestPut = ManifestRow & {
  readonly tags: readonly string[];
  readonly subject?: string | undefined;
  readonly artifactType?: string | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
};

const MIGRATIONS = [
  `CREATE TABLE blob (
     repository TEXT NOT NULL, digest TEXT NOT NULL, size INTEGER NOT NULL,
     PRIMARY KEY (repository, digest)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE manifest (
     id INTEGER PRIMARY KEY,
     repository TEXT NOT NULL, digest TEXT NOT NULL, media_type TEXT NOT NULL, size INTEGER NOT NULL,
     subject TEXT, artifact_type TEXT, annotations TEXT,
     UNIQUE (repository, digest)
   ) STRICT;
   CREATE INDEX manifest_by_subject ON manifest (repository, subject, id) WHERE subject IS NOT NULL;
   CREATE TABLE tag (
     repository TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL,
     PRIMARY KEY (repository, name)
   ) STRICT, WITHOUT ROWID;`,
];

/** Which content each repository holds, what its tags point to, and which manifest refers to which. */
export class RegistryIndex {
  readonly #db: Database;

  constructor(db: Database) {
    db.migrate('registry', MIGRATIONS);
    this.#db = db;
  }

  blobSize(repository: string, digest: string): number | undefined {
    const row = this.#db.sqlite
      .prepare('SELECT size FROM blob WHERE repository = ? AND digest = ?')
      .get(repository, digest) as { size: number } | undefined;
    return row?.size;
  }

  putBlob(repository: string, digest: string, size: number): Promise<void> {
    return this.#db.write(() => {
      this.#db.sqlite.prepare('INSERT OR REPLACE INTO blob VALUES (?, ?, ?)').run(repository, digest, size);
    });
  }

  manifest(repository: string, reference: ManifestReference): ManifestRow | undefined {
    const digest = 'digest' in reference ? reference.digest : this.#tagDigest(repository, reference.tag);
    if (digest === undefined) return undefined;
    return this.#db.sqlite
      .prepare('SELECT digest, media_type AS mediaType, size FROM manifest WHERE repository = ? AND digest = ?')
      .get(repository, digest) as ManifestRow | undefined;
  }

  /**
   * Writes the manifest and points its tags to it. `check` runs first, inside the transaction: what it throws undoes
   * everything, so a condition that it saw still holds when the tags move.
   * @throws OciError MANIFEST_INVALID where the same bytes are here as another type: what a digest names never changes
   */
  putManifest(repository: string, put: ManifestPut, check: () => void): Promise<void> {
    return this.#db.write(() => {
      check();
      const known = this.manifest(repository, { digest: put.digest });
      if (known !== undefined && known.mediaType !== put.mediaType) {
        throw new OciError(400, 'MANIFEST_INVALID', `this manifest is here as ${known.mediaType}, and stays that`);
      }
      this.#db.sqlite
        .prepare(
          `INSERT INTO manifest (repository, digest, media_type, size, subject, artifact_type, annotations)
           VALUES (?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (repository, digest) DO NOTHING`,
        )
        .run(
          repository,
          put.digest,
          put.mediaType,
          put.size,
          put.subject ?? null,
          put.artifactType ?? null,
          put.annotations === undefined ? null : JSON.stringify(put.annotations),
        );
      const tag = this.#db.sqlite.prepare('INSERT OR REPLACE INTO tag VALUES (?, ?, ?)');
      for (const name of put.tags) tag.run(repository, name, put.digest);
    });
  }

  /** In byte order, those after `last`, at most `limit`. */
  tags(repository: string, { last, limit }: { last: string; limit: number }): string[] {
    const rows = this.#db.sqlite
      .prepare('SELECT name FROM tag WHERE repository = ? AND name > ? ORDER BY name LIMIT ?')
      .all(repository, last, limit) as { name: string }[];
    return rows.map(({ name }) => name);
  }

  /** Whether anything was ever pushed to the repository. */
  hasRepository(repository: string): boolean {
    const { found } = this.#db.sqlite
      .prepare(
        `SELECT EXISTS (SELECT 1 FROM manifest WHERE repository = ?1)
             OR EXISTS (SELECT 1 FROM blob WHERE repository = ?1) AS found`,
      )
      .get(repository) as { found: number };
    return found === 1;
  }

  /** In the order of their arrival, those after the referrer with digest `last`, at most `limit`. */
  referrers(
    repository: string,
    subject: string,
    { artifactType, last, limit }: { artifactType?: string | undefined; last?: string | undefined; limit: number },
  ): ReferrerDescriptor[] {
    const after = last === undefined ? 0 : this.#manifestId(repository, last);
    const rows = this.#db.sqlite
      .prepare(
        `SELECT media_type, size, digest, artifact_type, annotations FROM manifest
         WHERE repository = ?1 AND subject = ?2 AND id > ?3 AND (?4 IS NULL OR artifact_type = ?4)
         ORDER BY id LIMIT ?5`,
      )
      .all(repository, subject, after, artifactType ?? null, limit) as ReferrerRow[];
    return rows.map((row) => ({
      mediaType: row.media_type,
      size: row.size,
      digest: row.digest,
      ...(row.artifact_type === null ? {} : { artifactType: row.artifact_type }),
      ...(row.annotations === null ? {} : { annotations: JSON.parse(row.annotations) as Record<string, string> }),
    }));
  }

  #tagDigest(repository: string, tag: string): string | undefined {
    const row = this.#db.sqlite
      .prepare('SELECT digest FROM tag WHERE repository = ? AND name = ?')
      .get(repository, tag) as { digest: string } | undefined;
    return row?.digest;
  }

  #manifestId(repository: string, digest: string): number {
    const row = this.#db.sqlite
      .prepare('SELECT id FROM manifest WHERE repository = ? AND digest = ?')
      .get(repository, digest) as { id: number } | undefined;
    return row?.id ?? 0;
  }
}

type ReferrerRow = {
  media_type: string;
  size: number;
  digest: string;
  artifact_type: string | null;
  annotations: string | null;
};
