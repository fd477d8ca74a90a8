import type { ApprovedImage } from '@colophon/evidence/client';
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
import { issuerUrl } from '../../home/issuer-url.ts';
import { signingPredicateBase } from '../../home/namespace.ts';
import type { CommandModule } from '../../program/command-table.ts';
import { example } from '../../program/example.ts';
import { dataFlag, outputOption, type Session } from '../../program/program.ts';
import { type OutputFormat, printResult } from '../../report/report.ts';
import {
  assertCertified,
  personOf,
  type ReviewerFlags,
  reviewerSigner,
  withReviewer,
} from '../../signing-flags/reviewer-signer.ts';
import { type SigningFlags, withServices } from '../../signing-flags/signing-flags.ts';
import { coloursFor, counted } from '../../terminal/terminal.ts';
import type { ReviewedResult } from '../signed-result.ts';
import { describeSigned, loggingOptions } from '../signing.ts';
import { keepWord } from './kept-word.ts';
import { policiesHearing } from './policies-hearing.ts';
import { wordTarget } from './word-target.ts';

type ReviewFlags = SigningFlags &
  ReviewerFlags & {
    readonly commitSha: string;
    readonly repo?: string;
    readonly repoUri?: string;
    readonly duration?: number;
    readonly comment?: string;
    readonly platforms?: boolean;
    readonly bundle?: string;
    readonly output: OutputFormat;
  };

/** `colophon review approve|reject`: a person's own words about an artifact and its commit (contract §2.4). */
export function defineDecision(decision: ReviewDecision): CommandModule {
  return (command, session) => {
    const word = decision === 'approved' ? 'approve' : 'reject';
    // A no speaks of every manifest anyhow.
    if (decision === 'approved') command.option('--platforms', 'approve every manifest of an index too');
    withReviewer(withServices(command), 'reviewed')
      .addHelpText(
        'after',
        example(
          `colophon review ${word} localhost:7080/webshop:1.0 \\`,
          '  --reviewer alice@example.com --commit-sha "$(git rev-parse HEAD)"',
        ),
      )
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
  };
}

async function decide(
  target: string | undefined,
  decision: ReviewDecision,
  flags: ReviewFlags,
  command: Command,
  session: Session,
): Promise<void> {
  // Everything that can be wrong with it is told before anybody logs in; who they are stands in its place until then.
  const { commit_sha } = predicateOf(decision, flags, flags.reviewer ?? 'somebody@example.com');
  const logging = await loggingOptions(flags, command, session);
  const context = { ...flags, issuer: flags.issuer ?? flags.oidcIssuer };
  // A rejection has to reach an evidence store: that none is known is told before anybody logs in.
  if (decision === 'rejected' && flags.evidence) issuerUrl(session.env, dataFlag(command), context.issuer);
  const signer = await reviewerSigner(flags, context, command, session);
  const name = flags.repoUri ?? flags.repo ?? 'commit';
  const commit: Subject = { name, digest: { gitCommit: commit_sha } };
  const saying =
    decision === 'approved' ? { says: 'yes' as const, platforms: flags.platforms ?? false } : { says: 'no' as const };
  const found = await wordTarget(target, commit, session, saying);
  const { place, subjects, bundleName, approved } = found;
  sayApproved(approved, session);
  const platforms = approved?.platforms?.map(({ digest, platform }) => ({ digest, platform }));
  const about = { target: found.target, ...(platforms === undefined ? {} : { platforms }) };
  const bundleFile = flags.bundle ?? `${bundleName}.agent-review.sigstore.json`;
  const checkFile = assertBundleFile(bundleFile, 'statement', '--bundle FILE, or move the other one away');
  const predicateBase = signingPredicateBase(session.env, dataFlag(command));
  const person = await signer();
  const reviewer = personOf(person);
  const predicate = { ...predicateOf(decision, flags, reviewer), ...about };
  const options: KeylessOptions = {
    ...logging,
    identityToken: person.identityToken,
    checkSigner: (certified) => {
      if ('subject' in certified) assertCertified(reviewer, certified.subject);
      checkFile(certified);
    },
  };
  const statement = createAgentReviewStatement({ subjects: [...subjects, commit], predicate, predicateBase });
  const isBundleWanted = flags.bundle !== undefined;
  const manifests = approved?.platforms?.map(({ image }) => image);
  const word = { statement, place, manifests, bundleFile, isBundleWanted, mustBeKept: decision === 'rejected' };
  const signatures = await keepWord(word, flags, options, command, session);
  const heard = decision === 'rejected' ? await policiesHearing(signatures, place, command, session) : undefined;
  const policies = heard === undefined ? {} : { policies: heard };
  const result = { ok: true, signatures, ...about, ...policies } satisfies ReviewedResult;
  printResult(session.terminal, flags.output, result, () => describeSigned(signatures));
}

/** Each digest that is approved beside the one that was named is shown; of an index it is said that none is. */
function sayApproved(approved: ApprovedImage | undefined, { terminal }: Session): void {
  const { platforms, listed = 0 } = approved ?? {};
  const { dim, yellow } = coloursFor(terminal);
  for (const { platform, digest } of platforms ?? [])
    terminal.stderr.write(`${dim(`approves ${platform} ${digest}`)}\n`);
  if (platforms !== undefined || listed === 0) return;
  const note = `note: approves the index alone, and none of the ${counted(listed, 'manifest')} in it; --platforms approves them too`;
  terminal.stderr.write(`${yellow(note)}\n`);
}

function predicateOf(decision: ReviewDecision, { commitSha, repo, duration, comment }: ReviewFlags, reviewer: string) {
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
