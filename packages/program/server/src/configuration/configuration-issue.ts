import { POLICY_SHAPE_CODES, POLICY_SYNTAX_CODES, type PolicyDocument, type PolicyIssue } from '@colophon/policy-file';

/** Everything that can be wrong with a configuration file. */
export const CONFIGURATION_ISSUE_CODES = [
  ...POLICY_SYNTAX_CODES,
  ...POLICY_SHAPE_CODES,
  'configuration.issuer_invalid',
  'configuration.address_invalid',
  'configuration.exposed',
  'configuration.role_refused',
  'configuration.reference_invalid',
  'configuration.namespace_invalid',
  'configuration.pins_in_data',
  'configuration.name_repeated',
  'configuration.name_unknown',
  'configuration.root_unnamed',
  'configuration.root_without_issuers',
  'configuration.caller_invalid',
  'configuration.caller_issuer_invalid',
  'configuration.caller_audience',
  'configuration.caller_unpinned',
  'configuration.caller_keys',
  'configuration.witness_invalid',
  'configuration.dependency_not_excluded',
] as const;
export type ConfigurationIssueCode = (typeof CONFIGURATION_ISSUE_CODES)[number];

/** One thing that is wrong with a configuration file, and where it stands. */
export type ConfigurationIssue = PolicyIssue<ConfigurationIssueCode>;

/** Notes problems at their place in one file. */
export type IssueNotes = {
  note(path: readonly (string | number)[], code: ConfigurationIssueCode, message: string, expected?: string): void;
  readonly issues: readonly ConfigurationIssue[];
};

/** An empty list of problems of a document. */
export function notesOf(document: PolicyDocument): IssueNotes {
  const issues: ConfigurationIssue[] = [];
  return {
    issues,
    note: (path, code, message, expected) => void issues.push(document.issueAt(path, code, message, expected)),
  };
}
