import { existsSync, readFileSync } from 'node:fs';
import { requestToken } from '@colophon/oidc';
import { isLoopback } from '@colophon/peer';
import { CLAIMS } from '@colophon/records';
import { type Command, InvalidArgumentError } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { reviewerSecretFile } from '../home/home.ts';
import { issuerUrl } from '../home/issuer-url.ts';
import { dataFlag, type Session } from '../program/program.ts';

/** Who signs in their own name, and what they looked at where it is a commit. */
export type ReviewerContext = {
  readonly reviewer: string;
  readonly repo?: string | undefined;
  readonly repoUri?: string | undefined;
  readonly commitSha?: string | undefined;
  /** The issuer that `--issuer` names. */
  readonly issuer?: string | undefined;
};

/** The value of `--reviewer`, in lower case as issuers of reviewers certify it. @throws InvalidArgumentError for what is no e-mail address */
export function parseReviewer(text: string): string {
  const { read, expected } = CLAIMS.human_reviewer.form;
  if (read(text) === undefined) throw new InvalidArgumentError(`It is not ${expected}.`);
  return text.toLowerCase();
}

/**
 * Tokens in a person's own name (`reviewer:<e-mail>`), each bound to the key that signs with it; the issuer gives them to a caller that shows the local reviewers' secret.
 * @throws CliError `cli.no_reviewer_secret` (exit 4)
 */
export function reviewerTokens(
  context: ReviewerContext,
  command: Command,
  session: Session,
): (keyThumbprint: string) => Promise<string> {
  const { reviewer, repo, repoUri, commitSha } = context;
  const file = reviewerSecretFile(session.env);
  const issuer = issuerUrl(session.env, dataFlag(command), context.issuer);
  if (!existsSync(file)) {
    throw new CliError('cli.no_reviewer_secret', "the reviewers' secret is not there", {
      checked: file,
      next: 'colophon up    (as the user who reviews)',
    });
  }
  // The secret is for the services of this machine: nobody else is ever shown it.
  if (!isLoopback(issuer)) {
    throw new CliError('cli.no_reviewer_secret', "this reviewers' secret is of no use at another issuer", {
      checked: file,
      expected: 'an issuer on this machine',
      found: issuer,
    });
  }
  const request = {
    purpose: 'review',
    human_reviewer: reviewer,
    ...(commitSha === undefined ? {} : { commit_sha: commitSha }),
    ...(repo === undefined ? {} : { repo }),
    ...(repoUri === undefined ? {} : { repo_uri: repoUri }),
  };
  const secret = readFileSync(file, 'utf8').trim();
  return (jkt) => {
    const body = new TextEncoder().encode(JSON.stringify({ ...request, dpop_jkt: jkt }));
    return requestToken(issuer, body, { secret });
  };
}
