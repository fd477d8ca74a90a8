import { statSync } from 'node:fs';
import type { JsonObject, JsonValue } from '@colophon/json';
import { describeKey, isSignedBy, signDetached } from '@colophon/openpgp';
import { signatureIn } from '@colophon/sigstore';
import { acceptDraft, amended, isDraft, proposalOf, statementJson, VexError, type VexStatement } from '@colophon/vex';
import type { Command } from 'commander';
import { buildTime } from '../../build-time/build-time.ts';
import { assertBundleFile } from '../../bundle-file/bundle-file.ts';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import {
  type DocumentSigningFlags,
  documentSigner,
  documentSignerNeed,
  namesSigner,
  unnamedSigner,
  withDocumentSigning,
} from '../../document-signature/document-signer.ts';
import { readBounded } from '../../input/bounded-input.ts';
import { assertWritableFile, writeOutput } from '../../input/input.ts';
import { example } from '../../program/example.ts';
import { underHeading } from '../../program/help-layout.ts';
import { lacking, withNeeds } from '../../program/needs.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { formatTable, oneLine, shellWord } from '../../terminal/terminal.ts';
import { formatVex, readAmendableVex, readVexFile, type VexFile } from '../../vex-file/vex-file.ts';
import type { VexSignResult } from '../../vex-file/vex-signature-result.ts';
import { signatureFiles } from './signature-files.ts';

type SignFlags = DocumentSigningFlags & {
  readonly openpgpKey?: string;
  readonly acceptDrafts?: boolean;
  readonly output: OutputFormat;
};

const MOST_KEY_BYTES = 1024 * 1024;
const MOST_SIGNATURE_BYTES = 4 * 1024 * 1024;
/** Where somebody else's signature stands; `vex verify` is told of it by --bundle or --signature. */
const GO_ON = 'move the other one away';
const PASSPHRASE = 'COLOPHON_OPENPGP_PASSPHRASE';

/** `colophon vex sign`: a bundle, a detached OpenPGP signature, or both, over the document's very bytes (contract §2.6). */
export function defineSign(command: Command, session: Session): void {
  withNeeds(command, documentSignerNeed('--openpgp-key')).addHelpText(
    'after',
    example(
      'colophon vex sign app.openvex.json --reviewer dana@example.com',
      'colophon vex sign app.openvex.json --openpgp-key dana.key',
    ),
  );
  underHeading('signer', withDocumentSigning(command), (signing) =>
    signing.option(
      '--openpgp-key <file>',
      'make a detached OpenPGP signature with this private key (passphrase: $COLOPHON_OPENPGP_PASSPHRASE)',
    ),
  )
    .option('--accept-drafts', 'say what the drafts in it propose, as a person who has looked at each of them')
    .addOption(outputOption())
    .action(async (file: string, flags: SignFlags, command: Command) => {
      const record = await sign(file, flags, command, session);
      printResult(session.terminal, flags.output, record, describe);
    });
}

async function sign(file: string, flags: SignFlags, command: Command, session: Session): Promise<VexSignResult> {
  if (file === '-') throw new CliError('cli.usage', 'signatures are written beside a file, which - does not name');
  const wantsBundle = namesSigner(flags);
  if (!wantsBundle && flags.openpgpKey === undefined) {
    throw lacking(
      new CliError('cli.usage', 'nothing says who signs', {
        expected: '--reviewer EMAIL, --openpgp-key FILE, --key FILE, or an agent by --identity-token or its context',
        ...unnamedSigner(session),
      }),
    );
  }
  const places = signatureFiles(file);
  const { bytes, accepted } = await decided(file, flags, session);
  const checkSigner = wantsBundle ? assertBundleFile(places.bundle, 'artifact', GO_ON) : undefined;
  if (flags.openpgpKey !== undefined) await assertArmoredFile(places.armored, flags.openpgpKey);
  // Whatever can fail does so before a file is written, and the log's entry comes last.
  const armored = flags.openpgpKey === undefined ? undefined : await openPgpSignature(bytes, flags.openpgpKey, session);
  const signed = wantsBundle
    ? await withFacts({ checked: file }, async () =>
        (await documentSigner(flags, command, session))(bytes, checkSigner),
      )
    : undefined;
  if (signed !== undefined) writeOutput(places.bundle, Buffer.from(signed.bundle).toString());
  if (armored !== undefined) writeOutput(places.armored, armored.text);
  // Last: should a disk be full, drafts stay drafts, and no decision stands there that nobody signed.
  if (accepted > 0) writeOutput(file, Buffer.from(bytes).toString());
  return {
    ok: true,
    file,
    accepted_draft_count: accepted,
    ...(signed === undefined
      ? {}
      : {
          bundle: places.bundle,
          ...(signed.identity === undefined ? {} : { certificate_identity: signed.identity }),
          log_entry: signatureIn(signed.bundle).log_entry,
        }),
    ...(armored === undefined ? {} : { signature: places.armored, fingerprint: armored.fingerprint }),
  };
}

/**
 * The bytes to sign: the document as it is, or with what its drafts propose.
 * @throws VexError `vex.draft_*` (exit 20)
 */
async function decided(
  file: string,
  flags: SignFlags,
  session: Session,
): Promise<{ readonly bytes: Uint8Array; readonly accepted: number }> {
  const read = await readVexFile(file);
  const drafts = read.document.statements.filter(isDraft);
  if (drafts.length === 0) return { bytes: read.bytes, accepted: 0 };
  assertMayDecide(file, drafts, flags);
  const { json } = await readAmendableVex(file);
  return {
    bytes: Buffer.from(formatVex(withoutDrafts(read, json, buildTime(session.env)))),
    accepted: drafts.length,
  };
}

/** Only a person decides, and says so. */
function assertMayDecide(file: string, drafts: readonly VexStatement[], flags: SignFlags): void {
  const { reviewer, key, openpgpKey, acceptDrafts } = flags;
  const isByPerson = reviewer !== undefined || (openpgpKey !== undefined && !namesSigner(flags));
  if (!isByPerson || key !== undefined) {
    throw new VexError('vex.draft_by_machine', `${file} holds drafts, which only a person can turn into statements`, {
      expected: '--reviewer EMAIL, or --openpgp-key FILE alone',
      found: drafts.length === 1 ? '1 draft' : `${drafts.length} drafts`,
    });
  }
  const unreadable = drafts.find((draft) => proposalOf(draft) === undefined);
  if (unreadable !== undefined) {
    throw new VexError('vex.draft_unreadable', 'a draft does not say what it proposes', {
      checked: file,
      found: unreadable.vulnerability.name,
      next: `colophon vex set ${shellWord(file)} --vulnerability ${shellWord(unreadable.vulnerability.name)} --status STATUS`,
    });
  }
  if (acceptDrafts) return;
  throw new VexError('vex.draft_undecided', `${file} holds drafts that no person has accepted`, {
    checked: file,
    issues: drafts.map((draft, number) => {
      const { status, justification, impact_statement } = proposalOf(draft)!;
      const message = oneLine(`${draft.vulnerability.name}: ${status}, ${justification}: ${impact_statement}`);
      return { path: `draft ${number + 1}`, code: 'vex.draft_undecided', message };
    }),
    next: `colophon vex sign ${shellWord(file)} --accept-drafts, once you have looked at each; or colophon vex set`,
  });
}

/** The document in its next version, each draft replaced by what it proposes. */
function withoutDrafts({ document }: VexFile, json: JsonObject, at: string): JsonObject {
  const change = (all: readonly JsonValue[]) =>
    all.map((one, index) => {
      const statement = document.statements[index]!;
      return isDraft(statement) ? statementJson(acceptDraft(statement, at)) : one;
    });
  return amended(json, change, at);
}

/** As assertBundleFile, for the signature of an OpenPGP key. */
async function assertArmoredFile(path: string, keyFile: string): Promise<void> {
  assertWritableFile(path);
  if (!((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0)) return;
  const signature = await readBounded(path, MOST_SIGNATURE_BYTES);
  const key = await readBounded(keyFile, MOST_KEY_BYTES);
  if (await withFacts({ checked: keyFile }, () => isSignedBy(signature, key))) return;
  throw new CliError('cli.file_taken', `${path} is there already, and would be lost`, {
    checked: path,
    expected: 'nothing, or signatures by this key alone',
    next: GO_ON,
  });
}

async function openPgpSignature(document: Uint8Array, file: string, session: Session) {
  const privateKey = await readBounded(file, MOST_KEY_BYTES);
  const passphrase = session.env[PASSPHRASE] || undefined;
  const at = new Date();
  return withFacts({ checked: file }, async () => ({
    text: await signDetached(document, { privateKey, passphrase, at }).catch((error) => {
      if (error.code !== 'openpgp.passphrase_missing') throw error;
      return withFacts({ expected: `the passphrase in $${PASSPHRASE}` }, () => Promise.reject(error));
    }),
    fingerprint: (await describeKey(privateKey, at)).fingerprint,
  }));
}

/** The flags that say that these signatures count; what this command does not know is left to fill in. */
function verifiedBy({ bundle, certificate_identity, signature }: VexSignResult): string {
  const ofCertificate =
    certificate_identity === undefined
      ? '--key PUBLIC-KEY'
      : `--certificate-identity ${shellWord(certificate_identity.subject)} --certificate-oidc-issuer ${shellWord(certificate_identity.issuer)}`;
  return [
    ...(bundle === undefined ? [] : [ofCertificate]),
    ...(signature === undefined ? [] : ['--openpgp-key PUBLIC-KEY']),
  ].join(' ');
}

function describe(record: VexSignResult): string {
  const { file, accepted_draft_count, bundle, certificate_identity, log_entry, signature, fingerprint } = record;
  return formatTable([
    ['signed', file],
    ...(accepted_draft_count === 0
      ? []
      : [['drafts', `${accepted_draft_count} accepted: the document says now what they proposed`]]),
    ...(bundle === undefined
      ? []
      : [
          ['by', certificate_identity?.subject ?? 'the key'],
          ['log', `index ${log_entry?.log_index}`],
          ['bundle', bundle],
        ]),
    ...(signature === undefined
      ? []
      : [
          ['by', fingerprint ?? ''],
          ['signature', signature],
        ]),
    ['next', `colophon vex verify ${shellWord(file)} ${verifiedBy(record)}`],
  ]);
}
