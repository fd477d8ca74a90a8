import type { Policy } from '../policy/policy.ts';
import { policySentences } from './policy-sentences.ts';
import type { PolicyWarning } from './policy-warning.ts';
import { policyWarnings } from './policy-warnings.ts';

/** What a policy admits, and what a careful reader should know of it. */
export type LintedPolicy = {
  readonly policy: string;
  /** Everything that has to hold; free text of the file stands in quotes, and is not made printable. */
  readonly sentences: readonly string[];
  /** In the order of what they are about. */
  readonly warnings: readonly PolicyWarning[];
};

/**
 * Says of each policy what it admits and what to know of it, as they are asked together: of policies that cover an image,
 * each has to admit it. Decides nothing.
 * @param nowSeconds since 1970: whether exceptions are in force
 * @throws TypeError for a policy that was not read from a file
 */
export function lintPolicies(policies: readonly Policy[], nowSeconds: number): LintedPolicy[] {
  return policies.map((policy) => {
    if (policy.written === undefined) throw new TypeError('only a policy that was read from a file is linted');
    const others = policies.filter((other) => other !== policy);
    return {
      policy: policy.name,
      sentences: policySentences(policy),
      warnings: policyWarnings(policy, policy.written, { others, nowSeconds }),
    };
  });
}
