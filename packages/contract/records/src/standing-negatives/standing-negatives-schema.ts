import { SHA256_PATTERN } from '@colophon/notation';
import { reviewTargetSchema } from '../agent-review/agent-review-schema.ts';
import { COMMIT_ID_PATTERN } from '../commit-id/commit-id.ts';
import { emailAddress, integer, type RecordSchema, text, timestamp } from '../record-schema/record-schema.ts';
import { bundleId, withdrawalReason } from '../review-withdrawal/review-withdrawal-schema.ts';

/** Pages that one list may have. */
export const MOST_NEGATIVES_PAGES = 1_024;
/** Bytes of one page. */
export const MAX_NEGATIVES_PAGE_BYTES = 512 * 1024;
/** Bytes of all pages of a list: in base64 they leave room in an evidence pack. */
export const MAX_STANDING_NEGATIVES_BYTES = 32 * 1024 * 1024;
/** Images, and commits, that one rejection may name. */
export const MOST_REJECTED_DIGESTS = 1_000;
/** A list that is handed out is at most so old: then a store signs anew. */
export const LIST_RENEWAL_SECONDS = 300;

const name = (description: string) => ({ ...text, description, maxLength: 2048 }) as const;
const digest = { type: 'string', description: 'sha256:<64 lower-case hex digits>', pattern: SHA256_PATTERN } as const;

const certified = {
  type: 'boolean',
  description: 'true where a review service signed, and its certificate itself names the person',
} as const;

const signed = {
  id: bundleId,
  subject: name('the certificate identity that signed it'),
  issuer: name('the certificate OIDC issuer'),
  time: timestamp,
} as const;

/**
 * What an evidence store signs: the digests of the pages that together are the list of rejections that stand; published as
 * docs/json/standing-negatives.v2.json. Members that it does not name are allowed.
 */
export const standingNegativesSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'standing-negatives predicate, version 2',
  type: 'object',
  description: 'a standing-negatives predicate',
  required: ['sequence', 'time', 'pages'],
  properties: {
    sequence: { ...integer, description: 'an integer, 1 or more; larger in every later list', minimum: 1 },
    time: timestamp,
    pages: {
      type: 'array',
      description: `every page of the list, at most ${MOST_NEGATIVES_PAGES}`,
      maxItems: MOST_NEGATIVES_PAGES,
      items: {
        type: 'object',
        description: 'a page',
        required: ['digest', 'size'],
        properties: {
          digest,
          size: {
            ...integer,
            description: `its bytes, at most ${MAX_NEGATIVES_PAGE_BYTES}`,
            minimum: 1,
            maximum: MAX_NEGATIVES_PAGE_BYTES,
          },
        },
      },
    },
  },
} as const satisfies RecordSchema;

/**
 * A page of the list: rejections that stand, withdrawals of rejections, and the identities of whose rejections not all are
 * in the list; published as docs/json/standing-negatives-page.v2.json. Members that it does not name are
 * allowed.
 */
export const negativesPageSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'page of standing negatives, version 2',
  type: 'object',
  description: 'a page of standing negatives',
  required: ['rejections', 'withdrawals', 'overflows'],
  properties: {
    rejections: {
      type: 'array',
      description: 'rejections that stand',
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
            items: digest,
          },
          target: { ...reviewTargetSchema, description: 'what was rejected, where the rejection says it' },
          certified,
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
      description: 'withdrawals of them',
      items: {
        type: 'object',
        description: 'a withdrawal',
        required: ['id', 'rejection', 'subject', 'issuer', 'time', 'reason'],
        properties: { ...signed, rejection: bundleId, reason: withdrawalReason },
      },
    },
    overflows: {
      type: 'array',
      description: 'identities with more rejections than the list holds of them',
      items: {
        type: 'object',
        description: 'an identity',
        required: ['person', 'issuer', 'subject', 'overflow'],
        properties: {
          person: { ...emailAddress, description: 'the certified address of the person' },
          issuer: signed.issuer,
          subject: { ...signed.subject, description: 'the certificate identity that signed them' },
          overflow: { type: 'boolean', description: 'true: not all of their rejections are in the list' },
          certified,
        },
      },
    },
  },
} as const satisfies RecordSchema;
