import type { Issue } from '@colophon/records';

/** Everything that can be wrong with a policy file. */
export const POLICY_ISSUE_CODES = [
  'policy.too_large',
  'policy.syntax',
  'policy.duplicate_key',
  'policy.alias',
  'policy.several_documents',
  'policy.unknown_key',
  'policy.field_missing',
  'policy.wrong_type',
  'policy.value',
  'policy.subject_choice',
  'policy.pattern_invalid',
  'policy.pattern_unconstrained',
  'policy.glob_invalid',
  'policy.condition_invalid',
  'policy.not_in_profile',
] as const;
export type PolicyIssueCode = (typeof POLICY_ISSUE_CODES)[number];

/** One thing that is wrong with a policy file, and where it stands. */
export type PolicyIssue = Issue & {
  readonly code: PolicyIssueCode;
  /** Counted from 1; absent only where the file could not be read at all. */
  readonly line?: number;
  readonly column?: number;
};
