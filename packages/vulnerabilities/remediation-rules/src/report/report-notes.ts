import { compareTexts, dayNumber, parseInstant } from '@colophon/notation';
import type {
  ExploitedHours,
  NotedInput,
  NotedOverride,
  NotedRecord,
  NotedVoid,
  ProductNote,
  RemediationRecord,
  ReportNotes,
} from '@colophon/records';
import { goingOn } from '../remediation/record-index.ts';
import type { CheckedClosing } from './check-closing.ts';
import type { ListingCheck } from './check-listings.ts';
import { exploitedHours } from './exploited-hours.ts';
import { countReport } from './quarterly-report.ts';
import type { RecordStanding } from './record-standing.ts';
import { type CatalogInReport, catalogNote } from './report-catalog.ts';
import { type ReportDetails, reportDetails } from './report-details.ts';
import { catalogFileName } from './report-files.ts';
import { notedInputs } from './report-inputs.ts';

/** What the notes are made of. */
export type NotesInput = {
  readonly details: ReportDetails;
  /** Records of the file beside; see `uncountedRecords`. */
  readonly uncounted: readonly RemediationRecord[];
  readonly closings: readonly CheckedClosing[];
  readonly listings: ListingCheck;
  readonly catalog: CatalogInReport | undefined;
  /** Every other file that this was counted from, in any order. */
  readonly inputs: readonly NotedInput[];
};

const MOST_EXAMPLES = 20;

/** The notes on a report. The same records and documents give the same notes. */
export function reportNotes({ details, uncounted, closings, listings, catalog, inputs }: NotesInput): ReportNotes {
  const { period, asOf, product, records, voided } = details;
  const all = [...records, ...uncounted];
  const first = all.map(({ date_discovered }) => date_discovered).sort()[0] ?? null;
  return {
    format: 'colophon-report-notes/v1',
    period: period.name,
    as_of: asOf,
    product: product ?? null,
    records: {
      counted: records.length,
      uncounted: uncounted.length,
      first_discovered: first,
      is_before_first_record: first === null || first > asOf,
    },
    inputs: notedInputs(inputs),
    nothing_due: nothingDue(details),
    catalog: catalog === undefined ? null : catalogNote(catalog, catalogFileName(period.name), records, asOf),
    closings: {
      proven: closings.filter(({ differences }) => differences.length === 0).length,
      unproven: closings
        .filter(({ differences }) => differences.length > 0)
        .map(({ record, differences }) => ({ ...noted(record), found: differences.map(({ found }) => found) })),
      reopened_since: standingsOf(details).filter(isReopened).length,
    },
    overrides: overridesOf(records, closings),
    deployed_before_sbom: closings.flatMap(({ record }) => deployedBeforeSbom(record)),
    voided: voided.map(voidOf),
    exploited: exploitedOf(details),
    listings: {
      scans: listings.scans,
      unchecked_scans: listings.unchecked.toSorted(compareTexts),
      listings: listings.listings,
      without_record: listings.unanswered.length,
      examples: listings.unanswered.slice(0, MOST_EXAMPLES),
      contradicted: listings.contradicted.map(({ record, scan, why }) => ({
        ...noted(record),
        found: `${why} (${scan})`,
      })),
    },
    products: productNotes(details, all),
  };
}

/** The bytes of notes, always the same. */
export function formatNotes(notes: ReportNotes): string {
  return `${JSON.stringify(notes, null, 2)}\n`;
}

/**
 * The records that lie beside those that are counted: what answers a listing in the scans, what was set aside, what goes
 * on with that, and, where nothing is counted, the first record there ever was.
 * @param all every record that is known
 */
export function uncountedRecords(
  details: ReportDetails,
  all: readonly RemediationRecord[],
  answering: ReadonlySet<RemediationRecord>,
): readonly RemediationRecord[] {
  const counted = new Set(details.records.map(({ id }) => id));
  const wanted = new Map([...details.voided, ...answering].map((record) => [record.id, record] as const));
  const ofProduct = all.filter(({ product }) => details.product === undefined || product === details.product);
  const [first] = ofProduct.toSorted(
    (a, b) => compareTexts(a.discovered_at, b.discovered_at) || compareTexts(a.id, b.id),
  );
  if (counted.size === 0 && first !== undefined) wanted.set(first.id, first);
  const goesOn = goingOn(ofProduct);
  for (const record of [...wanted.values()]) for (const one of goesOn.get(record) ?? []) wanted.set(one.id, one);
  return [...wanted.values()].filter(({ id }) => !counted.has(id)).sort((a, b) => compareTexts(a.id, b.id));
}

function noted({ id, cve, component, product }: RemediationRecord): NotedRecord {
  return { record: id, cve, component, product };
}

function nothingDue({ figures }: ReportDetails): ReportNotes['nothing_due'] {
  const fields = [
    'remediation_metrics.sla_compliance_rate',
    'sla_by_severity.critical',
    'sla_by_severity.high',
    'sla_by_severity.medium',
  ] as const;
  return fields.filter((field) => figures[field].length === 0);
}

function isReopened({ record, outcome }: RecordStanding): boolean {
  return (outcome === 'patched' || outcome === 'not_affected') && record.state === 'open';
}

/** What the history says that a reason set aside, and what turns out to have been when a closing is checked. */
function overridesOf(
  records: readonly RemediationRecord[],
  closings: readonly CheckedClosing[],
): readonly NotedOverride[] {
  const checked = new Map(closings.map(({ record, overrides }) => [record.id, overrides] as const));
  return records.flatMap((record) =>
    record.history.flatMap((event, index) => {
      const isClosing = index === record.history.length - 1 && event.action === 'closed';
      const found = isClosing ? (checked.get(record.id) ?? []) : [];
      const codes = [...new Set([...(event.overrides ?? []), ...found])].sort();
      const { action, reason = null, by, at } = event;
      return codes.length === 0 ? [] : [{ ...noted(record), action, codes, reason, by, at }];
    }),
  );
}

function deployedBeforeSbom(record: RemediationRecord): ReportNotes['deployed_before_sbom'] {
  const { resolution, deployed_at, date_deployed } = record;
  const made = resolution?.kind === 'rescan' ? resolution.sbom.timestamp : null;
  const deployed = deployed_at ?? date_deployed;
  if (made === null || made === undefined || deployed === null) return [];
  // Of a day alone, the day counts.
  const isBefore = deployed_at === null ? deployed < made.slice(0, 10) : parseInstant(deployed)! < parseInstant(made)!;
  return isBefore ? [{ ...noted(record), deployed, sbom_timestamp: made }] : [];
}

function voidOf(record: RemediationRecord): NotedVoid {
  const { resolution, closing_signature, history } = record;
  const event = history.findLast(({ action }) => action === 'voided')!;
  const cause = resolution?.kind === 'void' ? resolution.cause : 'mistake';
  const signer = closing_signature?.signer ?? null;
  return { ...noted(record), cause, reason: event.reason ?? null, by: event.by, signer, at: event.at };
}

function exploitedOf(details: ReportDetails): ExploitedHours {
  return exploitedHours(standingsOf(details), dayNumber(details.asOf)!);
}

/** Of each record once: an advisory may stand under several CVEs. */
function standingsOf({ cves }: ReportDetails): readonly RecordStanding[] {
  return [...new Map(cves.flatMap(({ records }) => records).map((one) => [one.record.id, one])).values()];
}

function productNotes(details: ReportDetails, all: readonly RemediationRecord[]): readonly ProductNote[] {
  const products = [...new Set(details.records.map(({ product }) => product))].sort(compareTexts);
  const { period, asOf } = details;
  return products.flatMap((product) => {
    const own = reportDetails(all, { period, asOf, product });
    if (!own.ok) return [];
    const { artifacts: _, period: __, ...figures } = countReport(own.value, NO_ARTIFACTS);
    return [{ product, ...figures, nothing_due: nothingDue(own.value), exploited: exploitedOf(own.value) }];
  });
}

const NO_ARTIFACTS = { sbom: '', vulnerability_scan: '', vex_documents: [], remediation_records: '' };

/** The day in words of a note that there was nothing yet to record; undefined where there was. */
export function beforeFirstRecord({ records }: ReportNotes): string | undefined {
  if (!records.is_before_first_record) return undefined;
  return records.first_discovered === null
    ? 'nothing was ever recorded'
    : `the first record is of ${records.first_discovered}`;
}
