import { SHA256_PATTERN } from '@colophon/notation';
import { COMMIT_ID_PATTERN } from '../commit-id/commit-id.ts';
import { count, emailAddress, type RecordSchema, text, timestamp } from '../record-schema/record-schema.ts';
import { LONGEST_REPOSITORY, REPOSITORY_PATTERN } from '../repository/repository.ts';
import { REVIEW_DECISIONS } from './review-decision.ts';
import { MOST_PLATFORMS, PLATFORM_PATTERN, REVIEW_TARGET_KINDS, TARGET_DIGEST_PATTERN } from './review-target.ts';

/** What was looked at: an image, a file or a commit. */
export const reviewTargetSchema = {
  type: 'object',
  description: 'what was reviewed',
  required: ['kind', 'digest'],
  properties: {
    kind: { type: 'string', description: '"image", "file" or "commit"', enum: REVIEW_TARGET_KINDS },
    digest: {
      type: 'string',
      description: 'sha256:<64 hex> of an image or a file, gitCommit:<40 or 64 hex> of a commit, in lower case',
      pattern: TARGET_DIGEST_PATTERN,
    },
  },
} as const satisfies RecordSchema;

const reviewedPlatformsSchema = {
  type: 'array',
  description: `manifests of the index that were reviewed too, at most ${MOST_PLATFORMS}`,
  maxItems: MOST_PLATFORMS,
  items: {
    type: 'object',
    description: 'a manifest of the index, and what it runs on',
    required: ['digest', 'platform'],
    properties: {
      digest: { type: 'string', description: 'sha256:<64 lower-case hex digits>', pattern: SHA256_PATTERN },
      platform: {
        type: 'string',
        description: '<os>/<architecture>, and /<variant> where there is one',
        pattern: PLATFORM_PATTERN,
      },
    },
  },
} as const satisfies RecordSchema;

/** The members that say what a review is about, of whatever else a predicate holds. */
export const reviewAboutSchema = {
  type: 'object',
  description: 'an agent-review predicate',
  properties: { target: reviewTargetSchema, platforms: reviewedPlatformsSchema },
} as const satisfies RecordSchema;

/**
 * The predicate of an agent-review attestation (contract §2.4), once: AgentReview is its type, and it is published as
 * docs/json/agent-review.v1.json. Members that it does not name are allowed.
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
    target: reviewTargetSchema,
    platforms: reviewedPlatformsSchema,
  },
} as const satisfies RecordSchema;

/** The same with what contract §5.3 asks to the letter: both fields are there and not blank, whatever they say. */
export const agentReviewSpecSchema = {
  ...agentReviewSchema,
  properties: { ...agentReviewSchema.properties, human_reviewer: text, review_timestamp: text },
} as const satisfies RecordSchema;
