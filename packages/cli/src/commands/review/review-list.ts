import {
  evidenceSubject,
  parseStandingNegatives,
  type StandingNegatives,
  standingNegativesType,
} from '@colophon/records';
import { createIdentityPolicy, type TrustMaterial, verifyBundle } from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import { fetchStandingNegatives } from '../../evidence-client/evidence-client.ts';
import { EXIT } from '../../exit-code/exit-code.ts';
import { issuerUrl } from '../../home/issuer-url.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { parseServiceUrl } from '../../service-url/service-url.ts';
import { counted, formatTable, shortId } from '../../terminal/terminal.ts';
import { trustMaterial } from '../../verification-flags/verification-flags.ts';

type ListFlags = { readonly issuer?: string; readonly trustedRoot?: string; readonly output: OutputFormat };

/** `colophon review list`: the rejections that stand, by the signed list of the evidence store. */
export function addReviewListCommand(review: Command, session: Session): void {
  review
    .command('list')
    .description('the rejections that stand, and who withdrew which, by the signed list of the evidence store')
    .option(
      '--issuer <url>',
      'issuer with the evidence (default: $COLOPHON_ISSUER, else of the data folder)',
      parseServiceUrl,
    )
    .option('--trusted-root <file>', 'trusted root (default: $COLOPHON_TRUSTED_ROOT, else of the data folder)')
    .addOption(outputOption())
    .action(async (flags: ListFlags, command: Command) => {
      const issuer = issuerUrl(session.env, dataFlag(command), flags.issuer);
      const { trust, file } = await trustMaterial(flags, command, session);
      const bundle = await fetchStandingNegatives(issuer);
      const list = await withFacts({ checked: `${issuer}/negatives`, trust: file }, async () =>
        readList(bundle, trust, issuer),
      );
      printResult(session.terminal, flags.output, { ok: true, ...list }, describeList);
    });
}

function readList(bundle: Uint8Array, trust: TrustMaterial, issuer: string): StandingNegatives {
  const policy = createIdentityPolicy({ subject: evidenceSubject(issuer), issuer });
  const { statement } = verifyBundle({ bundle, trust, policy }).signature;
  const parsed = parseStandingNegatives(statement?.predicate);
  if (statement?.predicateType === standingNegativesType() && parsed.ok) return parsed.value;
  throw new CliError('cli.predicate_invalid', 'the evidence store signed something else', EXIT.doesNotMatch, {
    expected: standingNegativesType(),
    found: statement?.predicateType ?? 'no statement',
    ...(parsed.ok ? {} : { issues: parsed.issues }),
  });
}

function describeList({ sequence, time, rejections, withdrawals }: StandingNegatives): string {
  const taken = new Set(withdrawals.map(({ rejection }) => rejection));
  const standing = rejections.filter(({ id }) => !taken.has(id)).length;
  const withdrawn = rejections.length - standing;
  const counts = `${counted(standing, 'rejection')}${withdrawn === 0 ? '' : `, ${withdrawn} withdrawn`}`;
  const rows = rejections.map(({ id, person, time: at, images, commits }) => [
    id,
    person,
    at,
    firstOf(images),
    firstOf(commits),
  ]);
  const words = withdrawals.map(({ rejection, subject, time: at, reason }) => [rejection, subject, at, reason]);
  return [
    `list ${sequence} of ${time}: ${counts}\n`,
    ...(rows.length === 0 ? [] : [formatTable([['REJECTION', 'BY', 'SIGNED', 'IMAGE', 'COMMIT'], ...rows])]),
    ...(words.length === 0 ? [] : [formatTable([['WITHDRAWN', 'BY', 'SIGNED', 'REASON'], ...words])]),
  ].join('\n');
}

function firstOf([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'none';
  return `${shortId(first)}${others.length === 0 ? '' : ` and ${others.length} more`}`;
}
