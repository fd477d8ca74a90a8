import { type PolicyIssue as PlacedIssue, POLICY_SHAPE_CODES, POLICY_SYNTAX_CODES } from '@colophon/policy-file';

/** Everything that can be wrong with a policy file. */
export const POLICY_ISSUE_CODES = [
  ...POLICY_SYNTAX_CODES,
  ...POLICY_SHAPE_CODES,
  'policy.subject_choice',
  'policy.pattern_invalid',
  'policy.pattern_unconstrained',
  'policy.glob_invalid',
  'policy.condition_invalid',
  'policy.not_in_profile',
  'policy.reviewer_is_agent',
  'policy.builder_is_agent',
  'policy.address_invalid',
  'policy.predicate_type_invalid',
  'policy.maker_choice',
  'policy.not_for_maker',
  'policy.human_is_agent',
  'policy.authority_choice',
  'policy.key_invalid',
  'policy.key_has_no_age',
  'policy.time_invalid',
  'policy.domain_invalid',
] as const;
export type PolicyIssueCode = (typeof POLICY_ISSUE_CODES)[number];

/** One thing that is wrong with a policy file, and where it stands. */
export type PolicyIssue = PlacedIssue<PolicyIssueCode>;
