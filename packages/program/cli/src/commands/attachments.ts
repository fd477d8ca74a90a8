import {
  addStatements,
  attachedSignature,
  copyAttachments,
  formatRepository,
  imageToFetch,
  type RegistryClient,
  RegistryError,
  type ResolvedImage,
  readStatementFor,
  type StatementBundle,
  sortAttachments,
  type TrustMaterial,
  type VerifiedAttachment,
} from '@colophon/sigstore';
import { type Command, Option } from 'commander';
import { CliError, type ErrorFacts, withFacts } from '../cli-error/cli-error.ts';
import { type Column, columnTable, type TableView, type WideFlag, wideOption } from '../column-table/column-table.ts';
import { resolveImage } from '../image/image.ts';
import { readInput } from '../input/input.ts';
import { example } from '../program/example.ts';
import { withNeeds } from '../program/needs.ts';
import { outputOption, type Session } from '../program/program.ts';
import { everyValue } from '../program/repeated-flag.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { counted, oneLine, shortId } from '../terminal/terminal.ts';
import { trustMaterial } from '../trust/trust.ts';
import {
  IDENTITY_FLAGS,
  identityPolicy,
  namedIdentityNeeds,
  type VerificationFlags,
  withVerification,
} from '../verification-flags/verification-flags.ts';
import type { AttachmentsResult } from './attachments-result.ts';

type AttachmentsFlags = VerificationFlags & {
  readonly add?: readonly string[];
  readonly copyTo?: string;
  readonly output: OutputFormat;
} & WideFlag;

type Row = AttachmentsResult['accepted_signatures'][number];

/** `colophon attachments`: what of all that is attached to an image verifies, and a copy of that where nothing else is. */
export function defineAttachments(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon attachments localhost:7080/webshop:1.0',
      'colophon attachments localhost:7080/webshop:1.0 \\',
      '  --copy-to localhost:7080/webshop-clean \\',
      '  --certificate-identity agent:code-writer \\',
      '  --certificate-oidc-issuer http://localhost:7080',
      'colophon attachments localhost:7080/webshop:1.0 --add review.sigstore.json',
    ),
  );
  withNeeds(withVerification(command), ...namedIdentityNeeds())
    .option(
      '--copy-to <repository>',
      'attach them to the same image in this repository; the image must be there already',
    )
    .addOption(
      new Option('--add <bundle>', 'attach this statement, of the image or of a commit, first; repeatable')
        .argParser(everyValue)
        .conflicts('copyTo'),
    )
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (reference: string, flags: AttachmentsFlags, command: Command) => {
      const hasIdentity = IDENTITY_FLAGS.some((name) => flags[name] !== undefined);
      const policy = hasIdentity ? identityPolicy(flags) : 'gated-elsewhere';
      const { trust, file, history } = await trustMaterial(flags, command, session);
      const record = await withFacts({ checked: reference, trust: file }, async (): Promise<AttachmentsResult> => {
        const { client, image } = await resolveImage(reference, session);
        const row = (one: VerifiedAttachment) => attachedSignature(one, trust.namespace.predicateBase);
        // Before anything is read: a repository without the image can be given nothing.
        const to = flags.copyTo === undefined ? undefined : await sameImage(client, flags.copyTo, image);
        const added = await statementsToAdd(flags.add ?? [], image, trust);
        await addStatements(added, { client, image, now: new Date() });
        const { count, unverified, unread, accepted, others } = await sortAttachments({ client, image, trust, policy });
        await history.settle();
        if (to !== undefined) {
          const lost = await copyAttachments(accepted, { client, from: image, to, trust, now: new Date() });
          if (lost.length > 0) throw copyIncomplete(to, accepted.length, lost.map(row));
        }
        return {
          ok: true,
          image: reference,
          digest: image.digest,
          trusted_root: file,
          attachment_count: count,
          accepted_signatures: accepted.map(row),
          other_signatures: others.map(row),
          unverified_count: unverified,
          unread_count: unread,
          ...(flags.add === undefined ? {} : { added_count: added.length }),
          ...(to === undefined ? {} : { copied_to: nameOf(to) }),
        };
      });
      printResult(session.terminal, flags.output, record, () =>
        describe(record, { terminal: session.terminal, wide: flags.wide }),
      );
    });
}

/** All of them are read before any is attached. @throws VerificationError, ImageSignatureError, see readStatementFor */
async function statementsToAdd(
  files: readonly string[],
  image: ResolvedImage,
  trust: TrustMaterial,
): Promise<readonly StatementBundle[]> {
  const statements: StatementBundle[] = [];
  for (const file of files) {
    const bundle = await readInput(file);
    statements.push(await withFacts({ checked: file }, async () => readStatementFor(image, bundle, trust)));
  }
  return statements;
}

/** The same image in the repository that was asked for. @throws CliError `cli.usage`; RegistryError */
async function sameImage(client: RegistryClient, target: string, image: ResolvedImage): Promise<ResolvedImage> {
  if (/@|:[^/]*$/.test(target)) throw wrongTarget(target, 'a tag or a digest is no repository');
  const wanted = imageToFetch(`${target}@${image.digest}`);
  if (formatRepository(wanted) === formatRepository(image)) {
    throw wrongTarget(target, 'the image is copied out of this repository');
  }
  try {
    return await client.resolve(wanted);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const next = `crane copy ${formatRepository(image)}@${image.digest} ${target}`;
    const facts: ErrorFacts = {
      checked: `${target}@${image.digest}`,
      ...(error.code === 'registry.not_found' ? { next } : {}),
    };
    return withFacts(facts, () => Promise.reject(error));
  }
}

function wrongTarget(target: string, why: string): CliError {
  return new CliError('cli.usage', `--copy-to: ${why}`, {
    expected: 'another repository with the same image, e.g. localhost:7080/webshop-clean',
    found: target,
  });
}

function copyIncomplete(to: ResolvedImage, wanted: number, lost: readonly Row[]): CliError {
  const named = lost.map(({ certificate_identity, predicate_type, decision, digest }) => {
    return `${decision ?? predicate_type ?? 'signature'} by ${certificate_identity.subject} (${shortId(digest)})`;
  });
  return new CliError('cli.copy_incomplete', 'not all that was copied verifies there: admit nothing from it', {
    checked: nameOf(to),
    expected: `${counted(wanted, 'verified signature')}: another repository, or this one without what is in the way`,
    found: `without ${named.join(', ')}`,
  });
}

function nameOf(image: ResolvedImage): string {
  return `${formatRepository(image)}@${image.digest}`;
}

const COLUMNS: readonly Column[] = [
  { heading: 'STATUS', rank: 1 },
  { heading: 'SIGNED BY', rank: 1, shortest: 24 },
  { heading: 'ROOT', rank: 3 },
  { heading: 'TYPE', rank: 2 },
  { heading: 'DECISION', rank: 1 },
  { heading: 'FORMAT', rank: 5 },
  { heading: 'LOGGED', rank: 4 },
  { heading: 'DIGEST', rank: 3 },
];

function describe(result: AttachmentsResult, view: TableView): string {
  const { digest, attachment_count, accepted_signatures, other_signatures, added_count, copied_to } = result;
  const rows = (word: string, list: readonly Row[]) =>
    list.map(({ certificate_identity, predicate_type, decision, format, log_entry, digest: own }) => [
      word,
      certificate_identity.subject,
      certificate_identity.root ?? '',
      predicate_type ?? 'signature',
      decision ?? '',
      format,
      log_entry.integrated_at,
      shortId(own),
    ]);
  const accepted = rows(copied_to === undefined ? 'accepted' : 'copied', accepted_signatures);
  const all = [...accepted, ...rows('other', other_signatures)];
  return [
    `${oneLine(digest)}: ${counted(attachment_count, 'attachment')}, of which ${result.unverified_count} do not verify and ${result.unread_count} could not be read\n`,
    ...(added_count === undefined ? [] : [`added ${counted(added_count, 'statement')}\n`]),
    ...(copied_to === undefined ? [] : [`copied to ${oneLine(copied_to)}\n`]),
    ...(all.length === 0 ? [] : [columnTable(COLUMNS, all, view)]),
  ].join('');
}
