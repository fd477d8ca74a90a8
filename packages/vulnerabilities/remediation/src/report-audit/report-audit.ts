import type { RemediationRecord } from '@colophon/records';
import {
  type CheckedClosing,
  checkClosing,
  documentsOfClosing,
  evidenceOf,
  isVoid,
  ListingCheck,
  RecordTimeline,
  type ReportDifference,
  sightingDifferences,
} from '@colophon/remediation-rules';
import { AuditDocuments, type DocumentSource } from './audit-documents.ts';

/** What is compared with each other: records, and the documents beside them. */
export type AuditRequest = {
  /** Those that the report counts. */
  readonly records: readonly RemediationRecord[];
  /** Every record that is known, these among them. */
  readonly all: readonly RemediationRecord[];
  /** The only product that the report is of. */
  readonly product?: string;
  /** Every scan beside the report. */
  readonly scans: ReadonlyArray<{ readonly name: string; readonly digest: string }>;
  readonly source: DocumentSource;
};

/** What came out of it. */
export type ReportAudit = {
  readonly closings: readonly CheckedClosing[];
  readonly listings: ListingCheck;
  readonly differences: readonly ReportDifference[];
};

/**
 * Holds the records of a report against its documents: the proof of every closing once more, and a record for everything
 * that the scans list. Nothing is asked of a database.
 */
export async function auditReport({ records, all, product, scans, source }: AuditRequest): Promise<ReportAudit> {
  const documents = new AuditDocuments(source);
  const listings = new ListingCheck(all, product);
  const unreadable: ReportDifference[] = [];
  const restedOn = new Set(records.flatMap((record) => evidenceOf(record, 'scan')));
  for (const { name, digest } of scans) {
    const scan = await documents.scan(digest);
    if (scan !== undefined) listings.add(scan);
    else if (restedOn.has(digest)) unreadable.push(unreadableScan(name));
    else listings.unchecked.push(name);
  }
  const closings = await checkClosings(records, all, documents);
  const sighted = await checkOpen(records, documents);
  const failed = closings.flatMap(({ differences }) => differences);
  return { closings, listings, differences: [...unreadable, ...sighted, ...failed, ...listings.differences()] };
}

function unreadableScan(path: string): ReportDifference {
  return { code: 'report.document_unreadable', path, expected: 'a scan as it is kept', found: 'another document' };
}

/** Open records say what the scans say that found them. */
async function checkOpen(
  records: readonly RemediationRecord[],
  documents: AuditDocuments,
): Promise<readonly ReportDifference[]> {
  const differences: ReportDifference[] = [];
  for (const record of records.filter(({ state }) => state === 'open')) {
    const scans = await readAll(documentsOfClosing(record).scan, (digest) => documents.scan(digest));
    differences.push(...sightingDifferences(record, { scan: (digest) => scans.get(digest) }));
  }
  return differences;
}

/** Closings by one SBOM are checked one after the other, so that it is read once. */
async function checkClosings(
  records: readonly RemediationRecord[],
  all: readonly RemediationRecord[],
  documents: AuditDocuments,
): Promise<readonly CheckedClosing[]> {
  const timeline = new RecordTimeline(all);
  const closed = records.filter((record) => record.state === 'closed' && !isVoid(record));
  const checked = new Map<RemediationRecord, CheckedClosing>();
  for (const record of closed.toSorted((a, b) => (proofKey(a) < proofKey(b) ? -1 : 1))) {
    checked.set(record, await checkOne(record, timeline, documents));
  }
  return closed.map((record) => checked.get(record)!);
}

function proofKey({ resolution, closed_at }: RemediationRecord): string {
  return `${resolution?.kind === 'rescan' ? resolution.sbom.digest : ''} ${closed_at}`;
}

async function checkOne(
  record: RemediationRecord,
  timeline: RecordTimeline,
  documents: AuditDocuments,
): Promise<CheckedClosing> {
  const wanted = documentsOfClosing(record);
  const [sboms, scans, vex] = await Promise.all([
    readAll(wanted.sbom, (digest) => documents.sbom(digest)),
    readAll(wanted.scan, (digest) => documents.scan(digest)),
    readAll(wanted.vex, (digest) => documents.vex(digest)),
  ]);
  return checkClosing(record, timeline, {
    sbom: (digest) => sboms.get(digest),
    scan: (digest) => scans.get(digest),
    vex: (digest) => vex.get(digest),
  });
}

async function readAll<T>(
  digests: ReadonlySet<string>,
  read: (digest: string) => Promise<T | undefined>,
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  for (const digest of digests) {
    const one = await read(digest);
    if (one !== undefined) found.set(digest, one);
  }
  return found;
}
