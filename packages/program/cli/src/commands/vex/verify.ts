import { existsSync } from 'node:fs';
import { NOT_COUNTED } from '@colophon/signers';
import { isDraft } from '@colophon/vex';
import type { Command } from 'commander';
import { digestOfBytes } from '../../byte-digest/byte-digest.ts';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import {
  type DocumentVerificationFlags,
  documentNeeds,
  documentVerifier,
  namesCertificate,
  withDocumentVerification,
} from '../../document-signature/document-verifier.ts';
import { readBounded } from '../../input/bounded-input.ts';
import { example } from '../../program/example.ts';
import { withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { issuerWords } from '../../signer-words/signer-words.ts';
import { counted, formatTable, oneLine, shellWord } from '../../terminal/terminal.ts';
import { readVexFile, type VexFile } from '../../vex-file/vex-file.ts';
import type { VexVerifyResult } from '../../vex-file/vex-signature-result.ts';
import { withDetails } from '../verifying.ts';
import { signatureFiles } from './signature-files.ts';

type VerifyFlags = DocumentVerificationFlags & {
  readonly key?: string;
  readonly bundle?: string;
  readonly signature?: string;
  readonly details?: boolean;
  readonly output: OutputFormat;
};

/** A bundle or an armored signature. */
const MOST_SIGNATURE_BYTES = 4 * 1024 * 1024;

/** `colophon vex verify`: whose signatures a document has, over its very bytes. */
export function defineVerify(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon vex verify app.openvex.json --openpgp-key dana.pub',
      'colophon vex verify app.openvex.json \\',
      '  --certificate-identity reviewer:dana@example.com \\',
      '  --certificate-oidc-issuer http://localhost:7080',
    ),
  );
  withNeeds(withDetails(withDocumentVerification(command)), ...documentNeeds())
    .option('--bundle <file>', 'bundle of the signature (default: FILE.sigstore.json)')
    .option('--signature <file>', 'OpenPGP signature (default: FILE.asc)')
    .addOption(outputOption())
    .action(async (file: string, flags: VerifyFlags, command: Command) => {
      const record = await verifyVex(await readVexFile(file), flags, command, session);
      printResult(session.terminal, flags.output, record, flags.details ? describe : sentences);
    });
}

/**
 * Verifies every signature that the flags name a signer for. Each kind that they name has to be there. Who needs the
 * bytes of a signature as well gives `read`: a file may be another one the second time.
 * @throws CliError `cli.no_signature` (exit 10), as documentVerifier
 */
export async function verifyVex(
  { file, bytes, document }: VexFile,
  flags: Omit<VerifyFlags, 'output'>,
  command: Command,
  session: Session,
  read: typeof readBounded = readBounded,
): Promise<VexVerifyResult> {
  const beside = signatureFiles(file);
  const bundle = placeOf(flags.bundle, beside.bundle);
  const armored = placeOf(flags.signature, beside.armored);
  if (!bundle.isThere && !armored.isThere) throw noSignature(file, `${bundle.file}, ${armored.file}`);
  const verify = await documentVerifier(flags, command, session);
  const wanted = [...(namesCertificate(flags) ? [bundle] : []), ...(flags.openpgpKey === undefined ? [] : [armored])];
  const signatures: VexVerifyResult['signatures'][number][] = [];
  for (const one of wanted) {
    if (!one.isThere) throw noSignature(file, one.file);
    const signature = await read(one.file, MOST_SIGNATURE_BYTES);
    const verified = await withFacts({ checked: `${one.file} for ${file}` }, () => verify(bytes, signature));
    signatures.push({ file: one.file, ...verified });
  }
  const { statements } = document;
  return {
    ok: true,
    file,
    digest: digestOfBytes(bytes),
    statement_count: statements.length,
    draft_count: statements.filter(isDraft).length,
    signatures,
    not_checked: [bundle, armored].filter((one) => one.isThere && !wanted.includes(one)).map((one) => one.file),
  };
}

/** A file that is named has to be there; one that is not named may. */
function placeOf(named: string | undefined, usual: string): { readonly file: string; readonly isThere: boolean } {
  return named === undefined ? { file: usual, isThere: existsSync(usual) } : { file: named, isThere: true };
}

function noSignature(file: string, checked: string): CliError {
  return new CliError('cli.no_signature', `there is no signature over ${file} to verify`, {
    checked,
    next: `colophon vex sign ${shellWord(file)} --reviewer EMAIL, or gpg --armor --detach-sign ${shellWord(file)}`,
  });
}

/** A sentence for each signature. */
function sentences({ file, statement_count, draft_count, signatures, not_checked }: VexVerifyResult): string {
  const drafts = draft_count === 0 ? '' : ` (${draftWords(draft_count)})`;
  const about = `verified ${file}: ${counted(statement_count, 'statement')}${drafts}`;
  const lines = signatures.map(({ signer, is_person, fingerprint, certificate_identity, signed_at, checks, file }) => {
    const by =
      certificate_identity === undefined ? `key ${fingerprint}` : `issuer ${issuerWords(certificate_identity)}`;
    const others = checks.filter(({ check }) => check === NOT_COUNTED).length;
    return [
      `${about}, signed by ${signer} (${by}${is_person ? '' : ', no person'})`,
      `${signed_at === undefined ? '' : ` at ${signed_at}`} in ${file}`,
      `${others === 0 ? '' : `; not counted: ${others} (--details)`}`,
    ].join('');
  });
  const rest = not_checked.map((one) => `not checked: ${one}, as no flag says whose signature counts`);
  return [...lines, ...rest].map((line) => `${oneLine(line)}\n`).join('');
}

function draftWords(count: number): string {
  return `${count} of them drafts that no person has accepted`;
}

function describe({ file, digest, statement_count, draft_count, signatures, not_checked }: VexVerifyResult): string {
  return formatTable([
    ['verified', file],
    ['digest', digest],
    ['statements', `${statement_count}${draft_count === 0 ? '' : `, ${draftWords(draft_count)}`}`],
    ...signatures.flatMap((one) => [
      ['signed by', `${one.signer}${one.is_person ? '' : ' (no person)'}`],
      ['  in', one.file],
      ...(one.signed_at === undefined ? [] : [['  at', one.signed_at]]),
      ...(one.fingerprint === undefined ? [] : [['  key', one.fingerprint]]),
      ...(one.certificate_identity === undefined ? [] : [['  issuer', issuerWords(one.certificate_identity)]]),
      ...(one.trusted_root === undefined ? [] : [['  trust', one.trusted_root]]),
      ...one.checks.map(({ check, detail }) => [`  ${check === NOT_COUNTED ? '-' : '✓'} ${check}`, detail]),
    ]),
    ...not_checked.map((one) => ['not checked', `${one}: no flag says whose signature counts`]),
  ]);
}
