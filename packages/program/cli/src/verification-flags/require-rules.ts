import { parseRequireRules, type RequiredSigners, type RequireRule } from '@colophon/admission';
import type { VerifiedSignature } from '@colophon/records';
import { IdentityPolicyError } from '@colophon/sigstore';
import { CliError } from '../cli-error/cli-error.ts';
import { readInput } from '../input/input.ts';
import type { RequireFlags } from './require-flag.ts';

/**
 * The rules of `--require`, compiled.
 * @throws IdentityPolicyError `identity.unconstrained` for a rule that anybody meets
 * @throws CliError `cli.policy_invalid`, `cli.file_unreadable`
 */
export async function readRequireRules({ require }: RequireFlags): Promise<readonly RequireRule[]> {
  const rules: RequireRule[] = [];
  for (const value of require ?? []) {
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
