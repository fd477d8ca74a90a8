import { agentReviewType, parseAgentReview, type ReviewDecision, typesUnder } from '@colophon/records';
import {
  copyAttachments,
  formatRepository,
  imageToFetch,
  type RegistryClient,
  RegistryError,
  type ResolvedImage,
  sortAttachments,
  type VerifiedAttachment,
} from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError, type ErrorFacts, withFacts } from '../cli-error/cli-error.ts';
import { type Column, columnTable, type TableView, type WideFlag, wideOption } from '../column-table/column-table.ts';
import { resolveImage } from '../image/image.ts';
import { outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { counted, oneLine, shortId } from '../terminal/terminal.ts';
import {
  identityPolicy,
  trustMaterial,
  type VerificationFlags,
  withVerification,
} from '../verification-flags/verification-flags.ts';

type AttachmentsFlags = VerificationFlags & { readonly copyTo?: string; readonly output: OutputFormat } & WideFlag;

/** One signature or attestation that verifies. */
type Row = {
  readonly digest: string;
  readonly subject: string;
  readonly issuer: string;
  readonly logged: string;
  readonly predicate_type?: string;
  /** What a review decides. */
  readonly decision?: ReviewDecision;
  readonly format: VerifiedAttachment['verified']['format'];
};
type AttachmentsRecord = {
  readonly image: string;
  readonly digest: string;
  readonly attachments: number;
  /** Verified, by the identities that were asked for; where there was somewhere to copy to, verified there too. */
  readonly kept: readonly Row[];
  /** Verified, by others. */
  readonly left: readonly Row[];
  readonly unverified: number;
  /** What may be a signature and is larger than is read, or not served. */
  readonly unread: number;
  readonly copied_to?: string;
  readonly trusted_root: string;
};

/** `colophon attachments`: what of all that is attached to an image verifies, and a copy of that where nothing else is. */
export function defineAttachments(command: Command, session: Session): void {
  withVerification(command)
    .option('--copy-to <repository>', 'attach it to the same image in this repository, where it was copied to before')
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (reference: string, flags: AttachmentsFlags, command: Command) => {
      const hasIdentity = (flags.certificateIdentity ?? flags.certificateIdentityRegexp) !== undefined;
      const policy = hasIdentity ? identityPolicy(flags) : 'gated-elsewhere';
      const { trust, file } = await trustMaterial(flags, command, session);
      const record = await withFacts({ checked: reference, trust: file }, async (): Promise<AttachmentsRecord> => {
        const { client, image } = await resolveImage(reference, session);
        const row = (one: VerifiedAttachment) => rowOf(one, trust.namespace.predicateBase);
        // Before anything is read: a repository without the image can be given nothing.
        const to = flags.copyTo === undefined ? undefined : await sameImage(client, flags.copyTo, image);
        const { count, unverified, unread, accepted, others } = await sortAttachments({ client, image, trust, policy });
        if (to !== undefined) {
          const lost = await copyAttachments(accepted, { client, from: image, to, trust, now: new Date() });
          if (lost.length > 0) throw copyIncomplete(to, accepted.length, lost.map(row));
        }
        return {
          image: reference,
          digest: image.digest,
          attachments: count,
          kept: accepted.map(row),
          left: others.map(row),
          unverified,
          unread,
          ...(to === undefined ? {} : { copied_to: nameOf(to) }),
          trusted_root: file,
        };
      });
      printResult(session.terminal, flags.output, record, () =>
        describe(record, { terminal: session.terminal, wide: flags.wide }),
      );
    });
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

function decisionOf(predicate: unknown): Row['decision'] {
  const parsed = parseAgentReview(predicate);
  return parsed.ok ? parsed.value.decision : undefined;
}

function wrongTarget(target: string, why: string): CliError {
  return new CliError('cli.usage', `--copy-to: ${why}`, {
    expected: 'another repository with the same image, e.g. localhost:7080/webshop-clean',
    found: target,
  });
}

function copyIncomplete(to: ResolvedImage, wanted: number, lost: readonly Row[]): CliError {
  const named = lost.map(({ subject, predicate_type, decision, digest }) => {
    return `${decision ?? predicate_type ?? 'signature'} by ${subject} (${shortId(digest)})`;
  });
  return new CliError('cli.copy_incomplete', 'not all that was copied verifies there', {
    checked: nameOf(to),
    expected: counted(wanted, 'verified signature'),
    found: `without ${named.join(', ')}`,
    next: 'admit nothing from this repository; copy to another, or remove there what is in the way',
  });
}

function nameOf(image: ResolvedImage): string {
  return `${formatRepository(image)}@${image.digest}`;
}

function rowOf(
  { attachment, verified: { identity, log, statement, format } }: VerifiedAttachment,
  predicateBase: string,
): Row {
  const isReview = typesUnder(predicateBase, agentReviewType).some((type) => type === statement?.predicateType);
  const decision = isReview ? decisionOf(statement?.predicate) : undefined;
  return {
    digest: attachment.descriptor.digest,
    subject: identity.subject,
    issuer: identity.issuer,
    logged: log.integratedAt,
    ...(statement === undefined ? {} : { predicate_type: statement.predicateType }),
    ...(decision === undefined ? {} : { decision }),
    format,
  };
}

const COLUMNS: readonly Column[] = [
  { heading: 'WORD', rank: 1 },
  { heading: 'SIGNED BY', rank: 1, shortest: 24 },
  { heading: 'TYPE', rank: 2 },
  { heading: 'DECISION', rank: 1 },
  { heading: 'FORMAT', rank: 5 },
  { heading: 'LOGGED', rank: 4 },
  { heading: 'DIGEST', rank: 3 },
];

function describe(
  { digest, attachments, kept, left, unverified, unread, copied_to }: AttachmentsRecord,
  view: TableView,
): string {
  const rows = (word: string, list: readonly Row[]) =>
    list.map(({ subject, predicate_type, decision, format, logged, digest: own }) => [
      word,
      subject,
      predicate_type ?? 'signature',
      decision ?? '',
      format,
      logged,
      shortId(own),
    ]);
  const all = [...rows(copied_to === undefined ? 'kept' : 'copied', kept), ...rows('left', left)];
  return [
    `${oneLine(digest)}: ${counted(attachments, 'attachment')}, of which ${unverified} do not verify and ${unread} could not be read\n`,
    ...(copied_to === undefined ? [] : [`copied to ${oneLine(copied_to)}\n`]),
    ...(all.length === 0 ? [] : [columnTable(COLUMNS, all, view)]),
  ].join('');
}
