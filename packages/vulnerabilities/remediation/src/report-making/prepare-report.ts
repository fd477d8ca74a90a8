import {
  digestOf,
  type NotedInput,
  type QuarterlyReport,
  type RemediationRecord,
  type ReportNotes,
} from '@colophon/records';
import {
  countReport,
  formatNotes,
  formatRecords,
  type MadeFile,
  noteFiles,
  type ReportDetails,
  type ReportDifference,
  type ReportFile,
  type ReportFiles,
  type ReportRequest,
  reportFiles,
  reportNotes,
  uncountedFileName,
  uncountedRecords,
} from '@colophon/remediation-rules';
import type { DocumentVerifier } from '@colophon/signers';
import { detailsOf } from '../recount/report-records.ts';
import type { SignedStatement } from '../recount/signature-states-result.ts';
import { verifyStatements } from '../recount/statement-signatures.ts';
import { auditReport } from '../report-audit/report-audit.ts';
import { ReportError } from '../report-folder/report-error.ts';
import type { KeptDocuments } from './kept-documents.ts';
import type { ReportCatalog } from './report-catalog.ts';

/** What a report is made of. */
export type ReportSources = ReportRequest & {
  /** RFC 3339 in UTC: a report of a day to come would call a quarter finished that is not. */
  readonly now: string;
  readonly records: readonly RemediationRecord[];
  /** What the records are called in errors. */
  readonly source: string;
  readonly documents: KeptDocuments;
  readonly catalog?: ReportCatalog;
  /** Absent where nobody says whose signatures over VEX documents count. */
  readonly verify?: DocumentVerifier;
  /** Is told, for people, what is under way. */
  readonly show: (step: string) => void;
};

/** A report that is counted and checked; nothing of it is written or signed. */
export type PreparedReport = {
  readonly report: QuarterlyReport;
  readonly details: ReportDetails;
  readonly notes: ReportNotes;
  /** What is known of the signatures over each VEX document. */
  readonly statements: readonly SignedStatement[];
  /** What `report verify` will refuse, as far as it lies in records and documents. */
  readonly differences: readonly ReportDifference[];
  readonly files: {
    readonly evidence: readonly ReportFile[];
    readonly made: readonly MadeFile<string | Uint8Array>[];
  };
  readonly documents: KeptDocuments;
};

/**
 * Counts the report of a quarter (contract §2.10), and checks what `report verify` will check.
 * @throws ReportError `report.no_records`, `report.records_invalid`, `report.document_not_kept`, `report.statement_signature_broken`, `report.day_invalid`
 */
export async function prepareReport(sources: ReportSources): Promise<PreparedReport> {
  const { now, records, source, documents, catalog, verify, show, ...request } = sources;
  assertDayCame(request.asOf, now);
  assertProduct(records, request.product, source);
  show(`counting ${records.length} records`);
  const details = detailsOf(records, request, source);
  const files = reportFiles(details, documents.given);
  const report = countReport(details, files.artifacts);

  const byDigest = new Map(files.evidence.map((file) => [file.digest, file] as const));
  const statements = await verifyStatements(
    details.records,
    (digest) => documents.bytesOf(byDigest.get(digest)!),
    verify,
  );
  const broken = statements.find(({ state }) => state === 'broken');
  if (broken !== undefined) throw brokenStatement(broken, byDigest.get(broken.digest)!.name);
  show('checking the closings and the scans');
  const { notes, audit, made } = await notesOn({ details, all: records, files, documents, catalog });
  return {
    report,
    details,
    notes,
    statements,
    differences: audit.differences,
    files: { evidence: files.evidence, made: [...files.made, ...made] },
    documents,
  };
}

type Noting = {
  readonly details: ReportDetails;
  readonly all: readonly RemediationRecord[];
  readonly files: ReportFiles;
  readonly documents: KeptDocuments;
  readonly catalog: ReportCatalog | undefined;
};

/** What `report verify` will find, before the report is signed, and the files that say so. */
async function notesOn({ details, all, files, documents, catalog }: Noting) {
  const { evidence } = files;
  const byDigest = new Map(evidence.map((file) => [file.digest, file] as const));
  const audit = await auditReport({
    records: details.records,
    all,
    scans: evidence.filter(({ kinds }) => kinds.includes('scan')),
    source: async (digest) => {
      const file = byDigest.get(digest);
      return file && { name: file.name, bytes: await documents.bytesOf(file) };
    },
    ...(details.product !== undefined && { product: details.product }),
  });
  const uncounted = uncountedRecords(details, all, audit.listings.answering);
  const { closings, listings } = audit;
  const inputs = inputsOf(details.period.name, files, uncounted);
  const notes = reportNotes({ details, uncounted, closings, listings, catalog, inputs });
  return { notes, audit, made: noteFiles(details.period.name, formatNotes(notes), uncounted, catalog?.bytes) };
}

/** The files that figures and notes follow from; a signature decides none of them. */
function inputsOf(
  period: string,
  { evidence, made, artifacts }: ReportFiles,
  uncounted: readonly RemediationRecord[],
): readonly NotedInput[] {
  const records = made.filter(({ name }) => name === artifacts.remediation_records);
  const beside = { name: uncountedFileName(period), content: formatRecords(uncounted) };
  return [
    ...evidence.flatMap(({ name, digest, kinds }) =>
      kinds.some((kind) => kind !== 'signature') ? [{ file: name, digest }] : [],
    ),
    ...[...records, beside].map(({ name, content }) => ({ file: name, digest: digestOf(Buffer.from(content)) })),
  ];
}

function assertDayCame(asOf: string, now: string): void {
  const today = now.slice(0, 10);
  if (asOf.slice(0, 10) <= today) return;
  throw new ReportError('report.day_invalid', 'that day is in the future', {
    checked: `--at ${asOf}`,
    expected: `a day such as ${today}, or an earlier one`,
  });
}

/** A misspelt product would have a spotless report. */
function assertProduct(records: readonly RemediationRecord[], product: string | undefined, source: string): void {
  if (product === undefined || records.some((record) => record.product === product)) return;
  const known = [...new Set(records.map((record) => record.product))].sort().slice(0, 10);
  throw new ReportError('report.no_records', `${source} has no record of the product ${product}`, {
    checked: `--product-name ${product}`,
    ...(known.length === 0 ? {} : { expected: known.join(', ') }),
    next: 'colophon remediation list',
  });
}

/** A report that names a statement vouches for it. */
function brokenStatement({ digest, code = '' }: SignedStatement, name: string): ReportError {
  return new ReportError('report.statement_signature_broken', `no signature over ${name} holds`, {
    checked: digest,
    expected: 'a signature over these very bytes',
    found: code,
    next: 'colophon vex verify',
  });
}
