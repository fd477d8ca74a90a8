import { createIdentityPolicy, type IdentityPolicy } from '@colophon/sigstore';
import type { Command } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { underHeading } from '../program/help-layout.ts';
import { lacking, type Need } from '../program/needs.ts';
import { parseSwitch } from '../program/switch.ts';
import { type TrustFlags, withTrust } from '../trust/trust.ts';

export type VerificationFlags = TrustFlags & {
  readonly certificateIdentity?: string;
  readonly certificateIdentityRegexp?: string;
  readonly certificateOidcIssuer?: string;
  readonly certificateOidcIssuerRegexp?: string;
  readonly certificateGithubWorkflowTrigger?: string;
  readonly certificateGithubWorkflowRepository?: string;
  readonly certificateGithubWorkflowSha?: string;
  readonly identityGatedElsewhere?: boolean;
};

/** The flags of every command that verifies (contract §5.2), under cosign's names. */
export function withVerification(command: Command): Command {
  return underHeading('verified', withIdentity(command), (verifying) =>
    withTrust(verifying).option('--new-bundle-format [bool]', 'accepted: both formats are read', parseSwitch),
  );
}

/** The flags that say whose signature counts. */
export function withIdentity(command: Command): Command {
  return underHeading('verified', command, addIdentity);
}

function addIdentity(command: Command): Command {
  return command
    .option('--certificate-identity <subject>', 'the exact subject, e.g. agent:code-writer')
    .option('--certificate-identity-regexp <pattern>', 'RE2 pattern that must match the whole subject, e.g. ^agent:.*')
    .option('--certificate-oidc-issuer <url>', 'the exact issuer')
    .option('--certificate-oidc-issuer-regexp <pattern>', 'RE2 pattern that must match the whole issuer')
    .option('--certificate-github-workflow-trigger <event>', "the run's trigger, e.g. pull_request")
    .option('--certificate-github-workflow-repository <repo>', 'the repository in the certificate')
    .option('--certificate-github-workflow-sha <sha>', 'the commit in the certificate')
    .option(
      '--identity-gated-elsewhere',
      'accept a pattern that matches any signer: another system decides who may sign',
    );
}

/** What a command needs that verifies a certificate, or what `others` names. */
export function identityNeeds(...others: readonly string[]): readonly Need[] {
  return identityNeedsWhen(undefined, ...others);
}

/** The same for a command that needs no signer, and of one that is named all of it. */
export function namedIdentityNeeds(): readonly Need[] {
  return identityNeedsWhen(namesIdentity);
}

/** Whether a line says something about a certificate. */
export function namesIdentity(command: Command): boolean {
  return IDENTITY_FLAGS.some((name) => command.getOptionValue(name) !== undefined);
}

/** The flag of a public key: `--key`, or `--public-key` in a command where `--key` signs. */
export function publicKeyFlag({ options }: Command): string {
  return options.some(({ long }) => long === '--public-key') ? '--public-key' : '--key';
}

/** The same for a command that verifies where `when` was given. */
export function identityNeedsWhen(when: Need['when'], ...others: readonly string[]): readonly Need[] {
  const condition = when === undefined ? {} : { when };
  const signer = '--certificate-identity';
  const issuer = '--certificate-oidc-issuer';
  return [
    {
      what: 'whose signature counts',
      ...condition,
      oneOf: [signer, `${signer}-regexp`, '--identity-gated-elsewhere', ...others],
      toldLater: true,
    },
    {
      what: 'the OIDC issuer of the signer',
      ...condition,
      oneOf: [issuer, `${issuer}-regexp`, ...others],
      toldLater: true,
    },
  ];
}

/** Flags that say something about a certificate, which a signature by a bare key does not have. */
export const IDENTITY_FLAGS = [
  'certificateIdentity',
  'certificateIdentityRegexp',
  'certificateOidcIssuer',
  'certificateOidcIssuerRegexp',
  'certificateGithubWorkflowTrigger',
  'certificateGithubWorkflowRepository',
  'certificateGithubWorkflowSha',
] as const;

/**
 * What the certificate must say, or undefined for a verification by key.
 * @throws CliError where a constraint beside a key would constrain nothing; as identityPolicy
 */
export function identityPolicyUnlessKey(
  flags: VerificationFlags & { readonly key?: string },
  command: Command,
): IdentityPolicy | undefined {
  if (flags.key === undefined) return identityPolicy(flags);
  if (IDENTITY_FLAGS.every((name) => flags[name] === undefined)) return undefined;
  throw new CliError(
    'cli.usage',
    `${publicKeyFlag(command)} verifies without a certificate, so identity flags cannot apply`,
    {
      expected: `${publicKeyFlag(command)}, or what the certificate must say`,
      found: 'both',
    },
  );
}

/** What the certificate must say, compiled; throws where it would pin nothing. */
export function identityPolicy(flags: VerificationFlags): IdentityPolicy {
  try {
    return createIdentityPolicy({
      subject: flags.certificateIdentity,
      subjectRegExp: flags.certificateIdentityRegexp,
      issuer: flags.certificateOidcIssuer,
      issuerRegExp: flags.certificateOidcIssuerRegexp,
      trigger: flags.certificateGithubWorkflowTrigger,
      repository: flags.certificateGithubWorkflowRepository,
      sha: flags.certificateGithubWorkflowSha,
      gatedElsewhere: flags.identityGatedElsewhere,
    });
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== 'identity.issuer_missing' && code !== 'identity.unconstrained') throw error;
    const expected = '--certificate-identity NAME and --certificate-oidc-issuer URL';
    throw lacking(Object.assign(error as Error, { facts: { expected } }));
  }
}
