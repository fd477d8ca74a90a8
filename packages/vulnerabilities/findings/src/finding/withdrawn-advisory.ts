import type { Finding } from '@colophon/records';

/** As our readers write why an entry is not counted, after the member of OSV and that of CycloneDX. */
const STATED = /^(?:withdrawn|rejected): /;
/** How the texts of NVD and of GitHub's advisories begin once they are taken back. */
const WRITTEN = /^(?:\*\* ?REJECT ?\*\*|Rejected reason:|(?:#+ *)?(?:Withdrawn|Duplicate) Advisory\b)/i;
/** Characters of a text that are shown. */
const SHOWN = 120;

/**
 * What one scanner says of an advisory that was withdrawn, or of a CVE that was rejected; undefined where it says nothing
 * of it. A scanner that goes on counting such an entry is believed in that it lists it.
 */
export function withdrawalOf({ reportedBy, suppressed, description }: Finding, scanner: string): string | undefined {
  const own = reportedBy.filter((report) => report.scanner === scanner);
  const reasons = own.length === 0 ? [suppressed] : own.map((report) => report.suppressed);
  const stated = reasons.find((reason) => reason !== undefined && STATED.test(reason));
  if (stated !== undefined && reasons.every((reason) => reason !== undefined)) return stated.slice(0, SHOWN);
  return WRITTEN.test(description) ? description.split('\n', 1)[0]!.slice(0, SHOWN) : undefined;
}
