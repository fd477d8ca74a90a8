import type { AdmissionReason } from '@colophon/admission';
import type { PolicyIssue as PlacedIssue, POLICY_SHAPE_CODES, POLICY_SYNTAX_CODES } from '@colophon/policy-file';

/** What can be wrong with a case of a policy beside its YAML and its shape. */
export const POLICY_CASE_CODES = [
  'policy_case.image_invalid',
  'policy_case.time_invalid',
  'policy_case.signer_choice',
  'policy_case.key_invalid',
  'policy_case.predicate_type_unknown',
  'policy_case.predicate_unused',
  'policy_case.reasons_unused',
  'policy_case.not_for_pack',
] as const;

/** How a decision differs from what a case expects. */
export const CASE_DIFFERENCE_CODES = [
  'policy_case.decision_differs',
  'policy_case.reasons_differ',
  'policy_case.warnings_differ',
  'policy_case.valid_until_differs',
] as const;

export type PolicyCaseIssueCode =
  | (typeof POLICY_CASE_CODES)[number]
  | (typeof POLICY_SYNTAX_CODES)[number]
  | (typeof POLICY_SHAPE_CODES)[number];

/** One thing that is wrong with a case, and where it stands. */
export type PolicyCaseIssue = PlacedIssue<PolicyCaseIssueCode>;

/** One way in which a decision differs from what a case expects, or a finding that nobody expected. */
export type CaseDifference =
  | Omit<AdmissionReason, 'policy'>
  | {
      readonly code: (typeof CASE_DIFFERENCE_CODES)[number];
      readonly message: string;
      readonly expected: string;
      readonly found: string;
    };
