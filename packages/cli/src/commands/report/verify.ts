import type { ReportNotes } from '@colophon/records';
import {
  assertSignedFolder,
  countAgain,
  type ReportFolder,
  type SignedClosings,
  type SignedStatement,
  verifyClosings,
  verifyReportSignatures,
  verifyStatements,
} from '@colophon/remediation';
import type { ReportDifference } from '@colophon/remediation-rules';
import type { DocumentVerifier } from '@colophon/signatures';
import type { Command } from 'commander';
import type { CheckedDocument } from '../../document-signature/checked-document-result.ts';
import {
  type DocumentVerificationFlags,
  documentVerifier,
  withDocumentVerification,
} from '../../document-signature/document-verifier.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { openReport } from '../../report-folder/report-files.ts';
import { coloursFor, counted, formatTable, oneLine, shellWord } from '../../terminal/terminal.ts';
import { voidWords } from './report-words.ts';

type VerifyFlags = DocumentVerificationFlags & { readonly unsigned?: boolean; readonly output: OutputFormat };

/** Everything that was checked, as `--output json` prints it. */
type VerifiedReport = {
  readonly ok: boolean;
  readonly folder: string;
  readonly period: string;
  readonly as_of: string;
  readonly records: number;
  readonly files: number;
  readonly signer: string | null;
  /** Who certified that signer; null for a bare key. */
  readonly issuer: string | null;
  /** RFC 3339: when the log took the signature over the checksums. */
  readonly signed_at: string | null;
  /** `other`: somebody changed the pages for people, or another version of the program made them. */
  readonly pages: 'same' | 'other' | 'unchecked';
  readonly vex: readonly SignedStatement[];
  /** Signatures over closed and voided records. */
  readonly closings: SignedClosings;
  /** What was proven once more, and what stands beside the figures; null where nothing can be counted. */
  readonly notes: Summary | null;
  readonly differences: readonly ReportDifference[];
};

/** The notes in numbers. */
type Summary = {
  readonly proofs: { readonly proven: number; readonly unproven: number };
  readonly listings: { readonly scans: number; readonly listings: number; readonly without_record: number };
  readonly unchecked_scans: number;
  readonly overrides: number;
  readonly voided: number;
  /** Of them, those that nobody signed. */
  readonly voided_unsigned: number;
  readonly nothing_due: readonly string[];
  readonly catalog: { readonly version: string; readonly stale: boolean } | null;
};

/** `colophon report verify`: an auditor's command. Nothing is believed that can be checked or counted again. */
export function defineVerify(command: Command, session: Session): void {
  withDocumentVerification(
    command.addHelpText(
      'after',
      example(
        'colophon report verify quarterly-report-2026-Q4 \\',
        '  --certificate-identity reviewer:dana@example.com \\',
        '  --certificate-oidc-issuer http://localhost:7080',
      ),
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

async function verify(path: string, flags: VerifyFlags, command: Command, session: Session): Promise<VerifiedReport> {
  const folder = await openReport(path);
  const verifier = flags.unsigned === true ? undefined : await signatureVerifier(folder, flags, command, session);
  const basis = await folder.basis();
  const progress = progressLine(session.terminal);
  try {
    progress.show('checking the files');
    const files = await folder.check();
    const signed =
      verifier === undefined
        ? undefined
        : await verifyReportSignatures(folder, basis, verifier, { isChanged: files.length > 0 });
    progress.show('counting again');
    const again = await countAgain(folder, basis);
    const bytesOf = (digest: string) => folder.bytes(folder.nameOf(digest)!);
    const vex = await verifyStatements(again.shown, bytesOf, verifier);
    const closings = await verifyClosings([...again.shown, ...again.voided], bytesOf, verifier);
    const broken = [
      ...vex.flatMap(({ digest, state, code }) => (state === 'broken' ? [{ what: folder.nameOf(digest)!, code }] : [])),
      ...closings.broken.map(({ id, code }) => ({ what: `record ${id}`, code })),
    ].map(({ what, code = '' }): ReportDifference => {
      return { code: 'report.signature_broken', what, expected: 'a signature that holds', found: code };
    });
    const differences = [...files, ...again.differences, ...broken];
    return {
      ok: differences.length === 0,
      folder: path,
      period: basis.period,
      as_of: basis.as_of,
      records: again.records,
      files: folder.checksums.length,
      signer: signed?.signer ?? null,
      issuer: signed?.certificate_identity?.issuer ?? null,
      signed_at: signed?.signed_at ?? null,
      pages: again.pagesAreSame === undefined ? 'unchecked' : again.pagesAreSame ? 'same' : 'other',
      vex,
      closings,
      notes: again.notes === undefined ? null : summaryOf(again.notes),
      differences,
    };
  } finally {
    progress.clear();
  }
}

function summaryOf({ closings, listings, overrides, voided, nothing_due, catalog }: ReportNotes): Summary {
  const { scans, without_record } = listings;
  return {
    proofs: { proven: closings.proven, unproven: closings.unproven.length },
    listings: { scans, listings: listings.listings, without_record },
    unchecked_scans: listings.unchecked_scans.length,
    overrides: overrides.length,
    voided: voided.length,
    voided_unsigned: voided.filter(({ signer }) => signer === null).length,
    nothing_due,
    catalog: catalog === null ? null : { version: catalog.version, stale: catalog.stale },
  };
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
  other:
    'not those that this version makes from them: changed, or made by another version; the JSON is what was checked',
  unchecked: 'not checked',
} as const;

function signerOf({ signer, issuer }: VerifiedReport): string {
  if (signer === null) return 'not checked';
  return issuer === null ? signer : `${signer}, certified by ${issuer}`;
}

function describe(verified: VerifiedReport, { terminal }: Session): string {
  const { ok, folder, period, as_of, records, files, vex, closings, differences } = verified;
  const colours = coloursFor(terminal, terminal.stdout);
  const statements = vex.filter(({ state }) => state === 'verified');
  const signedClosings = closings.verified + closings.unchecked + closings.broken.length;
  const rows = formatTable([
    [ok ? 'verified' : 'DIFFERS', folder],
    ['period', `${period}, as of the end of ${as_of}`],
    ['files', `${files} in SHA256SUMS`],
    ['figures', `counted again from ${counted(records, 'record')}`],
    ['pages', PAGES[verified.pages]],
    ...(verified.notes === null ? [] : notesRows(verified.notes)),
    ['signed by', signerOf(verified)],
    ...(verified.signed_at === null ? [] : [['signed at', verified.signed_at]]),
    ...(signedClosings === 0
      ? []
      : [['closings', `${closings.verified} of ${signedClosings} signatures over closed and voided records verified`]]),
    ...(vex.length === 0 ? [] : [['VEX', `${statements.length} of ${vex.length} verified${signersOf(statements)}`]]),
  ]);
  const shown = differences
    .slice(0, MOST_SHOWN)
    .flatMap(({ code, what, expected, found }) => [
      `  ${colours.bold(oneLine(what))}  ${code}`,
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

function signersOf(verified: readonly SignedStatement[]): string {
  return verified.length === 0 ? '' : `: ${[...new Set(verified.map(({ signer }) => signer ?? ''))].join(', ')}`;
}

function notesRows({
  proofs,
  listings,
  unchecked_scans,
  overrides,
  voided,
  voided_unsigned,
  catalog,
  nothing_due,
}: Summary): string[][] {
  const closed = proofs.proven + proofs.unproven;
  const answered = listings.listings - listings.without_record;
  return [
    ...(closed === 0 ? [] : [['proofs', `${proofs.proven} of ${counted(closed, 'closing')} proven again`]]),
    ...(overrides === 0 ? [] : [['overrides', `${counted(overrides, 'event')} by the word of a person`]]),
    ...(voided === 0 ? [] : [['void', voidWords(voided, voided_unsigned)]]),
    [
      'listings',
      `${answered} of ${listings.listings} in ${counted(listings.scans, 'scan')} have a record${unchecked_scans === 0 ? '' : `; ${counted(unchecked_scans, 'scan')} not checked`}`,
    ],
    ...(nothing_due.length === 0 ? [] : [['nothing due', nothing_due.join(', ')]]),
    [
      'catalog',
      catalog === null ? 'none lies beside it' : `${oneLine(catalog.version)}${catalog.stale ? ', STALE' : ''}`,
    ],
  ];
}
