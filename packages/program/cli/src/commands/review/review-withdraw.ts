import { assertNamesArtifact, assertRejected, fetchEvidence, rejectedSubjects } from '@colophon/evidence/client';
import { AGENT_PREFIX, createReviewWithdrawalStatement, parseReviewWithdrawal } from '@colophon/records';
import type { KeylessOptions } from '@colophon/sigstore';
import type { Command } from 'commander';
import { parseAnySha256 } from '../../artifact-digest/any-digest.ts';
import { assertBundleFile } from '../../bundle-file/bundle-file.ts';
import { CliError, withFacts } from '../../cli-error/cli-error.ts';
import { issuerUrl } from '../../home/issuer-url.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import type { OutputFormat } from '../../report/report.ts';
import { type ReviewerFlags, reviewerSigner, withReviewer } from '../../signing-flags/reviewer-signer.ts';
import { type SigningFlags, withServices } from '../../signing-flags/signing-flags.ts';
import { oneLine } from '../../terminal/terminal.ts';
import { trustMaterial } from '../../trust/trust.ts';
import type { Signed } from '../signed-result.ts';
import { describeSigned, loggingOptions, printSigned } from '../signing.ts';
import { keepWord } from './kept-word.ts';
import { wordTarget } from './word-target.ts';

type WithdrawFlags = SigningFlags &
  ReviewerFlags & {
    readonly rejection: string;
    readonly reason: string;
    readonly bundle?: string;
    readonly output: OutputFormat;
  };

/** `colophon review withdraw`: somebody else takes a rejection back, with a reason, in their own name. */
export function defineReviewWithdraw(command: Command, session: Session): void {
  command.addHelpText(
    'after',
    example(
      'colophon review withdraw --rejection ID --reason "another image was meant" \\',
      '  --reviewer bob@example.com',
    ),
  );
  withReviewer(withServices(command), 'withdraws')
    .requiredOption('--rejection <id>', 'the rejection, as `review list` names it')
    .requiredOption('--reason <text>', 'why; anybody can read it')
    .option('--bundle <file>', 'where the bundle goes (default: ID.review-withdrawal.sigstore.json)')
    .addOption(outputOption())
    .action((target: string | undefined, flags: WithdrawFlags, command: Command) =>
      withdraw(target, flags, command, session),
    );
}

async function withdraw(
  target: string | undefined,
  flags: WithdrawFlags,
  command: Command,
  session: Session,
): Promise<void> {
  const { reason } = flags;
  // Also as digests are written elsewhere; what is none is refused below, by its field.
  const rejection = parseAnySha256(flags.rejection)?.slice('sha256:'.length) ?? flags.rejection;
  const predicate = { rejection, reason, withdrawn_at: new Date().toISOString() };
  const parsed = parseReviewWithdrawal(predicate);
  if (!parsed.ok) {
    throw new CliError('cli.usage', 'the withdrawal is not one that could be signed', {
      issues: parsed.issues,
    });
  }
  const logging = await loggingOptions(flags, command, session);
  const signer = await withdrawerSigner(flags, command, session);
  const { trust, file, history } = await trustMaterial(flags, command, session);
  const server = issuerUrl(session.env, dataFlag(command), flags.issuer ?? flags.oidcIssuer);
  const bundle = await fetchEvidence(server, rejection);
  const subjects = await withFacts({ checked: `rejection ${rejection}`, trust: file }, async () => {
    const rejected = rejectedSubjects(bundle, trust);
    await history.settle();
    return rejected;
  });
  if (target !== undefined) assertNamesArtifact(target, subjects, rejection);
  const found = await wordTarget(target, subjects[0]!, session);
  assertRejected(found.subjects[0], subjects, rejection);
  const bundleFile = flags.bundle ?? `${rejection}.review-withdrawal.sigstore.json`;
  const checkSigner = assertBundleFile(bundleFile, 'statement', '--bundle FILE, or move the other one away');
  const statement = createReviewWithdrawalStatement({
    subjects,
    predicate,
    predicateBase: trust.namespace.predicateBase,
  });
  const place = target === undefined ? ({ kind: 'file', artifact: `rejection ${rejection}` } as const) : found.place;
  const isBundleWanted = flags.bundle !== undefined;
  const word = { statement, place, bundleFile, isBundleWanted, mustBeKept: true };
  const options: KeylessOptions = { ...logging, identityToken: (await signer()).identityToken, checkSigner };
  const records = await keepWord(word, flags, options, command, session);
  printSigned(session, flags.output, records, (signed) => describeWithdrawn(signed, rejection, target));
}

async function withdrawerSigner(flags: WithdrawFlags, command: Command, session: Session) {
  const { reviewer, identityToken } = flags;
  if (reviewer !== undefined && identityToken !== undefined) {
    throw new CliError('cli.usage', 'a withdrawal is signed by one person', {
      expected: '--reviewer EMAIL, or --identity-token TOKEN',
      found: 'both',
    });
  }
  const signer = await reviewerSigner(flags, { issuer: flags.issuer ?? flags.oidcIssuer }, command, session);
  return async () => {
    const person = await signer();
    if (!person.subject?.startsWith(AGENT_PREFIX)) return person;
    // It would be logged for good, and count for nobody: no policy may name an agent in mayWithdraw.
    throw new CliError('cli.usage', 'an agent withdraws nothing', {
      expected: 'the token of a person, or --reviewer EMAIL',
      found: `a token of ${person.subject}`,
    });
  };
}

/** For people: one signature, however many formats it has, and where it counts. */
function describeWithdrawn(records: readonly Signed[], rejection: string, target: string | undefined): string {
  const what = `withdrawal of rejection ${rejection}${target === undefined ? '' : `, of ${target}`}`;
  const signers = new Set(records.map(({ certificate_identity }) => certificate_identity?.subject));
  const signed = describeSigned(records.map((record) => ({ ...record, artifact: what })));
  return `${signed}counts where a policy's review.mayWithdraw names ${oneLine([...signers].join(', '))}\n`;
}
