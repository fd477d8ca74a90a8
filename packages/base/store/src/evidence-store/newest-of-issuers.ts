import type { Database } from '../database/database.ts';

/** A bundle in the evidence store, and the OIDC issuer of its certificate. */
export type BundleOfIssuer = { readonly issuer: string; readonly bundle: Uint8Array };

/**
 * The newest bundle of each issuer under each trusted root that vouched for one; none where there is no evidence store.
 */
export function newestOfIssuers(db: Database): readonly BundleOfIssuer[] {
  return db.read(() => {
    const isThere = db.sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'evidence_entry'").get() !== undefined;
    if (!isThere) return [];
    const found = db.sqlite
      .prepare(
        `SELECT issuer, bundle FROM evidence_entry WHERE id IN
           (SELECT max(id) FROM evidence_entry GROUP BY issuer, json_extract(identity, '$.root'))
         ORDER BY issuer`,
      )
      .all();
    return found.map(({ issuer, bundle }) => ({ issuer: issuer as string, bundle: bundle as Uint8Array }));
  });
}
