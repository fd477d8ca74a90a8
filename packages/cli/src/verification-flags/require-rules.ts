import { parseRequireRules, type RequiredSigners, type RequireRule } from '@colophon/admission';
import type { VerifiedSignature } from '@colophon/records';
import { IdentityPolicyError } from '@colophon/sigstore';
import { type Command, Option } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { readInput } from '../input/input.ts';
import { underHeading } from '../program/help-layout.ts';
import { everyValue } from '../program/repeated-flag.ts';

/** The flag of {@link withRequire}. */
export type RequireFlags = { readonly require?: readonly string[] };

/** What says whose one signature counts, where `--require` says it of several. */
const ONE_SIGNER = [
  'certificateIdentity',
  'certificateIdentityRegexp',
  'certificateOidcIssuer',
  'certificateOidcIssuerRegexp',
  'certificateGithubWorkflowTrigger',
  'certificateGithubWorkflowRepository',
  'certificateGithubWorkflowSha',
  'identityGatedElsewhere',
  'key',
  'document',
  'requireInclusionProof',
];

/** Adds `--require`, by which several signers are asked for at once (contract §5.4). */
export function withRequire(command: Command): Command {
  return underHeading('verified', command, (verifying) =>
    verifying.addOption(
      new Option(
        '--require <rule>',
        "a signer who must have signed too, as in a policy's require: '{ issuer: URL, subject: NAME }', or a file with a list of them; repeatable",
      )
        .argParser(everyValue)
        .conflicts(ONE_SIGNER),
    ),
  );
}

/** Whether a line has no `--require`, and so has to say whose signature counts. */
export function requiresNobody(command: Command): boolean {
  return command.getOptionValue('require') === undefined;
}

/**
 * The rules of `--require`, compiled; undefined where the flag is absent.
 * @throws IdentityPolicyError `identity.unconstrained` for a rule that anybody meets
 * @throws CliError `cli.policy_invalid`, `cli.file_unreadable`
 */
export async function readRequireRules({ require }: RequireFlags): Promise<readonly RequireRule[] | undefined> {
  if (require === undefined) return undefined;
  const rules: RequireRule[] = [];
  for (const value of require) {
    const isRule = value.trimStart().startsWith('{');
    const parsed = parseRequireRules(isRule ? value : Buffer.from(await readInput(value)).toString());
    if (parsed.ok) {
      rules.push(...parsed.value);
      continue;
    }
    const open = parsed.issues.find(({ code }) => code === 'policy.pattern_unconstrained');
    if (open !== undefined) throw new IdentityPolicyError('identity.unconstrained', `--require: ${open.message}`);
    throw new CliError('cli.policy_invalid', isRule ? '--require is no rule' : `${value} holds no rules`, {
      checked: isRule ? '--require' : value,
      expected: '{ issuer: URL, subject: NAME } with an exact subject, or subjectRegExp',
      issues: parsed.issues,
    });
  }
  return rules;
}

/** A signature that meets a rule, and the rule for people. */
export type MeetingSignature<S extends VerifiedSignature> = { readonly rule: string; readonly signature: S };

/**
 * One signature for each rule, in the order of the rules.
 * @param verified the signatures that `required` names
 * @throws CliError `cli.requirement_unmet`, with everything that is missing or against it
 */
export function signaturesMeeting<S extends VerifiedSignature>(
  { required, findings }: RequiredSigners,
  verified: readonly S[],
): readonly MeetingSignature<S>[] {
  if (findings.length > 0) {
    throw new CliError(
      'cli.requirement_unmet',
      'not all signatures that are required are there, each by another signer',
      {
        expected: required.map(({ rule }) => rule).join('; '),
        issues: findings,
      },
    );
  }
  return required.map(({ rule, signatures }) => ({
    rule,
    signature: verified.find((one) => one === signatures[0]) as S,
  }));
}
