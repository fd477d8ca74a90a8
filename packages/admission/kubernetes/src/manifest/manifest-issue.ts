import type { Issue } from '@colophon/json';

const MANIFEST_ISSUES = {
  'manifest.not_object': 'The document is no Kubernetes object.',
  'manifest.kind_missing': 'The object does not say its apiVersion and kind.',
  'manifest.items_invalid': 'The list does not hold its items as a list of objects.',
  'manifest.items_unexpected': 'The object has items beside what its kind has, and other readers take it for a list.',
  'manifest.too_deep': 'Lists are nested deeper than is accepted here.',
} as const;

export type ManifestIssueCode = keyof typeof MANIFEST_ISSUES;

/** What can be wrong with a document of a manifest before its images are looked for. */
export const MANIFEST_ISSUE_CODES = Object.keys(MANIFEST_ISSUES) as readonly ManifestIssueCode[];

/** An issue of a document or of an element of a list: at its beginning, or at the member that the code is about. */
export function manifestIssue(code: ManifestIssueCode): Issue {
  const issue = { path: '', code, message: MANIFEST_ISSUES[code] };
  if (code !== 'manifest.items_unexpected') return issue;
  return { ...issue, path: '/items', expected: 'the object without items, or a v1 List of objects' };
}
