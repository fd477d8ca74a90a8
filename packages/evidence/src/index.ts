export { type CommitReview, reviewOfCommit } from './commit-review/commit-review.ts';
export {
  createEvidence,
  DEFAULT_MAX_BUNDLE_BYTES,
  type Evidence,
  type EvidenceOptions,
  type ImportedEvidence,
  type QueryResult,
  type VerifyBundle,
} from './evidence/evidence.ts';
export type { ArtifactRow, CommitRow, EntryRow, QueryAnswer } from './evidence/query-answer.ts';
export {
  EvidenceError,
  type EvidenceErrorCode,
} from './evidence-error/evidence-error.ts';
export { layOutEvidence } from './import/evidence-columns.ts';
export { MAX_LIST_AGE_MS, type SignStatement } from './negatives/published-list.ts';
export { DEFAULT_LIMIT, MAX_LIMIT, type ParsedQuery, parseQuery } from './query/parse-query.ts';
export { QUERY_FIELDS, QUERY_SETS, type QueryField } from './query/query-field.ts';
export { QUERY_ISSUE_CODES, type QueryIssue, type QueryIssueCode } from './query/query-issue.ts';
