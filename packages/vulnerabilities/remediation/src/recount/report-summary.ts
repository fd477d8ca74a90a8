import type { ReportNotes } from '@colophon/records';
import type { ReportSummary } from './recount-result.ts';

/** The notes of a report in numbers. */
export function reportSummary({
  closings,
  listings,
  overrides,
  voided,
  nothing_due,
  catalog,
}: ReportNotes): ReportSummary {
  return {
    proven_count: closings.proven,
    unproven_count: closings.unproven.length,
    scan_count: listings.scans,
    unchecked_scan_count: listings.unchecked_scans.length,
    listing_count: listings.listings,
    unrecorded_listing_count: listings.without_record,
    override_count: overrides.length,
    voided_count: voided.length,
    unsigned_void_count: voided.filter(({ signer }) => signer === null).length,
    nothing_due,
    ...(catalog && { catalog: { catalog_version: catalog.version, digest: catalog.digest, stale: catalog.stale } }),
  };
}
