import type { Issue } from '@colophon/json';

const MANIFEST_ISSUES = {
  'manifest.not_object': 'The document is no Kubernetes object.',
  'manifest.kind_missing': 'The object does not say its apiVersion and kind.',
  'manifest.items_invalid': 'The list does not hold its items as a list of objects.',
  'manifest.too_deep': 'Lists are nested deeper than is accepted here.',
} as const;

export type ManifestIssueCode = keyof typeof MANIFEST_ISSUES;

/** What can be wrong with a document of a manifest before its images are looked for. */
export const MANIFEST_ISSUE_CODES = Object.keys(MANIFEST_ISSUES) as readonly ManifestIssueCode[];

/** An issue of a document, at its beginning. */
export function manifestIssue(code: ManifestIssueCode): Issue {
  return { path: '', code, message: MANIFEST_ISSUES[code] };
}
