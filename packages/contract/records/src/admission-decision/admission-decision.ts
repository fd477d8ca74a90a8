import type { ParseResult } from '@colophon/json';
import type { XStatic } from 'typebox/schema';
import type { ReadOnly } from '../record-schema/read-only.ts';
import { checkRecord } from '../record-schema/record-check.ts';
import { admissionDecisionSchema } from './admission-decision-schema.ts';

const SOURCE = 'docs/query.md#decisions';

/**
 * What an admission webhook decided about one request: a line of its log. It is the webhook's own word, and signed by
 * nobody. Times are RFC 3339 in UTC; `image` and the members of `object` are text from outside.
 */
export type AdmissionDecisionRecord = ReadOnly<XStatic<typeof admissionDecisionSchema>>;

/** One image of a decision. */
export type DecidedImage = AdmissionDecisionRecord['images'][number];

/**
 * Reads the record of an admission decision.
 *
 * @returns the record as it is, or every issue at once (up to 100), with codes `admission_decision.*`.
 */
export function parseAdmissionDecision(value: unknown): ParseResult<AdmissionDecisionRecord> {
  const issues = checkRecord('admission_decision', admissionDecisionSchema, value, SOURCE);
  return issues.length === 0 ? { ok: true, value: value as AdmissionDecisionRecord } : { ok: false, issues };
}
