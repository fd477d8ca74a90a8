import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { createAgentReviewStatement, parseAgentReview, parseCommitId, type Subject } from '@colophon/records';
import { attestImage, hashFile, type KeylessOptions, keylessImageSigner, signStatement } from '@colophon/sigstore';
import { type Command, InvalidArgumentError } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { resolveImage } from '../image/image.ts';
import { assertReadableFile, assertWritableFile, writeOutput } from '../input/input.ts';
import { outputOption, type Session } from '../program/program.ts';
import { type OutputFormat, printResult } from '../report/report.ts';
import { type SigningFlags, withServices } from '../signing-flags/signing-flags.ts';
import { reviewerTokens } from '../token-client/reviewer-token.ts';
import { recordsOf } from './sign-image.ts';
import { describeSigned, keepEvidence, loggingOptions, logIndexOf, type SignedRecord, withSigned } from './signing.ts';

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
type Decision = 'approved' | 'rejected';

/** `colophon review approve|reject`: the reviewer's own signature over the artifact and the commit (contract §2.4). */
export function addReviewCommand(program: Command, session: Session): void {
  const review = program.command('review').description("a reviewer's own signature over an artifact and its commit");
  for (const [name, decision, description] of [
    ['approve', 'approved', 'sign that you reviewed it and that it may ship'],
    ['reject', 'rejected', 'sign that you reviewed it and that it must not ship'],
  ] as const) {
    withServices(review.command(`${name} <image-or-file>`).description(description))
      .requiredOption('--reviewer <email>', 'who reviewed; the certificate will name this address')
      .requiredOption('--commit-sha <sha>', 'the commit that was reviewed')
      .option('--repo <org/repo>', 'its repository')
      .option('--repo-uri <url>', 'full address of the repository')
      .option('--duration <seconds>', 'how long the review took', parseSeconds)
      .option('--comment <text>', 'what to say beside it; anybody can read it')
      .option('--bundle <file>', 'for a file: where the bundle goes (default: FILE.agent-review.sigstore.json)')
      .addOption(outputOption())
      .action((target: string, flags: ReviewFlags, command: Command) =>
        decide(target, decision, flags, command, session),
      );
  }
}

async function decide(
  target: string,
  decision: Decision,
  flags: ReviewFlags,
  command: Command,
  session: Session,
): Promise<void> {
  const predicate = predicateOf(decision, flags);
  const options: KeylessOptions = {
    ...(await loggingOptions(flags, command, session)),
    identityToken: reviewerTokens({ ...flags, issuer: flags.issuer ?? flags.oidcIssuer }, command, session),
  };
  const commit: Subject = {
    name: flags.repoUri ?? flags.repo ?? 'commit',
    digest: { gitCommit: predicate.commit_sha },
  };
  const records = isFileName(target)
    ? await reviewFile(target, predicate, commit, flags, options, command, session)
    : await reviewImage(target, predicate, commit, flags, options, command, session);
  printResult(session.terminal, flags.output, records, describeSigned);
}

/** A name with a tag, a digest or a registry is an image's, unless there is a file of that name. */
function isFileName(target: string): boolean {
  return existsSync(target) || !/[:@]/.test(target);
}

type Predicate = ReturnType<typeof predicateOf>;
type Surroundings = [flags: ReviewFlags, options: KeylessOptions, command: Command, session: Session];

async function reviewFile(
  file: string,
  predicate: Predicate,
  commit: Subject,
  ...rest: Surroundings
): Promise<SignedRecord[]> {
  const [flags, options, command, session] = rest;
  const bundleFile = flags.bundle ?? `${file}.agent-review.sigstore.json`;
  assertReadableFile(file);
  assertWritableFile(bundleFile);
  const subjects = [{ name: basename(file), digest: { sha256: (await hashFile(file)).sha256 } }, commit];
  const statement = createAgentReviewStatement({ subjects, predicate });
  const { bundle, identity } = await withSigned(file, () => signStatement({ ...options, statement }));
  writeOutput(bundleFile, Buffer.from(bundle).toString());
  await keepEvidence(flags, command, session, bundle, bundleFile);
  const { subject, issuer } = identity;
  return [
    {
      artifact: file,
      bundle: bundleFile,
      certificate_identity: subject,
      certificate_oidc_issuer: issuer,
      log_index: logIndexOf(bundle),
    },
  ];
}

async function reviewImage(
  reference: string,
  predicate: Predicate,
  commit: Subject,
  ...rest: Surroundings
): Promise<SignedRecord[]> {
  const [flags, options, command, session] = rest;
  const result = await withSigned(reference, async () => {
    const { client, image } = await resolveImage(reference, session);
    const name = `${image.registry}/${image.repository}`;
    const subjects = [{ name, digest: { sha256: image.digest.slice('sha256:'.length) } }, commit];
    const statement = createAgentReviewStatement({ subjects, predicate });
    return attestImage({ client, image, signer: keylessImageSigner(options), attestation: { statement } });
  });
  for (const { bundle } of result.signatures) await keepEvidence(flags, command, session, bundle, reference);
  return recordsOf(reference, result);
}

function predicateOf(decision: Decision, { reviewer, commitSha, repo, duration, comment }: ReviewFlags) {
  const commit = parseCommitId(commitSha);
  if (commit === undefined) {
    throw new CliError('cli.usage', '--commit-sha is no commit', EXIT.usage, {
      expected: '40 or 64 hex digits',
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
  throw new CliError('cli.usage', 'the review is not one that could be signed', EXIT.usage, { issues: parsed.issues });
}

function parseSeconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('A duration is a whole number of seconds.');
}
