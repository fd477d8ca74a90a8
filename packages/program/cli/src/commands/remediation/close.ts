import { basename } from 'node:path';
import type { RemediationRecord } from '@colophon/records';
import type { ClosingFiles, RecordSigner } from '@colophon/remediation';
import type { Command } from 'commander';
import { assertBundleFile, bundleBeside } from '../../bundle-file/bundle-file.ts';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import { type TableView, type WideFlag, wideOption } from '../../column-table/column-table.ts';
import {
  assertSignerOrUnsigned,
  type DocumentSigningFlags,
  documentSigner,
  documentSignerNeed,
  withDocumentSigning,
} from '../../document-signature/document-signer.ts';
import type { DocumentVerificationFlags } from '../../document-signature/document-verifier.ts';
import { readBounded } from '../../input/bounded-input.ts';
import { assertWritableFile, writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { underHeading } from '../../program/help-layout.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { everyValue } from '../../program/repeated-flag.ts';
import { actorOf, atDesk, type DeskFlags, policyOf, withDesk } from '../../remediation-desk/desk-session.ts';
import { warnOfPartialScans } from '../../remediation-desk/partial-scan-warning.ts';
import type { RemediationRecordsResult } from '../../remediation-desk/record-result.ts';
import { recordTable } from '../../remediation-desk/record-table.ts';
import { overrideWords } from '../../remediation-desk/record-words.ts';
import { readWorkflowScans, type ScanFactFlags, scanFactOptions } from '../../remediation-desk/workflow-scans.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { counted, oneLine } from '../../terminal/terminal.ts';
import { identityNeedsWhen, namesIdentity, withIdentity } from '../../verification-flags/verification-flags.ts';
import { readVexFile } from '../../vex-file/vex-file.ts';
import { verifyVex } from '../vex/verify.ts';
import { sbomFile } from './open.ts';

type CloseFlags = DeskFlags &
  DocumentSigningFlags &
  DocumentVerificationFlags &
  ScanFactFlags & {
    readonly publicKey?: string;
    readonly openpgpPublicKey?: readonly string[];
    readonly scan?: readonly string[];
    readonly deployedOn?: string;
    readonly vex?: string;
    readonly bundle?: string;
    readonly signature?: string;
    readonly reason?: string;
    readonly unsigned?: boolean;
    readonly out?: string;
    readonly output: OutputFormat;
  } & WideFlag;

/** `colophon remediation close`: with proof, and signed (contract §3). Exit 20 where a condition is not met. */
export function defineClose(command: Command, session: Session): void {
  withNeeds(
    command,
    { what: 'the proof of fixed, or of not_affected', oneOf: ['--scan --sbom', '--vex'] },
    documentSignerNeed('--unsigned'),
    ...identityNeedsWhen(
      (command) => command.getOptionValue('vex') !== undefined || namesIdentity(command),
      '--public-key',
      '--openpgp-public-key',
    ),
  )
    .addHelpText(
      'after',
      example(
        'colophon remediation close CVE-2021-44228 --scan new-scan.json \\',
        '  --sbom new.cdx.json --deployed-on 2026-01-31 --reviewer dana@example.com',
        'colophon remediation close CVE-2021-45105 --vex app.openvex.json \\',
        '  --openpgp-public-key dana.pub --reviewer dana@example.com',
      ),
    )
    .option('--scan <file>', 'scan of the newer SBOM; one for each scanner that listed it', everyValue)
    .option('--sbom <file>', 'the SBOM that was made after the patch')
    .option('--deployed-on <day>', 'when the patch was deployed: a day, or a time such as 2026-01-31T12:00:00Z')
    .option(
      '--reason <text>',
      'for the history; overrides the checks that a person may override, such as a component that is gone',
    )
    .option('--vex <file>', 'VEX document that says not_affected; its signatures stand beside it')
    .option('--bundle <file>', 'bundle over the VEX document (default: FILE.sigstore.json)')
    .option('--signature <file>', 'OpenPGP signature over it (default: FILE.asc)')
    .option('--unsigned', 'sign nothing: the closed record proves nothing to others')
    .option('--out <file>', 'write the closed record as it was signed, and FILE.sigstore.json; for one record');
  for (const option of scanFactOptions()) command.addOption(option);
  underHeading('verified', withDesk(withDocumentSigning(withIdentity(command))), (verifying) =>
    verifying
      .option('--public-key <file>', 'public key, where the bundle was signed with a key')
      .option(
        '--openpgp-public-key <file>',
        'OpenPGP public key whose signature over the VEX document counts; repeatable',
        everyValue,
      ),
  )
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (references: string[], flags: CloseFlags, command: Command) => {
      const { records, files } = await close(references, flags, command, session);
      const result: RemediationRecordsResult = { ok: true, records };
      printResult(session.terminal, flags.output, result, () =>
        describe(records, flags.out, { terminal: session.terminal, wide: flags.wide }),
      );
      if (files.kind === 'rescan') warnOfPartialScans(files.scans, files.sbom.bytes, session.terminal);
    });
}

async function close(
  references: readonly string[],
  flags: CloseFlags,
  command: Command,
  session: Session,
): Promise<{ readonly records: readonly RemediationRecord[]; readonly files: ClosingFiles }> {
  assertOneProof(flags);
  assertSignerOrUnsigned(flags, 'the record', session);
  assertOneOut(references, flags);
  const actor = actorOf(flags, flags.reviewer);
  const policy = await policyOf(flags, session);
  const files =
    flags.vex === undefined
      ? await rescanFiles(flags, actor.at)
      : await statementFiles(flags.vex, flags, command, session);
  const sign = flags.unsigned ? undefined : await recordSigner(flags, command, session);
  const records = await atDesk(flags, command, session, (desk) =>
    desk.close(references, {
      ...actor,
      files,
      policy,
      ...(flags.reason !== undefined && { reason: flags.reason.trim() }),
      ...(sign && { sign }),
    }),
  );
  return { records, files };
}

function assertOneProof({ vex, scan, sbom }: CloseFlags): void {
  if (vex === undefined || (scan === undefined && sbom === undefined)) return;
  throw new CliError('cli.usage', 'a record is closed by one proof', {
    expected: '--scan NEW and --sbom NEW for fixed, or --vex FILE for not_affected',
    found: 'both',
  });
}

function assertOneOut(references: readonly string[], { out, unsigned }: CloseFlags): void {
  if (out === undefined) return;
  if (unsigned) {
    throw new CliError('cli.usage', '--out is for what is signed, and nothing is', {
      expected: '--out or --unsigned; colophon remediation export writes records as they are',
    });
  }
  if (references.length > 1) {
    throw new CliError('cli.usage', '--out is for one record', { found: `${references.length} records` });
  }
  assertWritableFile(out);
  assertWritableFile(bundleBeside(out));
}

async function rescanFiles(flags: CloseFlags, at: string): Promise<ClosingFiles> {
  const sbom = flags.sbom as string;
  const scans = await readWorkflowScans(flags.scan as string[], flags, at);
  const deployed = flags.deployedOn?.trim();
  return { kind: 'rescan', sbom: await sbomFile(sbom), scans, ...(deployed !== undefined && { deployed }) };
}

/** The document, with the first of its signatures that verified; without any it is left to the rules to say so. */
async function statementFiles(
  file: string,
  flags: CloseFlags,
  command: Command,
  session: Session,
): Promise<ClosingFiles> {
  const vex = await readVexFile(file);
  // The key of `--key` signs the record; the one that signed the document is another one's.
  const { key: _, publicKey, openpgpPublicKey, ...others } = flags;
  const verification = {
    ...others,
    ...(publicKey !== undefined && { key: publicKey }),
    ...(openpgpPublicKey !== undefined && { openpgpKey: openpgpPublicKey }),
  };
  // What is kept as evidence is what was verified.
  const read = new Map<string, Uint8Array>();
  const { signatures, digest } = await verifyVex(vex, verification, command, session, async (path, maxBytes) => {
    const bytes = await readBounded(path, maxBytes);
    read.set(path, bytes);
    return bytes;
  });
  const [signature] = signatures.toSorted((a, b) => Number(b.is_person) - Number(a.is_person));
  const document = {
    kind: 'statement',
    vex: { name: basename(file), bytes: vex.bytes },
    document: vex.document,
  } as const;
  if (signature === undefined) return document;
  const { signer, names, is_person } = signature;
  const bytes = read.get(signature.file) as Uint8Array;
  return {
    ...document,
    signature: { name: basename(signature.file), bytes, verified: { digest, signer, names, isPerson: is_person } },
  };
}

/** What signs records that are closed or voided, and writes them to `out`. */
export async function recordSigner(
  flags: DocumentSigningFlags & { readonly out?: string },
  command: Command,
  session: Session,
): Promise<RecordSigner> {
  const checkSigner =
    flags.out === undefined
      ? undefined
      : assertBundleFile(bundleBeside(flags.out), 'artifact', '--out FILE, or move the other one away');
  const signer = await documentSigner(flags, command, session);
  return async (canonical, record) => {
    const { bundle, identity } = await withFacts({ checked: `${record.cve} in ${record.component}` }, () =>
      signer(canonical, checkSigner),
    );
    if (flags.out !== undefined) {
      writeOutput(flags.out, canonical);
      writeOutput(bundleBeside(flags.out), bundle);
    }
    return { bundle, signer: identity?.subject ?? `the key ${basename(flags.key ?? '')}` };
  };
}

function describe(records: readonly RemediationRecord[], out: string | undefined, view: TableView): string {
  const lines = records.map(
    ({ id, days_to_remediate, closing_signature, history }) =>
      `${id.slice(0, 8)} signed by ${oneLine(closing_signature?.signer ?? 'nobody')}${days_to_remediate === null ? '' : `, ${counted(days_to_remediate, 'day')} after it was discovered`}${overrideWords(history.at(-1))}\n`,
  );
  const written = out === undefined ? '' : `written to ${oneLine(out)} and ${oneLine(bundleBeside(out))}\n`;
  return `${recordTable(records, view)}${lines.join('')}${written}`;
}
