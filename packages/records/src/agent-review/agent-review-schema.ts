import { COMMIT_ID_PATTERN } from '../commit-id/commit-id.ts';
import { count, emailAddress, type RecordSchema, text, timestamp } from '../record-schema/record-schema.ts';
import { LONGEST_REPOSITORY, REPOSITORY_PATTERN } from '../repository/repository.ts';
import { REVIEW_DECISIONS } from './review-decision.ts';

/**
 * The predicate of an agent-review attestation (contract §2.4), once: AgentReview is its type, and it is published as
 * packages/records/schema/agent-review.v1.json. Members that it does not name are allowed.
 */
export const agentReviewSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'agent-review predicate, version 1',
  type: 'object',
  description: 'an agent-review predicate',
  required: ['human_reviewer', 'review_timestamp'],
  properties: {
    human_reviewer: emailAddress,
    review_timestamp: timestamp,
    decision: { type: 'string', description: '"approved" or "rejected"', enum: REVIEW_DECISIONS },
    repo: {
      type: 'string',
      description: '<org>/<repo>',
      pattern: REPOSITORY_PATTERN,
      maxLength: LONGEST_REPOSITORY,
    },
    commit_sha: {
      type: 'string',
      description: 'a full git commit id, 40 or 64 lower-case hex digits',
      pattern: COMMIT_ID_PATTERN,
    },
    review_duration_seconds: count,
    comment: { type: 'string', description: 'a string' },
  },
} as const satisfies RecordSchema;

/** The same with what contract §5.3 asks to the letter: both fields are there and not blank, whatever they say. */
export const agentReviewSpecSchema = {
  ...agentReviewSchema,
  properties: { ...agentReviewSchema.properties, human_reviewer: text, review_timestamp: text },
} as const satisfies RecordSchema;
