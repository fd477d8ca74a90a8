import { SHA256_PATTERN } from '@colophon/notation';
import { reviewTargetSchema } from '../agent-review/agent-review-schema.ts';
import { COMMIT_ID_PATTERN } from '../commit-id/commit-id.ts';
import { emailAddress, integer, type RecordSchema, text, timestamp } from '../record-schema/record-schema.ts';
import { bundleId, withdrawalReason } from '../review-withdrawal/review-withdrawal-schema.ts';

/** Rejections, and withdrawals, that one list may hold. A list is whole: one that would be longer is not made. */
export const MOST_STANDING_NEGATIVES = 10_000;
/** Bytes of the canonical JSON of both lists together. A bundle with so large a list is shorter than 6 MiB. */
export const MAX_STANDING_NEGATIVES_BYTES = 4 * 1024 * 1024;
/** Images, and commits, that one rejection may name. */
export const MOST_REJECTED_DIGESTS = 1_000;
/** A list that is handed out is at most so old: then a store signs anew. */
export const LIST_RENEWAL_SECONDS = 300;

const name = (description: string) => ({ ...text, description, maxLength: 2048 }) as const;

const signed = {
  id: bundleId,
  subject: name('the certificate identity that signed it'),
  issuer: name('the certificate OIDC issuer'),
  time: timestamp,
} as const;

/**
 * The list of rejections that stand, and of the withdrawals of them; published as
 * packages/records/schema/standing-negatives.v1.json. Members that it does not name are allowed.
 */
export const standingNegativesSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'standing-negatives predicate, version 1',
  type: 'object',
  description: 'a standing-negatives predicate',
  required: ['sequence', 'time', 'rejections', 'withdrawals'],
  properties: {
    sequence: { ...integer, description: 'an integer, 1 or more; larger in every later list', minimum: 1 },
    time: timestamp,
    rejections: {
      type: 'array',
      description: `rejections that stand, at most ${MOST_STANDING_NEGATIVES}`,
      maxItems: MOST_STANDING_NEGATIVES,
      items: {
        type: 'object',
        description: 'a rejection',
        required: ['id', 'content', 'person', 'issuer', 'subject', 'time', 'images', 'commits'],
        properties: {
          ...signed,
          content: {
            ...bundleId,
            description: 'who says what, the same for every copy of the rejection: 64 lower-case hex digits',
          },
          person: { ...emailAddress, description: 'the certified address of the person who rejected' },
          images: {
            type: 'array',
            description: `digests of what was rejected: image, index, children; at most ${MOST_REJECTED_DIGESTS}`,
            maxItems: MOST_REJECTED_DIGESTS,
            items: { type: 'string', description: 'sha256:<64 lower-case hex digits>', pattern: SHA256_PATTERN },
          },
          target: { ...reviewTargetSchema, description: 'what was rejected, where the rejection says it' },
          commits: {
            type: 'array',
            description: `commits that were rejected, at most ${MOST_REJECTED_DIGESTS}`,
            maxItems: MOST_REJECTED_DIGESTS,
            items: {
              type: 'string',
              description: 'a full git commit id, 40 or 64 lower-case hex digits',
              pattern: COMMIT_ID_PATTERN,
            },
          },
        },
      },
    },
    withdrawals: {
      type: 'array',
      description: `withdrawals of them, at most ${MOST_STANDING_NEGATIVES}`,
      maxItems: MOST_STANDING_NEGATIVES,
      items: {
        type: 'object',
        description: 'a withdrawal',
        required: ['id', 'rejection', 'subject', 'issuer', 'time', 'reason'],
        properties: { ...signed, rejection: bundleId, reason: withdrawalReason },
      },
    },
  },
} as const satisfies RecordSchema;
