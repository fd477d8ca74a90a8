import type { ParseResult } from '@colophon/json';
import { parseTimestamp } from '@colophon/notation';
import type { XStatic } from 'typebox/schema';
import { agentReviewType } from '../predicate-type/predicate-type.ts';
import { checkRecord } from '../record-schema/record-check.ts';
import { createStatement } from '../statement/create-statement.ts';
import type { Statement, Subject } from '../statement/statement.ts';
import { agentReviewSchema, agentReviewSpecSchema } from './agent-review-schema.ts';
import { readWrittenTarget } from './written-target.ts';

/** The predicate of an agent-review attestation (contract §2.4). */
export type AgentReview = XStatic<typeof agentReviewSchema>;

/** `spec` is contract §5.3 to the letter, `strict` how we read it. */
export const REVIEW_PROFILES = ['strict', 'spec'] as const;
export type ReviewProfile = (typeof REVIEW_PROFILES)[number];

/**
 * Reads the predicate of an agent-review attestation. `human_reviewer` and `review_timestamp` must be there and not
 * blank; in the strict profile they are an e-mail address and a time in UTC.
 *
 * @returns the predicate as it is, or every issue at once, with codes `agent_review.*`.
 */
export function parseAgentReview(value: unknown, profile: ReviewProfile = 'strict'): ParseResult<AgentReview> {
  const schema = profile === 'spec' ? agentReviewSpecSchema : agentReviewSchema;
  const issues = checkRecord('agent_review', schema, value, 'contract §2.4');
  const about = issues.length === 0 ? readWrittenTarget(value) : undefined;
  if (about !== undefined && 'issues' in about) return { ok: false, issues: about.issues };
  return issues.length === 0 ? { ok: true, value: value as AgentReview } : { ok: false, issues };
}

/**
 * The Statement v1 by which a reviewer vouches for `subjects`; its time is written normalised.
 *
 * @throws TypeError where the strict profile would not read it back, with the path and code of every issue.
 */
export function createAgentReviewStatement(review: {
  readonly subjects: readonly Subject[];
  readonly predicate: AgentReview;
  readonly predicateBase?: string;
}): Statement<AgentReview> {
  const { subjects, predicate, predicateBase } = review;
  const parsed = parseAgentReview(predicate);
  if (!parsed.ok)
    return createStatement({ subjects, predicateType: agentReviewType(predicateBase), predicate }, parsed.issues);
  const review_timestamp = parseTimestamp(predicate.review_timestamp)!;
  return createStatement({
    subjects,
    predicateType: agentReviewType(predicateBase),
    predicate: { ...predicate, review_timestamp },
  });
}
