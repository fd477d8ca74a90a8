import { catalogAge, findEntry, type KnownExploitedCatalog } from '@colophon/findings';
import type { CatalogNote, RemediationRecord } from '@colophon/records';

/** A catalog that lies beside a report. */
export type CatalogInReport = {
  readonly catalog: KnownExploitedCatalog;
  /** Of its bytes, `sha256:<hex>`. */
  readonly digest: string;
  /** RFC 3339: when its feed was asked last; the catalog itself does not say it. */
  readonly checkedAt: string | null;
};

/**
 * How old the catalog is at the end of that day, by the days of `kev status`, and whether the records say what it says.
 * A closed record keeps what was known when it was closed.
 * @param asOf a day
 */
export function catalogNote(
  { catalog, digest, checkedAt }: CatalogInReport,
  file: string,
  records: readonly RemediationRecord[],
  asOf: string,
): CatalogNote {
  const { catalogVersion, dateReleased } = catalog;
  const age = catalogAge({ checkedAt: checkedAt ?? undefined, dateReleased }, { at: `${asOf}T23:59:59Z` });
  return {
    file,
    digest,
    version: catalogVersion,
    released_at: dateReleased ?? null,
    checked_at: checkedAt,
    released_days: age.releasedDays,
    checked_days: age.checkedDays,
    stale: age.isStale,
    not_applied: records
      .filter((record) => deniesCatalog(record, catalog))
      .map(({ id }) => id)
      .sort(),
  };
}

/** What was exploited is due in hours: a record that leaves it out, even a closed one, hides how late it was. */
function deniesCatalog(record: RemediationRecord, catalog: KnownExploitedCatalog): boolean {
  const { state, cve, aliases, cisa_kev, closed_at, resolution } = record;
  const entry = findEntry(catalog, { id: cve, aliases });
  if (state === 'open') return cisa_kev !== (entry !== undefined);
  if (cisa_kev || entry?.dateAdded === undefined || resolution?.kind === 'void') return false;
  return closed_at !== null && entry.dateAdded <= closed_at.slice(0, 10);
}
