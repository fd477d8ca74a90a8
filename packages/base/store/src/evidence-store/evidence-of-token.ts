import type { Database } from '../database/database.ts';

/** SHA-256, hex, of each bundle in the evidence store whose certificate names this token; none where there is no such store. */
export function evidenceOfToken(db: Database, jti: string): readonly string[] {
  return db.read(() => {
    const isThere = db.sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'evidence_entry'").get() !== undefined;
    if (!isThere) return [];
    const found = db.sqlite.prepare('SELECT bundle_sha256 FROM evidence_entry WHERE jti = ? ORDER BY id').all(jti);
    return found.map((row) => Buffer.from(row['bundle_sha256'] as Uint8Array).toString('hex'));
  });
}
