import type { PolicyIssue } from '@colophon/policy-file';

/** Everything that a careful reader of a policy should know, and that its sentences alone do not show. */
export const POLICY_LINT_CODES = [
  'policy.lint_audit',
  'policy.lint_profile_spec',
  'policy.lint_every_registry',
  'policy.lint_tag_glob',
  'policy.lint_tag_chooses',
  'policy.lint_any_agent',
  'policy.lint_agent_key',
  'policy.lint_any_reviewer',
  'policy.lint_any_domain',
  'policy.lint_condition_member',
  'policy.lint_no_sources',
  'policy.lint_registry_only',
  'policy.lint_no_rejections',
  'policy.lint_list_age',
  'policy.lint_provenance_repository',
  'policy.lint_agent_required',
  'policy.lint_legacy_without_end',
  'policy.lint_legacy_over',
  'policy.lint_exception_over',
  'policy.lint_exception_in_force',
  'policy.lint_policies_overlap',
] as const;
export type PolicyLintCode = (typeof POLICY_LINT_CODES)[number];

/** One thing to know of a policy that loads, and where it stands. */
export type PolicyWarning = PolicyIssue<PolicyLintCode> & {
  /** `note` where nothing has to be changed. */
  readonly severity: 'warning' | 'note';
};
