import { join } from 'node:path';
import { dayNumber, formatInstant, parseInstant } from '@colophon/notation';
import { keptDocuments, keptRecords, parsedPeriod, prepareReport, reportCatalog } from '@colophon/remediation';
import { signatureIn } from '@colophon/sigstore';
import type { SqlDatabase } from '@colophon/store';
import type { Command } from 'commander';
import { bundleBeside } from '../../bundle-file/bundle-file.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import {
  assertSignerOrUnsigned,
  type DocumentSigningFlags,
  documentSigner,
  documentSignerNeed,
  withDocumentSigning,
} from '../../document-signature/document-signer.ts';
import {
  type DocumentVerificationFlags,
  documentVerifier,
  namesCertificate,
} from '../../document-signature/document-verifier.ts';
import { example } from '../../program/example.ts';
import { underHeading } from '../../program/help-layout.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { VERSION } from '../../program/version.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { assertFreePlace, readRecords, writePrepared } from '../../report-folder/report-files.ts';
import type { ReportQuarterlyResult } from '../../report-folder/report-result.ts';
import { coloursFor, oneLine } from '../../terminal/terminal.ts';
import {
  openTriageDatabase,
  type TriageDatabaseFlags,
  withTriageDatabase,
} from '../../triage-database/triage-database.ts';
import { namedIdentityNeeds, withIdentity } from '../../verification-flags/verification-flags.ts';
import type { Signed } from '../signed-result.ts';
import { withSigned } from '../signing.ts';
import { type DocumentFlags, givenDocuments } from './given-documents.ts';
import { notesOf } from './report-warnings.ts';
import { describeReport, type MadeReport } from './report-words.ts';

type QuarterlyFlags = DocumentSigningFlags &
  Omit<DocumentVerificationFlags, 'trustedRoot'> &
  TriageDatabaseFlags &
  DocumentFlags & {
    readonly publicKey?: string;
    readonly openpgpPublicKey?: readonly string[];
    readonly period: string;
    readonly records?: string;
    readonly productName?: string;
    readonly at?: string;
    readonly out?: string;
    readonly force?: boolean;
    readonly unsigned?: boolean;
    readonly output: OutputFormat;
  };

/** `colophon report quarterly`: the report of contract §2.10 with everything that it names, in one folder. */
export function defineQuarterly(command: Command, session: Session): void {
  command
    .addHelpText('after', example('colophon report quarterly --period 2026-Q4 --reviewer dana@example.com'))
    .requiredOption('--period <quarter>', 'such as 2026-Q4')
    .option('--records <file>', 'records to count (default: those of the database)')
    .option('--product-name <name>', 'records of this product alone')
    .option(
      '--at <time>',
      'count as of the end of this day, or of the day of a time in UTC (default: today, or the last day of the quarter)',
    )
    .option('--out <folder>', 'where to put it (default: quarterly-report-QUARTER)')
    .option('--force', 'replace the report that is in the folder')
    .option('--unsigned', 'sign nothing: the report proves nothing to others')
    .option('--sbom <file>', 'an SBOM that the database does not have; repeatable', everyValue)
    .option('--scan <file>', 'a scan that the database does not have; repeatable', everyValue)
    .option('--vex <file>', 'a VEX document that the database does not have; repeatable', everyValue)
    .option('--signature <file>', 'a signature over one of them; repeatable', everyValue);
  withNeeds(command, documentSignerNeed('--unsigned'), ...namedIdentityNeeds());
  const signing = withIdentity(withDocumentSigning(withTriageDatabase(command)));
  underHeading('verified', signing, (verifying) =>
    verifying
      .option('--public-key <file>', 'public key that VEX documents were signed with')
      .option(
        '--openpgp-public-key <file>',
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
  assertSignerOrUnsigned(flags, 'the report', session);
  const period = parsedPeriod(flags.period);
  const now = new Date().toISOString();
  const asOf = dayOfReport(flags.at, now);
  const folder = flags.out ?? `quarterly-report-${period.name}`;
  // What can be refused is refused before anything is read, or signed permanently.
  assertFreePlace(folder, flags.force === true);
  const sign = flags.unsigned ? undefined : await documentSigner(flags, command, session);
  // The key of `--key` signs the report; the one that signed the documents is another one's.
  const { key: _, publicKey, openpgpPublicKey, ...others } = flags;
  const verification = {
    ...others,
    ...(publicKey !== undefined && { key: publicKey }),
    ...(openpgpPublicKey !== undefined && { openpgpKey: openpgpPublicKey }),
  };
  const names = namesCertificate(verification) || openpgpPublicKey !== undefined;
  const verify = names ? await documentVerifier(verification, command, session) : undefined;

  const progress = progressLine(session.terminal);
  progress.show('reading the records');
  const records =
    flags.records === undefined
      ? await keptRecords(await database(), flags.productName)
      : await readRecords(flags.records);
  // The catalog that records in a file were compared with is not known here.
  const isOfDatabase = flags.records === undefined || flags.database !== undefined;
  const catalog = isOfDatabase ? await reportCatalog(await database()) : undefined;
  const hasCatalog = !isOfDatabase || catalog !== undefined;
  const documents = keptDocuments(await givenDocuments(flags), () => databaseOrNone(database));
  const prepared = await prepareReport({
    period,
    asOf,
    now,
    ...(flags.productName !== undefined && { product: flags.productName }),
    records,
    source: flags.records ?? 'the database',
    documents,
    ...(catalog && { catalog }),
    ...(verify && { verify }),
    show: progress.show,
  });
  const signatures: Signed[] = [];
  const signed =
    sign &&
    (async (name: string, bytes: Uint8Array) => {
      const { bundle, identity } = await withSigned(name, () => sign(bytes));
      signatures.push({
        artifact: join(folder, name),
        bundle: bundleBeside(join(folder, name)),
        ...(identity && { certificate_identity: identity }),
        log_entry: signatureIn(bundle).log_entry,
      });
      return bundle;
    });
  session.holdInterrupts();
  const checksums = await writePrepared(prepared, {
    path: folder,
    version: VERSION,
    mayReplace: flags.force === true,
    ...(signed && { sign: signed }),
    signal: session.signal,
    show: progress.show,
  }).finally(progress.clear);
  const { report, notes, details, statements, differences } = prepared;
  const result: ReportQuarterlyResult = {
    ok: true,
    out: folder,
    file_count: checksums.length,
    report,
    notes,
    vex_documents: statements,
    signatures,
    differences,
  };
  return { result, details, evidence: prepared.files.evidence, hasCatalog };
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

/** The day of the report, or the time that it is. */
function dayOfReport(stated: string | undefined, now: string): string {
  const day = stated === undefined ? now : dayOf(stated);
  if (day !== undefined) return day;
  const today = now.slice(0, 10);
  throw new CliError('cli.usage', 'this is no day and no time', {
    checked: `--at ${stated}`,
    expected: `a day such as ${today} or an earlier one, or a time such as ${today}T12:00:00Z`,
  });
}

/** A day, or the day in UTC of a time. */
function dayOf(text: string): string | undefined {
  if (dayNumber(text) !== undefined) return text;
  const instant = parseInstant(text);
  return instant === undefined ? undefined : formatInstant(instant).slice(0, 10);
}
