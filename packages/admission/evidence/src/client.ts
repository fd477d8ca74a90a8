export {
  fetchEvidence,
  fetchListedNegatives,
  fetchStandingNegatives,
  queryEvidence,
  storeDecisions,
  storeEvidence,
  storeReceipt,
} from './client/evidence-client.ts';
export { EvidenceClientError } from './client-error/client-error.ts';
export { type DecisionIssue, decisionLines, isDecisionLog, readDecision } from './decision/decision-lines.ts';
export type { QueryAnswer } from './evidence/query-answer.ts';
export type { DecisionRow, EntryRow } from './evidence/query-result.ts';
export {
  type GatheredRuns,
  type GatherTrust,
  gatherRuns,
} from './gather/gather-runs.ts';
export type { RunChoice } from './gather/run-choice.ts';
export { shownRun } from './gather/shown-run.ts';
export { findEntries } from './gather/stored-entries.ts';
export { findWords, isWordBundle, reviewerPolicy } from './gather/stored-reviews.ts';
export { type ApprovedImage, approvedImage, imageSubjects, type WordImage } from './review/image-subjects.ts';
export { assertNamesArtifact, assertRejected, rejectedSubjects } from './review/rejection-target.ts';
export { signWord, type WordKeeping } from './review/sign-word.ts';
export { standingRejectionsIn } from './review/standing-rejections.ts';
export { SAVED_QUESTION_NAMES, SAVED_QUESTIONS, type SavedQuestionName } from './saved-question/saved-question.ts';
