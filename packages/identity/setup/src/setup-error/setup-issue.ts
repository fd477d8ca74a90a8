/** What can be missing where files for services are to be written. */
export const SETUP_ISSUE_CODES = [
  'setup.unreachable',
  'setup.not_this_service',
  'setup.key_unpublished',
  'setup.key_unreadable',
  'setup.timestamps_needed',
] as const;
export type SetupIssueCode = (typeof SETUP_ISSUE_CODES)[number];

/** One thing that is missing. */
export type SetupIssue = {
  readonly code: SetupIssueCode;
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
};
