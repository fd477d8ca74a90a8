import { type Issue, jsonPointer } from '@colophon/json';
import { FIELD_MESSAGES } from '@colophon/records';

const IMAGE_ISSUES = {
  'kubernetes.field_missing': FIELD_MESSAGES.field_missing,
  'kubernetes.field_type': FIELD_MESSAGES.field_type,
  'kubernetes.containers_empty': 'The list of containers is empty.',
  'kubernetes.image_missing': 'The container or the image volume names no image.',
} as const;

export type ImageIssueCode = keyof typeof IMAGE_ISSUES;

/** What can be wrong where an object holds its images. */
export const IMAGE_ISSUE_CODES = Object.keys(IMAGE_ISSUES) as readonly ImageIssueCode[];

/** An issue at a place in an object. */
export function imageIssue(segments: readonly (string | number)[], code: ImageIssueCode, expected: string): Issue {
  return { path: jsonPointer(segments), code, message: IMAGE_ISSUES[code], expected };
}
