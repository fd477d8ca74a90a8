import { type Issue, jsonPointer } from '@colophon/json';
import { FIELD_MESSAGES } from '@colophon/records';

const REVIEW_ISSUES = {
  'admission_review.not_object': 'The document is no JSON object.',
  'admission_review.version_unsupported': 'The document is no AdmissionReview of a version that is answered here.',
  'admission_review.field_missing': FIELD_MESSAGES.field_missing,
  'admission_review.field_type': FIELD_MESSAGES.field_type,
  'admission_review.field_empty': FIELD_MESSAGES.field_empty,
  'admission_review.field_too_long': 'The text is longer than is accepted here.',
  'admission_review.field_invalid': 'The text has a control character.',
} as const;

export type ReviewIssueCode = keyof typeof REVIEW_ISSUES;

/** What can be wrong with an AdmissionReview. */
export const REVIEW_ISSUE_CODES = Object.keys(REVIEW_ISSUES) as readonly ReviewIssueCode[];

/** An issue of an AdmissionReview; it never repeats a value. */
export function reviewIssue(segments: readonly string[], code: ReviewIssueCode, expected?: string): Issue {
  return { path: jsonPointer(segments), code, message: REVIEW_ISSUES[code], ...(expected && { expected }) };
}
