import type { Issue } from '@colophon/json';

const MANIFEST_FILE_ISSUES = {
  'manifest.too_large': 'The file is larger than is read here.',
  'manifest.syntax': 'The file is no YAML or JSON that every reader reads alike.',
  'manifest.duplicate_key': 'A map has two members of this name.',
  'manifest.merge_not_first': 'A merge stands behind other members, and readers differ about which of them counts.',
  'manifest.too_complex': 'Aliases or nesting make the document larger than is read here.',
} as const;

export type ManifestFileIssueCode = keyof typeof MANIFEST_FILE_ISSUES;

/** Why a file of manifests cannot be read. */
export const MANIFEST_FILE_ISSUE_CODES = Object.keys(MANIFEST_FILE_ISSUES) as readonly ManifestFileIssueCode[];

/** One problem of a file, and where it stands; it never repeats what the file says, which may be a Secret. */
export type ManifestFileIssue = Issue & {
  readonly code: ManifestFileIssueCode;
  readonly found?: string;
  /** Counted from 1; absent where it is the whole file. */
  readonly line?: number;
  readonly column?: number;
};

/** An issue of a file. */
export function manifestFileIssue(
  code: ManifestFileIssueCode,
  more: Partial<Pick<ManifestFileIssue, 'line' | 'column' | 'expected' | 'found'>> = {},
): ManifestFileIssue {
  return { path: '', code, message: MANIFEST_FILE_ISSUES[code], ...more };
}
