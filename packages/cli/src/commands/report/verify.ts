import type { ReportBasis } from '@colophon/triage';
import type { Command } from 'commander';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import {
  type DocumentVerificationFlags,
  type DocumentVerifier,
  documentVerifier,
  withDocumentVerification,
} from '../../document-signature/document-verifier.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { example } from '../../program/example.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { progressLine } from '../../progress-line/progress-line.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { CHECKSUMS, CHECKSUMS_SIGNATURE } from '../../report-folder/checksums.ts';
import { openReportFolder, type ReportFolder } from '../../report-folder/read-report-folder.ts';
import { coloursFor, counted, formatTable, oneLine, shellWord } from '../../terminal/terminal.ts';
import { countAgain } from './count-again.ts';
import type { Difference } from './report-differences.ts';
import { type SignedClosings, type SignedStatement, verifyClosings, verifyStatements } from './statement-signatures.ts';

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
  readonly vex: readonly SignedStatement[];
  readonly closings: SignedClosings;
  readonly differences: readonly Difference[];
};

/** `colophon report verify`: an auditor's command. Nothing is believed that can be checked or counted again. */
export function addVerifyCommand(report: Command, session: Session): void {
  withDocumentVerification(
    report
      .command('verify <folder>')
      .description('check the files, the signatures and the figures of a report; exit 12 and what differs')
      .addHelpText(
        'after',
        example(
          'colophon report verify quarterly-report-2026-Q4 \\',
          '  --certificate-identity reviewer:dana@example.com \\',
          '  --certificate-oidc-issuer https://issuer.example',
        ),
      ),
  )
    .option('--unsigned', 'check files and figures alone, whoever signed them or did not')
    .addOption(outputOption())
    .action(async (folder: string, flags: VerifyFlags, command: Command) => {
      const record = await verify(folder, flags, command, session);
      printResult(session.terminal, flags.output, record, (verified) => describe(verified, session));
      if (!record.ok) session.setExitCode(EXIT.doesNotMatch);
    });
}

async function verify(path: string, flags: VerifyFlags, command: Command, session: Session): Promise<VerifiedReport> {
  const folder = await openReportFolder(path);
  const verifier = flags.unsigned === true ? undefined : await signatureVerifier(folder, flags, command, session);
  const basis = await folder.basis();
  const progress = progressLine(session.terminal);
  try {
    progress.show('checking the files');
    const files = await folder.check();
    const signer = verifier === undefined ? null : await verifySignatures(folder, basis, verifier, files.length > 0);
    progress.show('counting again');
    const again = await countAgain(folder, basis);
    const bytesOf = (digest: string) => folder.bytes(folder.nameOf(digest)!);
    const vex = await verifyStatements(again.shown, bytesOf, verifier);
    const closings = await verifyClosings(again.shown, bytesOf, verifier);
    const broken = [
      ...vex.flatMap(({ digest, state, code }) => (state === 'broken' ? [{ what: folder.nameOf(digest)!, code }] : [])),
      ...closings.broken.map(({ id, code }) => ({ what: `record ${id}`, code })),
    ].map(({ what, code = '' }): Difference => {
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
      signer,
      vex,
      closings,
      differences,
    };
  } finally {
    progress.clear();
  }
}

async function signatureVerifier(
  folder: ReportFolder,
  flags: VerifyFlags,
  command: Command,
  session: Session,
): Promise<DocumentVerifier> {
  if (!folder.has(CHECKSUMS_SIGNATURE)) {
    throw new CliError('cli.no_signature', 'nobody signed this report', EXIT.nothingToVerify, {
      checked: folder.path,
      expected: CHECKSUMS_SIGNATURE,
      next: `colophon report verify ${shellWord(folder.path)} --unsigned    (files and figures alone)`,
    });
  }
  return documentVerifier(flags, command, session);
}

/**
 * The signature over the report says whose it is; the one over the checksums binds every file to it. What differs says
 * more than that a signature over it is broken, so it is told instead.
 */
async function verifySignatures(
  folder: ReportFolder,
  { report }: ReportBasis,
  verify: DocumentVerifier,
  isChanged: boolean,
): Promise<string | null> {
  const bundle = `${report}.sigstore.json`;
  if (!folder.has(bundle)) {
    throw new CliError('cli.no_signature', 'the report itself is not signed', EXIT.nothingToVerify, {
      checked: folder.path,
      expected: bundle,
    });
  }
  const over = async (name: string, signature: string) =>
    withFacts({ checked: `${signature} for ${name}` }, async () =>
      verify(await folder.bytes(name), await folder.bytes(signature)),
    );
  try {
    const { signer } = await over(report, bundle);
    await over(CHECKSUMS, CHECKSUMS_SIGNATURE);
    return signer;
  } catch (error) {
    if (isChanged) return null;
    throw error;
  }
}

const MOST_SHOWN = 100;

function describe(
  { ok, folder, period, as_of, records, files, signer, vex, closings, differences }: VerifiedReport,
  { terminal }: Session,
): string {
  const colours = coloursFor(terminal, terminal.stdout);
  const verified = vex.filter(({ state }) => state === 'verified');
  const signedClosings = closings.verified + closings.unchecked + closings.broken.length;
  const rows = formatTable([
    [ok ? 'verified' : 'DIFFERS', folder],
    ['period', `${period}, as of the end of ${as_of}`],
    ['files', `${files} in SHA256SUMS`],
    ['figures', `counted again from ${counted(records, 'record')}`],
    ['signed by', signer ?? 'not checked'],
    ...(signedClosings === 0
      ? []
      : [['closings', `${closings.verified} of ${signedClosings} signatures over closed records verified`]]),
    ...(vex.length === 0 ? [] : [['VEX', `${verified.length} of ${vex.length} verified${signersOf(verified)}`]]),
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
