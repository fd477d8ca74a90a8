import type { CatalogEntry } from '@colophon/store';
import type { KeptCatalogResult, RefreshedCatalog } from './catalog-result.ts';
import type { CatalogRefresh } from './refresh-catalog.ts';

/** A catalog that is kept, as results show it. */
export function shownCatalog(entry: CatalogEntry): KeptCatalogResult {
  const { catalogVersion, count, feed, digest, fetchedAt, checkedAt, forced } = entry;
  return {
    catalog_version: catalogVersion,
    entry_count: count,
    feed,
    digest,
    fetched_at: fetchedAt,
    checked_at: checkedAt,
    ...(forced && { forced }),
  };
}

/** What became of a feed that was not refused, as results show it. */
export function shownRefresh(refresh: Exclude<CatalogRefresh, { outcome: 'refused' }>): RefreshedCatalog {
  const { outcome, entry, catalog } = refresh;
  const { dateReleased } = catalog;
  const changes = refresh.outcome === 'updated' ? refresh.changes : undefined;
  const warnings = refresh.outcome === 'updated' ? [...refresh.overruled, ...refresh.notes] : (catalog.oddities ?? []);
  return {
    outcome,
    ...shownCatalog(entry),
    ...(dateReleased !== undefined && { released_at: dateReleased }),
    ...(changes !== undefined && { changes }),
    warnings: warnings.map(({ path, code, message, expected }) => ({
      code,
      message,
      path,
      ...(expected !== undefined && { expected }),
    })),
  };
}
