import { SHA256_HEX_PATTERN } from '@colophon/notation';
import { type RecordSchema, text, timestamp } from '../record-schema/record-schema.ts';

/** The name of a rejection: SHA-256 of its bundle, as the evidence store keeps it. */
export const bundleId = {
  type: 'string',
  description: 'SHA-256 of a bundle, 64 lower-case hex digits',
  pattern: SHA256_HEX_PATTERN,
} as const satisfies RecordSchema;

/** Why a rejection is taken back; it stands in a log that everybody may read. */
export const withdrawalReason = {
  ...text,
  description: 'a reason, at most 1,000 characters',
  maxLength: 1000,
} as const satisfies RecordSchema;

/**
 * The predicate by which somebody takes a rejection back; published as docs/json/review-withdrawal.v1.json.
 * Members that it does not name are allowed.
 */
export const reviewWithdrawalSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'review-withdrawal predicate, version 1',
  type: 'object',
  description: 'a review-withdrawal predicate',
  required: ['rejection', 'reason', 'withdrawn_at'],
  properties: { rejection: bundleId, reason: withdrawalReason, withdrawn_at: timestamp },
} as const satisfies RecordSchema;
