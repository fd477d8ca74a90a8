import { canonicalJson, type JsonValue, type ParseResult } from '@colophon/json';
import type { XStatic } from 'typebox/schema';
import { digestOf } from '../digest/digest.ts';
import { standingNegativesType } from '../predicate-type/predicate-type.ts';
import { checkRecord } from '../record-schema/record-check.ts';
import { createStatement } from '../statement/create-statement.ts';
import type { Statement } from '../statement/statement.ts';
import { standingNegativesSchema } from './standing-negatives-schema.ts';

const SOURCE = 'docs/admission.md#how-the-list-is-made';

/** The predicate of the list: every rejection that stands, and every withdrawal of one of them. */
export type StandingNegatives = XStatic<typeof standingNegativesSchema>;

/** A verified rejection; `images` and `commits` are all that it names. */
export type StandingRejection = StandingNegatives['rejections'][number];

/** A verified withdrawal; whether its signer may withdraw is for a policy to say. */
export type StandingWithdrawal = StandingNegatives['withdrawals'][number];

/**
 * Reads the predicate of a standing-negatives statement. Who signed it, how old it is and whether its sequence went
 * back is for its reader to judge.
 *
 * @returns the predicate as it is, or every issue at once (up to 100), with codes `standing_negatives.*`.
 */
export function parseStandingNegatives(value: unknown): ParseResult<StandingNegatives> {
  const issues = checkRecord('standing_negatives', standingNegativesSchema, value, SOURCE);
  return issues.length === 0 ? { ok: true, value: value as StandingNegatives } : { ok: false, issues };
}

/**
 * The Statement v1 of the list. Its one subject is the list itself: SHA-256 of the predicate's canonical JSON.
 *
 * @throws TypeError where it would not be read back, with the path and code of every issue.
 */
export function createStandingNegativesStatement(
  predicate: StandingNegatives,
  predicateBase?: string,
): Statement<StandingNegatives> {
  const parsed = parseStandingNegatives(predicate);
  const issues = parsed.ok ? [] : parsed.issues;
  const sha256 = digestOf(canonicalJson(predicate as unknown as JsonValue)).slice('sha256:'.length);
  const subjects = [{ name: 'standing-negatives', digest: { sha256 } }];
  return createStatement({ subjects, predicateType: standingNegativesType(predicateBase), predicate }, issues);
}
