import { DAY_MS, parseInstant } from '@colophon/notation';
import type { CatalogEntry } from '@colophon/store';

/** Days over which losses of a catalog are added up; the real one loses an entry in a year. */
const LOSSES_COUNTED_DAYS = 30;

/**
 * The catalog from which losses are counted: what was in force 30 days before `at`, or the first since then. What a
 * person had kept by force begins the count anew.
 * @param entries every catalog that was kept, oldest first
 * @param at RFC 3339
 */
export function catalogBaseline(entries: readonly CatalogEntry[], at: string): CatalogEntry | undefined {
  const since = parseInstant(at)! - LOSSES_COUNTED_DAYS * DAY_MS;
  const counted = entries.slice(
    Math.max(
      0,
      entries.findLastIndex(({ forced }) => forced === true),
    ),
  );
  return counted.findLast(({ fetchedAt }) => (parseInstant(fetchedAt) ?? since) <= since) ?? counted[0];
}
