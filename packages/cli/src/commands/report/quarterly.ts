import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { dayNumber } from '@colophon/notation';
import type { QuarterlyReport, RemediationRecord, ReportNotes } from '@colophon/records';
import {
  auditReport,
  detailsOf,
  type FolderDraft,
  keptRecords,
  newestCatalog,
  parsedPeriod,
  type SignedStatement,
  verifyStatements,
} from '@colophon/remediation';
import {
  type CatalogInReport,
  countReport,
  formatNotes,
  formatReport,
  type MadeFile,
  noteFiles,
  type ReportDetails,
  type ReportFile,
  reportFileName,
  reportFiles,
  reportNotes,
  reportPages,
  uncountedRecords,
} from '@colophon/remediation-rules';
import { CatalogStore, type SqlDatabase } from '@colophon/store';
import type { Command } from 'commander';
import { bundleBeside } from '../../bundle-file/bundle-file.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import {
  type DocumentSigningFlags,
  documentSigner,
  namesSigner,
  withDocumentSigning,
} from '../../document-signature/document-signer.ts';
import {
  type DocumentVerificationFlags,
  documentVerifier,
  namesCertificate,
} from '../../document-signature/document-verifier.ts';
import { example } from '../../program/example.ts';
import { underHeading } from '../../program/help-layout.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { assertFreePlace, readRecords, writeReport } from '../../report-folder/report-files.ts';
import type { ReportQuarterlyResult } from '../../report-folder/report-result.ts';
import { coloursFor, oneLine, shellWord } from '../../terminal/terminal.ts';
import {
  openTriageDatabase,
  type TriageDatabaseFlags,
  withTriageDatabase,
} from '../../triage-database/triage-database.ts';
import { withIdentity } from '../../verification-flags/verification-flags.ts';
import type { Signed } from '../signed-result.ts';
import { logEntryOf, withSigned } from '../signing.ts';
import { type DocumentFlags, type KeptDocuments, keptDocuments } from './kept-documents.ts';
import { notesOf } from './report-warnings.ts';
import { describeReport, type MadeReport } from './report-words.ts';

type QuarterlyFlags = DocumentSigningFlags &
  Omit<DocumentVerificationFlags, 'trustedRoot'> &
  TriageDatabaseFlags &
  DocumentFlags & {
    readonly publicKey?: string;
    readonly period: string;
    readonly records?: string;
    readonly productName?: string;
    readonly at?: string;
    readonly out?: string;
    readonly force?: boolean;
    readonly output: OutputFormat;
  };

/** `colophon report quarterly`: the report of contract §2.10 with everything that it names, in one folder. */
export function defineQuarterly(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon report quarterly --period 2026-Q4 --reviewer dana@example.com'))
    .requiredOption('--period <quarter>', 'such as 2026-Q4')
    .option('--records <file>', 'records to count (default: those of the database)')
    .option('--product-name <name>', 'records of this product alone')
    .option('--at <day>', 'count as of the end of this day (default: today, or the last day of the quarter)')
    .option('--out <folder>', 'where to put it (default: quarterly-report-QUARTER)')
    .option('--force', 'replace the report that is in the folder')
    .option('--sbom <file>', 'an SBOM that the database does not have; repeatable', everyValue)
    .option('--scan <file>', 'a scan that the database does not have; repeatable', everyValue)
    .option('--vex <file>', 'a VEX document that the database does not have; repeatable', everyValue)
    .option('--signature <file>', 'a signature over one of them; repeatable', everyValue);
  const signing = withIdentity(withDocumentSigning(withTriageDatabase(command)));
  underHeading('verified', signing, (verifying) =>
    verifying
      .option('--public-key <file>', 'public key that VEX documents were signed with')
      .option(
        '--openpgp-key <file>',
        'OpenPGP public key whose signatures over VEX documents count; repeatable',
        everyValue,
      ),
  )
    .addOption(outputOption())
    .action(async (flags: QuarterlyFlags, command: Command) => {
      const made = await withDatabase(flags, command, session, (database) =>
        quarterly(flags, command, session, database),
      );
      const { terminal } = session;
      for (const note of notesOf(made)) terminal.stderr.write(coloursFor(terminal).yellow(`note: ${oneLine(note)}\n`));
      printResult(terminal, flags.output, made.result, () =>
        describeReport(made, coloursFor(terminal, terminal.stdout)),
      );
    });
}

async function quarterly(
  flags: QuarterlyFlags,
  command: Command,
  session: Session,
  database: () => Promise<SqlDatabase>,
): Promise<MadeReport> {
  const period = parsedPeriod(flags.period);
  const asOf = dayOfReport(flags.at);
  const folder = flags.out ?? `quarterly-report-${period.name}`;
  // What can be refused is refused before anything is read, or signed for ever.
  assertFreePlace(folder, flags.force === true);
  const sign = namesSigner(flags) ? await documentSigner(flags, command, session) : undefined;
  // The key of `--key` signs the report; the one that signed the documents is another one's.
  const { key: _, publicKey, ...others } = flags;
  const verification = { ...others, ...(publicKey !== undefined && { key: publicKey }) };
  const names = namesCertificate(verification) || flags.openpgpKey !== undefined;
  const verify = names ? await documentVerifier(verification, command, session) : undefined;

  const progress = progressLine(session.terminal);
  progress.show('reading the records');
  const source = flags.records ?? 'the database';
  const records =
    flags.records === undefined
      ? await keptRecords(await database(), flags.productName)
      : await readRecords(flags.records);
  // Records in a file were held against a catalog that is not known here.
  const isOfDatabase = flags.records === undefined || flags.database !== undefined;
  const kept = isOfDatabase ? await keptCatalog(await database()) : undefined;
  const hasCatalog = !isOfDatabase || kept !== undefined;
  assertProduct(records, flags.productName, source);
  progress.show(`counting ${records.length} records`);
  const details = detailsOf(
    records,
    { period, asOf, ...(flags.productName && { product: flags.productName }) },
    source,
  );
  const documents = await keptDocuments(flags, () => databaseOrNone(database));
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
  progress.show('checking the closings and the scans');
  const { notes, audit, made } = await notesOn({ details, all: records, evidence: files.evidence, documents, kept });
  const signatures: Signed[] = [];
  const signed = async (name: string, bytes: Uint8Array) => {
    if (sign === undefined) return undefined;
    progress.show(`signing ${name}`);
    const { bundle, identity } = await withSigned(name, () => sign(bytes));
    signatures.push({
      artifact: join(folder, name),
      bundle: bundleBeside(join(folder, name)),
      ...(identity && { certificate_identity: identity }),
      log_entry: logEntryOf(bundle),
    });
    return bundle;
  };
  session.holdInterrupts();
  const checksums = await writeReport(folder, {
    mayReplace: flags.force === true,
    fill: (draft) =>
      fill({
        draft,
        details,
        report,
        notes,
        files: { ...files, made: [...files.made, ...made] },
        documents,
        signed,
        session,
        show: progress.show,
      }),
    seal: (list) => signed('SHA256SUMS', list),
  }).finally(progress.clear);
  const result: ReportQuarterlyResult = {
    ok: true,
    out: folder,
    file_count: checksums.length,
    report,
    notes,
    vex_documents: statements,
    signatures,
    differences: audit.differences,
  };
  return { result, details, evidence: files.evidence, hasCatalog };
}

type KeptCatalogBytes = CatalogInReport & { readonly bytes: Uint8Array };

async function keptCatalog(db: SqlDatabase): Promise<KeptCatalogBytes | undefined> {
  const store = await CatalogStore.open(db);
  const newest = await newestCatalog(store);
  const bytes = newest && (await store.bytes(newest.entry.digest));
  if (newest === undefined || bytes === undefined) return undefined;
  return { catalog: newest.catalog, checkedAt: newest.entry.checkedAt, bytes };
}

type Noting = {
  readonly details: ReportDetails;
  readonly all: readonly RemediationRecord[];
  readonly evidence: readonly ReportFile[];
  readonly documents: KeptDocuments;
  readonly kept: KeptCatalogBytes | undefined;
};

/** What whoever verifies the report will find, before it is signed, and the files that say so. */
async function notesOn({ details, all, evidence, documents, kept }: Noting) {
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
  const notes = reportNotes({ details, uncounted, closings, listings, catalog: kept });
  return { notes, audit, made: noteFiles(details.period.name, formatNotes(notes), uncounted, kept?.bytes) };
}

type Filling = {
  readonly draft: FolderDraft;
  readonly details: ReportDetails;
  readonly report: QuarterlyReport;
  readonly notes: ReportNotes;
  readonly files: {
    readonly evidence: readonly ReportFile[];
    readonly made: readonly MadeFile<string | Uint8Array>[];
  };
  readonly documents: KeptDocuments;
  readonly signed: (name: string, bytes: Uint8Array) => Promise<Uint8Array | undefined>;
  readonly session: Session;
  readonly show: (text: string) => void;
};

/** One document at a time: together they may be larger than memory. The signature comes last, when all else is there. */
async function fill({
  draft,
  details,
  report,
  notes,
  files,
  documents,
  signed,
  session,
  show,
}: Filling): Promise<void> {
  const put = (name: string, content: string | Uint8Array): string => {
    session.signal.throwIfAborted();
    return draft.put(name, content);
  };
  for (const file of files.evidence) {
    show(`copying ${file.name}`);
    put(file.name, await documents.bytesOf(file));
  }
  const made = files.made.map(({ name, content }) => ({ name, digest: put(name, content), kinds: [] }));
  for (const { name, content } of reportPages(report, details, [...files.evidence, ...made], notes)) {
    show(`writing ${name}`);
    put(name, content);
    // There may be a hundred of them, and Ctrl-C is only heard in between.
    await setImmediate();
  }
  const name = reportFileName(report.period);
  const bytes = Buffer.from(formatReport(report));
  put(name, bytes);
  session.signal.throwIfAborted();
  const bundle = await signed(name, bytes);
  if (bundle !== undefined) draft.put(`${name}.sigstore.json`, bundle);
}

/** Opens the database at most once, and closes it. */
async function withDatabase<T>(
  flags: QuarterlyFlags,
  command: Command,
  session: Session,
  work: (database: () => Promise<SqlDatabase>) => Promise<T>,
): Promise<T> {
  let opened: Promise<SqlDatabase> | undefined;
  const next = 'colophon remediation open, or --records FILE';
  try {
    return await work(() => {
      opened ??= openTriageDatabase(flags, command, session, { mustExist: true, next });
      return opened;
    });
  } finally {
    await opened?.then(
      (db) => db.close(),
      () => undefined,
    );
  }
}

/** Who gives records and documents as files needs no database. */
async function databaseOrNone(database: () => Promise<SqlDatabase>): Promise<SqlDatabase | undefined> {
  try {
    return await database();
  } catch (error) {
    if ((error as { code?: unknown }).code === 'cli.no_database') return undefined;
    throw error;
  }
}

/** The day of the report; a day to come would call a quarter finished that is not. */
function dayOfReport(stated: string | undefined): string {
  const now = new Date().toISOString();
  if (stated === undefined) return now;
  const day = dayNumber(stated) === undefined ? undefined : stated;
  if (day !== undefined && day <= now.slice(0, 10)) return day;
  throw new CliError('cli.usage', day === undefined ? 'this is no day' : 'nobody knows yet how that day ends', {
    checked: `--at ${stated}`,
    expected: `a day such as ${now.slice(0, 10)}, or an earlier one`,
  });
}

/** A misspelt product would have a spotless report. */
function assertProduct(records: readonly RemediationRecord[], product: string | undefined, source: string): void {
  if (product === undefined || records.some((record) => record.product === product)) return;
  const known = [...new Set(records.map((record) => record.product))].sort().slice(0, 10);
  throw new CliError('cli.no_records', `${source} has no record of the product ${product}`, {
    checked: `--product-name ${product}`,
    ...(known.length === 0 ? {} : { expected: known.join(', ') }),
    next: `colophon remediation list${known.length === 0 ? '' : ` --product-name ${shellWord(known[0]!)}`}`,
  });
}

/** A report that names a statement vouches for it. */
function brokenStatement({ digest, code = '' }: SignedStatement, name: string): CliError {
  return new CliError('cli.signature_broken', `no signature over ${name} holds`, {
    checked: digest,
    expected: 'a signature over these very bytes',
    found: code,
    next: 'colophon vex verify',
  });
}
