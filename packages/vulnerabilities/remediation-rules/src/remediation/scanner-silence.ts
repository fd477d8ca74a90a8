import { ComponentLookup } from '@colophon/findings';
import type { FindingComponent, RemediationRecord } from '@colophon/records';
import { componentOf } from './record-index.ts';
import { OR_REASON, type RemediationIssue, remediationIssue } from './remediation-issue.ts';
import { componentWords } from './scan-tie.ts';
import type { KeptScan } from './sighting.ts';

type Scanned = { readonly components: readonly FindingComponent[]; readonly scans: readonly KeptScan[] };

/**
 * Scanners that list nothing any more of components that are unchanged: an open record says that the scanner listed
 * them, and the new SBOM holds them in the same version. Such a scan did not look at this SBOM, or not at all of it, and
 * its silence about another component proves nothing.
 * @param others open records of the product, which are not being closed by this scan
 */
export function* silenceIssues(
  { components, scans }: Scanned,
  others: readonly RemediationRecord[],
): Generator<RemediationIssue> {
  const open = others.filter(({ state }) => state === 'open');
  if (open.length === 0) return;
  const held = ComponentLookup.of(components);
  for (const [scanner, ofScanner] of Map.groupBy(scans, ({ record }) => record.scanner.name)) {
    const listed = new ComponentLookup(
      ofScanner.flatMap(({ record }) => record.findings.map(({ component }) => component)),
    );
    const silent = new Map<string, FindingComponent>();
    for (const record of open) {
      for (const seen of listedBefore(record, scanner)) {
        if (held.hasVersion(seen) && !listed.has(seen)) silent.set(`${seen.purl} ${seen.name} ${seen.version}`, seen);
      }
    }
    if (silent.size === 0) continue;
    yield remediationIssue('remediation.scanner_silent', `${scanner} lists nothing of components that are unchanged`, {
      expected: `what it listed of them before, for which records are open, by the same flags as before; ${OR_REASON}`,
      found: componentWords([...silent.values()]),
    });
  }
}

type ByScanner = ReadonlyMap<string, readonly FindingComponent[]>;

/** Asked for of every open record at each closing; a record never changes. */
const LISTED = new WeakMap<RemediationRecord, ByScanner>();

/** What a scanner listed of a record; nothing where it said that it was withdrawn, which sooner or later it drops. */
function listedBefore(record: RemediationRecord, scanner: string): readonly FindingComponent[] {
  const known = LISTED.get(record) ?? listedByScanner(record);
  LISTED.set(record, known);
  return known.get(scanner) ?? [];
}

function listedByScanner(record: RemediationRecord): ByScanner {
  const listed = new Map<string, readonly FindingComponent[]>();
  for (const { scanner, versions, withdrawn } of record.sightings) {
    if (listed.has(scanner)) continue;
    listed.set(scanner, withdrawn === undefined ? versions.map((version) => componentOf(record, version)) : []);
  }
  return listed;
}
