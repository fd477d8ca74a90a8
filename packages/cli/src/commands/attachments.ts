import {
  copyAttachment,
  parseImageReference,
  type RegistryClient,
  type ResolvedImage,
  sortAttachments,
  type VerifiedAttachment,
} from '@colophon/sigstore';
import type { Command } from 'commander';
import { withFacts } from '../cli-error/cli-error.ts';
import { resolveImage } from '../image/image.ts';
import { outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { formatTable, oneLine } from '../terminal/terminal.ts';
import {
  identityPolicy,
  trustMaterial,
  type VerificationFlags,
  withVerification,
} from '../verification-flags/verification-flags.ts';

type AttachmentsFlags = VerificationFlags & { readonly copyTo?: string; readonly output: OutputFormat };

/** One signature or attestation that verifies. */
type Row = {
  readonly digest: string;
  readonly subject: string;
  readonly issuer: string;
  readonly logged: string;
  readonly predicate_type?: string;
};
type AttachmentsRecord = {
  readonly image: string;
  readonly digest: string;
  readonly attachments: number;
  /** Verified, by the identities that were asked for; copied where there was somewhere to copy to. */
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
export function addAttachmentsCommand(program: Command, session: Session): void {
  withVerification(
    program
      .command('attachments <image>')
      .description('list what verifies of all that is attached to an image, however much it is, or copy that alone'),
  )
    .option('--copy-to <repository>', 'attach it to the same image in this repository, where it was copied to before')
    .addOption(outputOption())
    .action(async (reference: string, flags: AttachmentsFlags, command: Command) => {
      const hasIdentity = (flags.certificateIdentity ?? flags.certificateIdentityRegexp) !== undefined;
      const policy = hasIdentity ? identityPolicy(flags) : 'gated-elsewhere';
      const { trust, file } = await trustMaterial(flags, command, session);
      const record = await withFacts({ checked: reference, trust: file }, async (): Promise<AttachmentsRecord> => {
        const { client, image } = await resolveImage(reference, session);
        // Before anything is read: a repository without the image can be given nothing.
        const to = flags.copyTo === undefined ? undefined : await sameImage(client, flags.copyTo, image);
        const { count, unread, accepted, others } = await sortAttachments({ client, image, trust, policy });
        for (const one of to === undefined ? [] : accepted) {
          await copyAttachment(one, { client, from: image, to: to as ResolvedImage, now: new Date() });
        }
        return {
          image: reference,
          digest: image.digest,
          attachments: count,
          kept: accepted.map(rowOf),
          left: others.map(rowOf),
          unverified: count - accepted.length - others.length - unread,
          unread,
          ...(to === undefined ? {} : { copied_to: `${to.registry}/${to.repository}@${to.digest}` }),
          trusted_root: file,
        };
      });
      printResult(session.terminal, flags.output, record, describe);
    });
}

function sameImage(client: RegistryClient, repository: string, { digest }: ResolvedImage): Promise<ResolvedImage> {
  return client.resolve(parseImageReference(`${repository}@${digest}`));
}

function rowOf({ attachment, verified: { identity, log, statement } }: VerifiedAttachment): Row {
  return {
    digest: attachment.descriptor.digest,
    subject: identity.subject,
    issuer: identity.issuer,
    logged: log.integratedAt,
    ...(statement === undefined ? {} : { predicate_type: statement.predicateType }),
  };
}

function describe({ digest, attachments, kept, left, unverified, unread, copied_to }: AttachmentsRecord): string {
  const rows = (word: string, list: readonly Row[]) =>
    list.map(({ subject, predicate_type, logged }) => [
      word,
      oneLine(subject),
      oneLine(predicate_type ?? 'signature'),
      logged,
    ]);
  return formatTable([
    [digest, `${attachments} attachments, of which ${unverified} do not verify and ${unread} could not be read`],
    ...rows(copied_to === undefined ? 'verified' : 'copied', kept),
    ...rows('left', left),
    ...(copied_to === undefined ? [] : [['to', copied_to]]),
  ]);
}
