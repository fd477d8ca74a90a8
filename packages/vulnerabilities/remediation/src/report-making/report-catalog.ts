import type { CatalogInReport } from '@colophon/remediation-rules';
import { CatalogStore, type SqlDatabase } from '@colophon/store';
import { newestCatalog } from '../catalog-refresh/kept-catalog.ts';

/** The catalog that lies beside a report, with its bytes. */
export type ReportCatalog = CatalogInReport & { readonly bytes: Uint8Array };

/** The catalog that a database accepted last; undefined where it has none. */
export async function reportCatalog(db: SqlDatabase): Promise<ReportCatalog | undefined> {
  const store = await CatalogStore.open(db);
  const newest = await newestCatalog(store);
  const bytes = newest && (await store.bytes(newest.entry.digest));
  if (newest === undefined || bytes === undefined) return undefined;
  return { catalog: newest.catalog, digest: newest.entry.digest, checkedAt: newest.entry.checkedAt, bytes };
}
