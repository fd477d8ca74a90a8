import { assertSignedFolder, type ReportFolder, type SignedStatement, verifyReport } from '@colophon/remediation';
import type { DocumentVerifier } from '@colophon/signers';
import type { Command } from 'commander';
import { CliError } from '../../cli-error/cli-error.ts';
import type { CheckedDocument } from '../../document-signature/checked-document-result.ts';
import {
  type DocumentVerificationFlags,
  documentNeeds,
  documentVerifier,
  namesCertificate,
  withDocumentVerification,
} from '../../document-signature/document-verifier.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { VERSION } from '../../program/version.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { openReport } from '../../report-folder/report-files.ts';
import type { ReportVerifyResult } from '../../report-folder/report-result.ts';
import { issuerWords } from '../../signer-words/signer-words.ts';
import { coloursFor, counted, formatTable, oneLine, shellWord } from '../../terminal/terminal.ts';
import { voidWords } from './report-words.ts';

type ReportSummary = NonNullable<ReportVerifyResult['summary']>;
type VerifyFlags = DocumentVerificationFlags & { readonly unsigned?: boolean; readonly output: OutputFormat };

/** `colophon report verify`: an auditor's command. Nothing is believed that can be checked or counted again. */
export function defineVerify(command: Command, session: Session): void {
  withNeeds(withDocumentVerification(command), ...documentNeeds('--unsigned'))
    .addHelpText(
      'after',
      example(
        'colophon report verify quarterly-report-2026-Q4 \\',
        '  --certificate-identity reviewer:dana@example.com \\',
        '  --certificate-oidc-issuer http://localhost:7080',
      ),
    )
    .option('--unsigned', 'check files and figures only, not who signed them')
    .addOption(outputOption())
    .action(async (folder: string, flags: VerifyFlags, command: Command) => {
      const record = await verify(folder, flags, command, session);
      printResult(session.terminal, flags.output, record, (verified) => describe(verified, session));
      if (!record.ok) session.setExitCode(EXIT.doesNotMatch);
    });
}

/** Somebody who names a signer believes that it was checked. */
function assertSignerFits(flags: VerifyFlags): void {
  if (!flags.unsigned || (!namesCertificate(flags) && flags.openpgpKey === undefined)) return;
  throw new CliError('cli.usage', '--unsigned verifies no signature and conflicts with the flags of a signer', {
    expected: '--unsigned, or whose signature counts',
    found: 'both',
  });
}

async function verify(
  path: string,
  flags: VerifyFlags,
  command: Command,
  session: Session,
): Promise<ReportVerifyResult> {
  assertSignerFits(flags);
  const folder = await openReport(path);
  const verifier = flags.unsigned === true ? undefined : await signatureVerifier(folder, flags, command, session);
  const progress = progressLine(session.terminal);
  try {
    const verified = await verifyReport(folder, { verifier, version: VERSION, show: progress.show });
    return { ok: verified.differences.length === 0, folder: path, ...verified };
  } finally {
    progress.clear();
  }
}

async function signatureVerifier(
  folder: ReportFolder,
  flags: VerifyFlags,
  command: Command,
  session: Session,
): Promise<DocumentVerifier<CheckedDocument>> {
  assertSignedFolder(
    folder,
    `colophon report verify ${shellWord(folder.path)} --unsigned    (files and figures alone)`,
  );
  return documentVerifier(flags, command, session);
}

const MOST_SHOWN = 100;

const PAGES = {
  same: 'made again from them, and the same',
  changed: 'changed: not those that this version makes from them',
  other_version: 'not compared: they name another version than this one, or none; figures and files were checked',
  unchecked: 'not checked',
} as const;

function signerOf({ signature }: ReportVerifyResult): string {
  if (signature === undefined) return 'not checked';
  const { signer, certificate_identity: identity } = signature;
  return identity === undefined ? signer : `${signer}, certified by ${issuerWords(identity)}`;
}

/** What another version makes otherwise, or did not say. */
const NOT_COMPARED: ReadonlySet<string> = new Set(['report.page_not_compared', 'report.inputs_missing']);

/** Where nothing is found to differ, and not everything was compared, neither of the other words is true. */
function verdictOf({ ok, differences }: ReportVerifyResult): string {
  if (ok) return 'verified';
  return differences.every(({ code }) => NOT_COMPARED.has(code)) ? 'NOT VERIFIED' : 'DIFFERS';
}

function describe(verified: ReportVerifyResult, { terminal }: Session): string {
  const { folder, period, as_of, record_count, file_count, summary, signature, differences } = verified;
  const { unread_files, vex_documents, closing_signatures: closings } = verified;
  const colours = coloursFor(terminal, terminal.stdout);
  const statements = vex_documents.filter(({ state }) => state === 'verified');
  const signedClosings = closings.verified_count + closings.unchecked_count + closings.broken.length;
  const rows = formatTable([
    [verdictOf(verified), folder],
    ['period', `${period}, as of the end of ${as_of}`],
    ['files', `${file_count} in SHA256SUMS`],
    ['figures', `counted again from ${counted(record_count, 'record')}`],
    ['pages', PAGES[verified.pages_state]],
    ...(summary === undefined ? [] : summaryRows(summary)),
    ...(unread_files.length === 0 ? [] : [['not read', unreadWords(unread_files)]]),
    ['signed by', signerOf(verified)],
    ...(signature?.signed_at === undefined ? [] : [['signed at', signature.signed_at]]),
    ...(signedClosings === 0
      ? []
      : [
          [
            'closings',
            `${closings.verified_count} of ${signedClosings} signatures over closed and voided records verified`,
          ],
        ]),
    ...(vex_documents.length === 0
      ? []
      : [['VEX', `${statements.length} of ${vex_documents.length} verified${signersOf(statements)}`]]),
  ]);
  const shown = differences
    .slice(0, MOST_SHOWN)
    .flatMap(({ code, path, expected, found }) => [
      `  ${colours.bold(oneLine(path))}  ${code}`,
      `    expected  ${oneLine(expected)}`,
      `    found     ${oneLine(found)}`,
    ]);
  const more = differences.length - MOST_SHOWN;
  return [
    rows,
    ...(shown.length === 0 ? [] : [`\n${shown.join('\n')}\n`]),
    ...(more > 0 ? [`  … and ${more} more\n`] : []),
  ].join('');
}

const MOST_NAMES = 5;

function unreadWords(names: readonly string[]): string {
  const rest = names.length - MOST_NAMES;
  const shown = names.slice(0, MOST_NAMES).map(oneLine).join(', ');
  return `${shown}${rest > 0 ? ` and ${rest} more` : ''}: no record refers to ${names.length === 1 ? 'it' : 'them'}`;
}

function signersOf(verified: readonly SignedStatement[]): string {
  return verified.length === 0 ? '' : `: ${[...new Set(verified.map(({ signer }) => signer ?? ''))].join(', ')}`;
}

function summaryRows(summary: ReportSummary): string[][] {
  const { proven_count, override_count, voided_count, listing_count, scan_count, nothing_due, catalog } = summary;
  const closed = proven_count + summary.unproven_count;
  const answered = listing_count - summary.unrecorded_listing_count;
  const unchecked = summary.unchecked_scan_count;
  return [
    ...(closed === 0 ? [] : [['proofs', `${proven_count} of ${counted(closed, 'closing')} proven again`]]),
    ...(override_count === 0 ? [] : [['overrides', `${counted(override_count, 'event')} with a person’s reason`]]),
    ...(voided_count === 0 ? [] : [['void', voidWords(voided_count, summary.unsigned_void_count)]]),
    [
      'listings',
      `${answered} of ${listing_count} in ${counted(scan_count, 'scan')} have a record${unchecked === 0 ? '' : `; ${counted(unchecked, 'scan')} not checked`}`,
    ],
    ...(nothing_due.length === 0 ? [] : [['nothing due', nothing_due.join(', ')]]),
    [
      'catalog',
      catalog === undefined
        ? 'none lies beside it'
        : `${oneLine(catalog.catalog_version)}, ${catalog.digest}${catalog.stale ? ', STALE' : ''}`,
    ],
  ];
}
