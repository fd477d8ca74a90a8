import type { Issue } from '@colophon/json';

const SCOPE_ISSUES = {
  'kubernetes.object_missing': 'The request has no object.',
  'kubernetes.kind_mismatch': 'The request and its object are of different kinds.',
  'kubernetes.nul': 'The name of the container or volume, or its image, holds a NUL character.',
} as const;

export type ScopeIssueCode = keyof typeof SCOPE_ISSUES;

/** What can be wrong between a request and its object. */
export const SCOPE_ISSUE_CODES = Object.keys(SCOPE_ISSUES) as readonly ScopeIssueCode[];

/** An issue at a place in a request. */
export function scopeIssue(path: string, code: ScopeIssueCode, expected: string): Issue {
  return { path, code, message: SCOPE_ISSUES[code], expected };
}
