import { fetchListedNegatives, fetchStandingNegatives, standingRejectionsIn } from '@colophon/evidence/client';
import type { CertificateIdentity, StandingNegatives } from '@colophon/records';
import type { TrustMaterial } from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import {
  type Column,
  columnTable,
  type TableView,
  type WideFlag,
  wideOption,
} from '../../column-table/column-table.ts';
import { EVIDENCE_URL_HELP, evidenceStoreUrl } from '../../home/evidence-url.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';
import { withRoot } from '../../signer-words/signer-words.ts';
import { counted, oneLine, shortId } from '../../terminal/terminal.ts';
import { type TrustFlags, trustMaterial, withTrust } from '../../trust/trust.ts';
import type { ReviewListResult } from './review-list-result.ts';

type ListFlags = TrustFlags & {
  readonly evidenceUrl?: string;
  readonly output: OutputFormat;
} & WideFlag;

/** The list, and who signed it: the roots that vouch for the signers in it are those of the store. */
type SignedList = { readonly list: StandingNegatives; readonly signer: CertificateIdentity };

/** `colophon review list`: the rejections that stand, by the signed list of the evidence store. */
export function defineReviewList(command: Command, session: Session): void {
  command.addHelpText('after', example('colophon review list'));
  withTrust(command)
    .option('--evidence-url <url>', EVIDENCE_URL_HELP, parseServiceUrl)
    .addOption(outputOption())
    .addOption(wideOption())
    .action(async (flags: ListFlags, command: Command) => {
      const issuer = evidenceStoreUrl(session.env, dataFlag(command), flags.evidenceUrl);
      const { trust, file, history } = await trustMaterial(flags, command, session);
      const bundle = await fetchStandingNegatives(issuer);
      const signed = await withFacts({ checked: `${issuer}/negatives`, trust: file }, async () => {
        const read = readList(bundle, trust, issuer);
        await history.settle();
        return read;
      });
      const listed = await fetchListedNegatives(issuer, signed.list);
      const list = { ...listed, signed_by: signed.signer };
      printResult(session.terminal, flags.output, { ok: true, ...list } satisfies ReviewListResult, () =>
        describeList(list, { terminal: session.terminal, wide: flags.wide }),
      );
    });
}

function readList(bundle: Uint8Array, trust: TrustMaterial, issuer: string): SignedList {
  const read = standingRejectionsIn(bundle, trust, issuer);
  if (read.ok) return read;
  const { expected, found, issues } = read;
  throw new CliError('cli.predicate_invalid', 'the evidence store signed something else', {
    expected,
    found,
    ...(issues.length === 0 ? {} : { issues }),
    kind: 'mismatch',
  });
}

const REJECTIONS: readonly Column[] = [
  { heading: 'REJECTION', rank: 5 },
  { heading: 'BY', rank: 1, shortest: 20 },
  { heading: 'ISSUER', rank: 4, shortest: 20 },
  { heading: 'SIGNED', rank: 3 },
  { heading: 'IMAGE OR FILE', rank: 1 },
  { heading: 'COMMIT', rank: 2 },
];
const OVERFLOWS: readonly Column[] = [
  { heading: 'MORE THAN IS LISTED BY', rank: 1, shortest: 20 },
  { heading: 'ISSUER', rank: 2, shortest: 20 },
  { heading: 'IDENTITY', rank: 3, shortest: 20 },
];
const WITHDRAWALS: readonly Column[] = [
  { heading: 'WITHDRAWN', rank: 4 },
  { heading: 'BY', rank: 1, shortest: 20 },
  { heading: 'ISSUER', rank: 3, shortest: 20 },
  { heading: 'SIGNED', rank: 2 },
  { heading: 'REASON', rank: 1, shortest: 20 },
];

function describeList(
  { sequence, time, rejections, withdrawals, overflows, signed_by: signer }: Omit<ReviewListResult, 'ok'>,
  view: TableView,
): string {
  const rows = rejections.map(({ id, person, issuer, time: at, images, commits, target }) => [
    id,
    person,
    issuer,
    at,
    target?.kind === 'file' ? `file ${firstOf(images)}` : firstOf(images),
    firstOf(commits),
  ]);
  const words = withdrawals.map(({ rejection, subject, issuer, time: at, reason }) => [
    rejection,
    subject,
    issuer,
    at,
    reason,
  ]);
  const over = overflows.map(({ person, issuer, subject }) => [person, issuer, subject]);
  return [
    `${counted(rejections.length, 'rejection')} in the list of ${time} (sequence ${sequence}), signed by ${oneLine(withRoot(signer.subject, signer.root))}${withdrawnOf(rejections, withdrawals)}\n`,
    ...(rows.length === 0 ? [] : [columnTable(REJECTIONS, rows, view)]),
    ...(words.length === 0 ? [] : [columnTable(WITHDRAWALS, words, view)]),
    ...(over.length === 0 ? [] : [columnTable(OVERFLOWS, over, view), OVERFLOW_MEANS]),
  ].join('\n');
}

const OVERFLOW_MEANS =
  'Policies that name one of these identities refuse with admission.rejections_incomplete until enough is approved.\n';

/** A withdrawn rejection still stands for every policy that does not name who withdrew it. */
function withdrawnOf(rejections: ReviewListResult['rejections'], withdrawals: ReviewListResult['withdrawals']): string {
  const taken = new Set(withdrawals.map(({ rejection }) => rejection));
  const withdrawn = rejections.filter(({ id }) => taken.has(id)).length;
  if (withdrawn === 0) return '';
  const which = rejections.length === 1 ? '' : `${withdrawn} of them `;
  return `, ${which}withdrawn; counts for policies whose mayWithdraw names the signer`;
}

function firstOf([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'none';
  return `${shortId(first)}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}
