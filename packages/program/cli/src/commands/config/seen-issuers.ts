import { existsSync, readFileSync } from 'node:fs';
import { dataPaths } from '@colophon/server/data-folder';
import { loadTrustedRoots, verifyBundle } from '@colophon/sigstore';
import { newestOfIssuers, openDatabase } from '@colophon/store';

/** A root as a configuration names it. */
type NamedRoot = { readonly name: string; readonly file: string; readonly insecureIgnoreSct?: boolean };

/**
 * The issuers that each root certified, as far as the evidence store of a data folder shows it: so that whoever writes
 * `issuers` need not guess. Undefined where there is no store on this machine.
 */
export function seenIssuers(
  roots: readonly NamedRoot[],
  dataDir: string,
): ReadonlyMap<string, readonly string[]> | undefined {
  const { database } = dataPaths(dataDir);
  if (!existsSync(database)) return undefined;
  const db = openDatabase(database, { readonly: true });
  try {
    const kept = newestOfIssuers(db);
    return new Map(roots.map((root) => [root.name, issuersUnder(root, kept)]));
  } finally {
    db.close();
  }
}

function issuersUnder(root: NamedRoot, kept: ReturnType<typeof newestOfIssuers>): readonly string[] {
  if (!existsSync(root.file)) return [];
  // Alone, a root certifies everybody: what is asked is whom it did certify.
  const { name, file, insecureIgnoreSct } = root;
  const trust = loadTrustedRoots([{ name, json: readFileSync(file), insecureIgnoreSct }]);
  const seen = kept.filter(({ bundle }) => {
    try {
      verifyBundle({ bundle, trust, policy: 'gated-elsewhere', purpose: 'gated-elsewhere' });
      return true;
    } catch {
      return false;
    }
  });
  return [...new Set(seen.map(({ issuer }) => issuer))];
}
