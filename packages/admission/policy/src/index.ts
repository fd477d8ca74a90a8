export { aboutForNo, isYesTo, namesNothing, rejects } from './about/about.ts';
export { type Condition, type ConditionInput, compileCondition, type InvalidCondition } from './condition/condition.ts';
export {
  type AdmissionDecision,
  type AdmissionInput,
  coveringPolicies,
  decideAdmission,
  decideAndHear,
  MAX_SIGNATURES,
  type PolicyVerdict,
  refuseUncovered,
} from './decision/decision.ts';
export { type AppliedException, hasException } from './decision/exception.ts';
export { type HeardNegative, hearsRejection, negativeOf } from './decision/negatives.ts';
export { ADMISSION_REASON_CODES, type AdmissionReason, type AdmissionReasonCode } from './decision/reason.ts';
export { decideRequiredSigners, findNo, type RequiredSigners } from './decision/required-signers.ts';
export {
  DISAGREEMENT_KINDS,
  type Disagreement,
  type Disagreements,
  disagreementsIn,
} from './disagreement/disagreements.ts';
export { compileImageGlob, type ImageGlob } from './image/image-glob.ts';
export { type LintedPolicy, lintPolicies } from './lint/lint-policies.ts';
export { POLICY_LINT_CODES, type PolicyLintCode, type PolicyWarning } from './lint/policy-warning.ts';
export { isAffirmative, isWholeYes, MEANINGS, type Meaning, meaningOf, type OwnTypes } from './meaning/meaning.ts';
export { mayBeNoOf, mayBeOnePerson, type Said } from './negatives/may-be-no.ts';
export { isNegativeStatement } from './negatives/negative-statement.ts';
export type { NegativesList, NegativesView, Overflow } from './negatives/negatives-view.ts';
export { createKeyRule, createPinnedRule, type IdentityRule, type PinnedSigner } from './policy/identity-rule.ts';
export {
  type AdmissionProfile,
  DEFAULT_NEGATIVES_MAX_AGE_SECONDS,
  DEFAULT_REVIEWER_PATTERN,
  type ExceptionRule,
  type MakerRule,
  type NegativesSource,
  type ParsedPolicy,
  type ParsedRequireRules,
  type Policy,
  parsePolicy,
  parseRequireRules,
  type RequireRule,
  secondsOf,
  type WrittenPolicy,
} from './policy/policy.ts';
export { POLICY_ISSUE_CODES, type PolicyIssue, type PolicyIssueCode } from './policy/policy-issue.ts';
export { NEGATIVES_SCHEMA, POLICY_SCHEMA, type PolicyFile } from './policy/policy-schema.ts';
export { publicKeyName } from './public-key/public-key.ts';
export {
  approvalOf,
  type Rejection,
  type ReviewWord,
  rejectionOf,
  takesBack,
  takesBackFor,
  takesBackOfCommit,
  withCopies,
} from './rejection/rejection.ts';
export { isReviewType } from './review-type/review-type.ts';
