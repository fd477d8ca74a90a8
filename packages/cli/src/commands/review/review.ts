import {
  createAgentReviewStatement,
  parseAgentReview,
  parseCommitId,
  type ReviewDecision,
  type Subject,
} from '@colophon/records';
import type { KeylessOptions } from '@colophon/sigstore';
import { type Command, InvalidArgumentError } from 'commander';
import { assertBundleFile } from '../../bundle-file/bundle-file.ts';
import { CliError } from '../../cli-error/cli-error.ts';
import { outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import { type SigningFlags, withServices } from '../../signing-flags/signing-flags.ts';
import { reviewerTokens } from '../../token-client/reviewer-token.ts';
import { describeSigned, loggingOptions } from '../signing.ts';
import { keepWord } from './kept-word.ts';
import { addReviewListCommand } from './review-list.ts';
import { addReviewWithdrawCommand } from './review-withdraw.ts';
import { wordTarget } from './word-target.ts';

type ReviewFlags = SigningFlags & {
  readonly reviewer: string;
  readonly commitSha: string;
  readonly repo?: string;
  readonly repoUri?: string;
  readonly duration?: number;
  readonly comment?: string;
  readonly bundle?: string;
  readonly output: OutputFormat;
};

/** `colophon review`: a person's own words about an artifact and its commit (contract §2.4), and which rejections stand. */
export function addReviewCommand(program: Command, session: Session): void {
  const review = program.command('review').description("a reviewer's own signature over an artifact and its commit");
  for (const [name, decision, description] of [
    ['approve', 'approved', 'sign that you reviewed it and that it may ship'],
    [
      'reject',
      'rejected',
      'sign that you reviewed it and that it must not ship; without an artifact, the commit alone',
    ],
  ] as const) {
    withServices(review.command(`${name} [image-or-file]`).description(description))
      .requiredOption('--reviewer <email>', 'who reviewed; the certificate will name this address')
      .requiredOption('--commit-sha <sha>', 'the commit that was reviewed')
      .option('--repo <org/repo>', 'its repository')
      .option('--repo-uri <url>', 'full address of the repository')
      .option('--duration <seconds>', 'how long the review took', parseSeconds)
      .option('--comment <text>', 'what to say beside it; anybody can read it')
      .option('--bundle <file>', 'where the bundle goes (default: FILE.agent-review.sigstore.json)')
      .addOption(outputOption())
      .action((target: string | undefined, flags: ReviewFlags, command: Command) =>
        decide(target, decision, flags, command, session),
      );
  }
  addReviewWithdrawCommand(review, session);
  addReviewListCommand(review, session);
}

async function decide(
  target: string | undefined,
  decision: ReviewDecision,
  flags: ReviewFlags,
  command: Command,
  session: Session,
): Promise<void> {
  const predicate = predicateOf(decision, flags);
  const options: KeylessOptions = {
    ...(await loggingOptions(flags, command, session)),
    identityToken: reviewerTokens({ ...flags, issuer: flags.issuer ?? flags.oidcIssuer }, command, session),
  };
  const name = flags.repoUri ?? flags.repo ?? 'commit';
  const commit: Subject = { name, digest: { gitCommit: predicate.commit_sha } };
  const { place, subjects, bundleName } = await wordTarget(target, commit, session);
  const bundleFile = flags.bundle ?? `${bundleName}.agent-review.sigstore.json`;
  const checkSigner = assertBundleFile(bundleFile, 'statement', '--bundle FILE, or move the other one away');
  const statement = createAgentReviewStatement({ subjects: [...subjects, commit], predicate });
  const isBundleWanted = flags.bundle !== undefined;
  const word = { statement, place, bundleFile, isBundleWanted, mustBeKept: decision === 'rejected' };
  const records = await keepWord(word, flags, { ...options, checkSigner }, command, session);
  printResult(session.terminal, flags.output, records, describeSigned);
}

function predicateOf(decision: ReviewDecision, { reviewer, commitSha, repo, duration, comment }: ReviewFlags) {
  const commit = parseCommitId(commitSha);
  if (commit === undefined) {
    throw new CliError('cli.usage', '--commit-sha is no commit', {
      expected: 'a full git commit id, 40 or 64 lower-case hex digits',
      found: commitSha,
    });
  }
  const predicate = {
    human_reviewer: reviewer,
    review_timestamp: new Date().toISOString(),
    decision,
    commit_sha: commit,
    ...(repo === undefined ? {} : { repo }),
    ...(duration === undefined ? {} : { review_duration_seconds: duration }),
    ...(comment === undefined ? {} : { comment }),
  };
  const parsed = parseAgentReview(predicate);
  if (parsed.ok) return predicate;
  throw new CliError('cli.usage', 'the review is not one that could be signed', { issues: parsed.issues });
}

function parseSeconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A duration is a whole number of seconds.');
}
