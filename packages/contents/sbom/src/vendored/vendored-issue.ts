import type { Issue, ParseResult } from '@colophon/json';

/** Every code of what cannot be said about vendored code. */
export const VENDORED_ISSUE_CODES = [
  /** A path that leaves the repository, names all of it, or holds what no portable path has. */
  'vendored.path_invalid',
  /** No package URL. */
  'vendored.purl_invalid',
  /** A package URL without the version that the code was made from. */
  'vendored.version_missing',
] as const;
export type VendoredIssueCode = (typeof VENDORED_ISSUE_CODES)[number];

export function refused(code: VendoredIssueCode, message: string, expected: string): ParseResult<never> {
  const issue: Issue = { path: '', code, message, expected, source: 'contract §2.5' };
  return { ok: false, issues: [issue] };
}
