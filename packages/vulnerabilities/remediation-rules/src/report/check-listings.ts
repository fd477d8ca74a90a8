import { isUncounted } from '@colophon/findings';
import { parseInstant } from '@colophon/notation';
import type { Finding, RemediationRecord, UnansweredListing } from '@colophon/records';
import { contradiction } from '../remediation/open-records.ts';
import { evidenceOf } from '../remediation/record-evidence.ts';
import { RecordIndex } from '../remediation/record-index.ts';
import type { KeptScan } from '../remediation/sighting.ts';
import { nameOf } from './check-sightings.ts';
import type { ReportDifference } from './report-difference-result.ts';

/** A record that was closed or voided though a scan of the report speaks against it. */
export type ContradictedRecord = { readonly record: RemediationRecord; readonly scan: string; readonly why: string };

/**
 * Holds what scans list against the records. A listing is answered by every record of the same vulnerability, under any
 * of its names, in the same component of the same product, in whatever state; it may speak against each of them.
 */
export class ListingCheck {
  readonly #indexes: ReadonlyMap<string, RecordIndex>;
  readonly #productsOf: ReadonlyMap<string, ReadonlySet<string>>;
  readonly unanswered: UnansweredListing[] = [];
  readonly contradicted: ContradictedRecord[] = [];
  /** Records that answer a listing and name no scanner that saw them, with such a scan. */
  readonly unsighted = new Map<RemediationRecord, string>();
  /** Records that answer a listing. */
  readonly answering = new Set<RemediationRecord>();
  /** Names of the scans of which nobody says what product they are of, or that are of another one. */
  readonly unchecked: string[] = [];
  scans = 0;
  /** How many vulnerabilities in components the scans list and count, each once for each scan. */
  listings = 0;

  readonly #product: string | undefined;

  /**
   * @param records every record that may answer
   * @param product the only one that the report is of
   */
  constructor(records: readonly RemediationRecord[], product?: string) {
    this.#product = product;
    const byProduct = Map.groupBy(records, ({ product }) => product);
    this.#indexes = new Map([...byProduct].map(([product, some]) => [product, new RecordIndex(some)] as const));
    this.#productsOf = productsByScan(records);
  }

  /** What a scan was of: what it says itself, or the products of the records that rest on it. */
  productsOf({ digest, record }: KeptScan): readonly string[] {
    const artifact = record.sbom?.artifact;
    const products = artifact === undefined ? [...(this.#productsOf.get(digest) ?? [])].sort() : [artifact];
    return products.filter((product) => this.#product === undefined || product === this.#product);
  }

  /** Checks one scan; of one that does not say of what it is, and that no record rests on, nothing is known. */
  add(scan: KeptScan): void {
    const products = this.productsOf(scan);
    if (products.length > 0) this.scans += 1;
    else this.unchecked.push(scan.name);
    for (const product of products) this.#check(scan, product);
  }

  #check(scan: KeptScan, product: string): void {
    const index = this.#indexes.get(product);
    const answered = new Map<RemediationRecord, Finding[]>();
    for (const finding of scan.record.findings.filter((one) => !isUncounted(one))) {
      this.listings += 1;
      const records = index?.find(finding) ?? [];
      if (records.length === 0) this.unanswered.push(unanswered(finding, scan, product));
      for (const record of records) answered.set(record, [...(answered.get(record) ?? []), finding]);
    }
    for (const [record, findings] of answered) {
      this.answering.add(record);
      if (record.sightings.length === 0) this.unsighted.set(record, scan.name);
      const why = record.state === 'closed' ? spokenAgainst(record, findings, scan) : undefined;
      if (why !== undefined) this.contradicted.push({ record, scan: scan.name, why });
    }
  }

  /** What `report verify` says of it: one difference for each scan, and one for each record. */
  differences(): readonly ReportDifference[] {
    const byScan = Map.groupBy(this.unanswered, ({ scan }) => scan);
    return [
      ...[...byScan].map(([scan, listings]): ReportDifference => {
        return {
          code: 'report.listing_without_record',
          path: scan,
          expected: 'a record for everything that it lists',
          found: `${listings.length} without: ${exampleWords(listings)}`,
        };
      }),
      ...[...this.unsighted].map(([record, scan]): ReportDifference => {
        return {
          code: 'report.sighting_differs',
          path: nameOf(record),
          expected: `a sighting, as in ${scan}`,
          found: 'none',
        };
      }),
      ...this.contradicted.map(({ record, scan, why }): ReportDifference => {
        return {
          code: 'report.listing_contradicts',
          path: nameOf(record),
          expected: 'an open record',
          found: `${why} (${scan})`,
        };
      }),
    ];
  }
}

const MOST_EXAMPLES = 5;

/** Some of the listings, in words; the worst first. */
export function exampleWords(listings: readonly UnansweredListing[]): string {
  const shown = listings
    .slice(0, MOST_EXAMPLES)
    .map(({ cve, component, version }) => `${cve} in ${component} ${version ?? '(no version)'}`);
  const more = listings.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

function unanswered(finding: Finding, scan: KeptScan, product: string): UnansweredListing {
  const { id: cve, severity, component } = finding;
  const { name, version = null } = component;
  return { scan: scan.name, product, cve, component: name, version, severity };
}

/** As at opening. What was said of it before a statement was made is what the statement answers. */
function spokenAgainst(record: RemediationRecord, findings: readonly Finding[], scan: KeptScan): string | undefined {
  if (record.resolution?.kind === 'statement' && !isAfter(scan, record.closed_at!)) return undefined;
  return contradiction(record, findings, scan);
}

function isAfter({ record: { scannedAt, sbom } }: KeptScan, closedAt: string): boolean {
  const said = scannedAt ?? sbom?.timestamp;
  return said !== undefined && parseInstant(said)! > parseInstant(closedAt)!;
}

function productsByScan(records: readonly RemediationRecord[]): ReadonlyMap<string, ReadonlySet<string>> {
  const products = new Map<string, Set<string>>();
  for (const record of records) {
    const { product, sightings, resolution } = record;
    const scans = [
      ...evidenceOf(record, 'scan'),
      ...sightings.map(({ scan }) => scan),
      ...(resolution?.kind === 'rescan' ? resolution.scans.map(({ scan }) => scan) : []),
    ];
    for (const scan of scans) {
      const known = products.get(scan) ?? new Set();
      products.set(scan, known.add(product));
    }
  }
  return products;
}
