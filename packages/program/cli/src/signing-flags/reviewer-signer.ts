import { logIn } from '@colophon/oidc';
import { AGENT_PREFIX, foldedAddress, isEmailAddress, isPersonAddress, REVIEWER_PREFIX } from '@colophon/records';
import type { ReviewLogin } from '@colophon/server/configuration';
import { type KeylessOptions, readIdentityToken } from '@colophon/sigstore';
import type { Command } from 'commander';
import { openBrowser } from '../browser/browser.ts';
import { CliError } from '../cli-error/cli-error.ts';
import { configurationFile } from '../configuration/configuration-file.ts';
import { underHeading } from '../program/help-layout.ts';
import { withNeeds } from '../program/needs.ts';
import type { Session } from '../program/program.ts';
import { parseServiceUrl } from '../service-url/service-url.ts';
import { parseReviewer, type ReviewerContext, reviewerTokens } from './reviewer-token.ts';
import { readHandedToken } from './signing-flags.ts';

/** Client that cosign logs in as, where no other is named. */
const DEFAULT_CLIENT_ID = 'sigstore';

export type ReviewerFlags = {
  readonly reviewer?: string;
  readonly identityToken?: string;
  readonly loginIssuer?: string;
  readonly oidcClientId?: string;
  readonly browser?: boolean;
  readonly config?: string;
};

/** A person who signs in their own name. */
export type ReviewerSigner = {
  /** Their address; undefined for a token that names no person. */
  readonly reviewer: string | undefined;
  /** The subject of the token; undefined where the token is only minted when it is needed. */
  readonly subject: string | undefined;
  readonly identityToken: KeylessOptions['identityToken'];
};

/** The flags that say who reviews. `reviews`: the verb, in the third person. */
export function withReviewer(command: Command, reviews: 'reviewed' | 'withdraws'): Command {
  const what = reviews === 'reviewed' ? 'who reviewed' : 'who withdraws';
  const needing = withNeeds(command, { what, oneOf: ['--reviewer', '--identity-token'], when: isUnsaid });
  return underHeading('signer', needing, (signed) =>
    signed
      .option('--reviewer <email>', `${what}; the certificate will name this address`, parseReviewer)
      .option(
        '--identity-token <token>',
        'identity token of that person, or a file with one (default: $SIGSTORE_ID_TOKEN)',
      )
      .option(
        '--login-issuer <url>',
        'log in with the browser at this provider (default: reviews.login)',
        parseServiceUrl,
      )
      .option('--oidc-client-id <id>', 'client that logs in there (default: reviews.login, else sigstore)')
      .option('--no-browser', 'print the address to log in at, and open no browser'),
  );
}

/** Nothing outside the two flags says who it is. */
function isUnsaid(command: Command, env: NodeJS.ProcessEnv): boolean {
  const { loginIssuer, config } = command.opts<ReviewerFlags>();
  return loginIssuer === undefined && configurationFile(env, config) === undefined && !env['SIGSTORE_ID_TOKEN'];
}

/**
 * Finds out by what a person signs: `--identity-token`; else a login at `--login-issuer`; without `--reviewer`
 * $SIGSTORE_ID_TOKEN, which may be an agent's in a job; else the login of the configuration; else the reviewers' secret
 * of this machine. Tokens and secrets are read at once, and a login is asked for only when the answer is called: whatever
 * else is wrong with the line has been told by then.
 * @throws CliError `cli.usage`, `cli.file_unreadable`, `cli.reviewer_refused`, `cli.no_reviewer_secret`; LoginError
 */
export async function reviewerSigner(
  flags: ReviewerFlags,
  context: Omit<ReviewerContext, 'reviewer'>,
  command: Command,
  session: Session,
): Promise<() => Promise<ReviewerSigner>> {
  const { reviewer, identityToken, loginIssuer, oidcClientId } = flags;
  if (identityToken !== undefined && (loginIssuer ?? oidcClientId) !== undefined) {
    throw new CliError('cli.usage', 'a token and a login would say twice who signs', {
      expected: '--identity-token TOKEN, or --login-issuer URL',
      found: 'both',
    });
  }
  const ambient = reviewer === undefined && loginIssuer === undefined ? session.env['SIGSTORE_ID_TOKEN'] : undefined;
  const handed = identityToken ?? (ambient || undefined);
  if (handed !== undefined) {
    const signer = signerOf(readHandedToken(handed), reviewer);
    return async () => signer;
  }
  const configured = loginIssuer === undefined ? session.reviewLogin : undefined;
  const issuer = loginIssuer ?? configured?.issuer;
  if (issuer !== undefined) {
    const clientId = oidcClientId ?? configured?.clientId ?? DEFAULT_CLIENT_ID;
    return async () => signerOf(await loggedIn({ issuer, clientId }, flags, session), reviewer);
  }
  if (oidcClientId !== undefined || reviewer === undefined) throw nobody(oidcClientId);
  const tokens = reviewerTokens({ ...context, reviewer }, command, session);
  return async () => ({ reviewer, subject: undefined, identityToken: tokens });
}

/**
 * The address of a person who signs.
 * @throws CliError `cli.reviewer_refused` for a token that names none: it would be logged for good, and count for nobody
 */
export function personOf({ reviewer, subject = '' }: ReviewerSigner): string {
  if (reviewer !== undefined && isPersonAddress(reviewer)) return reviewer;
  throw new CliError('cli.reviewer_refused', 'the identity token names no person who could review', {
    expected: 'a token with the email of a person, or of reviewer:<address>',
    found: reviewer ?? subject,
  });
}

/**
 * Holds when the authority certified this person, and not a name that their token has beside it.
 * @throws CliError `cli.reviewer_refused`; nothing is logged then
 */
export function assertCertified(reviewer: string, subject: string): void {
  if (subject === reviewer || subject === `${REVIEWER_PREFIX}${reviewer}`) return;
  throw new CliError(
    'cli.reviewer_refused',
    'the certificate names another than the reviewer: this login needs an issuer of type email at the authority',
    {
      expected: reviewer,
      found: subject,
    },
  );
}

function nobody(oidcClientId: string | undefined): CliError {
  const found = oidcClientId === undefined ? {} : { found: '--oidc-client-id alone' };
  return new CliError('cli.usage', 'nothing says who signs', {
    expected: '--reviewer EMAIL, --identity-token TOKEN, --login-issuer URL, or reviews.login in the configuration',
    ...found,
  });
}

function loggedIn(login: ReviewLogin, { reviewer, browser }: ReviewerFlags, { terminal }: Session): Promise<string> {
  return logIn({
    ...login,
    loginHint: reviewer,
    onAddress: (url) => {
      terminal.stderr.write(`log in with your browser, within five minutes: ${url}\n`);
      if (terminal.stderr.isTTY === true && browser !== false) openBrowser(url);
    },
  });
}

/** @throws CliError `cli.reviewer_refused` for the token of somebody else than `--reviewer` names */
function signerOf(token: string, expected: string | undefined): ReviewerSigner {
  const { subject, payload } = readIdentityToken(token);
  const reviewer = addressIn(subject, payload['email']);
  if (expected !== undefined && foldedAddress(reviewer ?? '') !== foldedAddress(expected)) {
    throw new CliError('cli.reviewer_refused', 'the identity token is of somebody else', {
      expected,
      found: reviewer ?? subject,
    });
  }
  return { reviewer, subject, identityToken: async () => token };
}

function addressIn(subject: string, email: unknown): string | undefined {
  if (subject.startsWith(AGENT_PREFIX)) return undefined;
  const address = subject.startsWith(REVIEWER_PREFIX) ? subject.slice(REVIEWER_PREFIX.length) : email;
  return typeof address === 'string' && isEmailAddress(address) ? address : undefined;
}
