import { canonicalJson, type JsonValue, type ParseResult } from '@colophon/json';
import type { XStatic } from 'typebox/schema';
import { digestOf } from '../digest/digest.ts';
import { standingNegativesType } from '../predicate-type/predicate-type.ts';
import { checkRecord } from '../record-schema/record-check.ts';
import { createStatement } from '../statement/create-statement.ts';
import type { Statement } from '../statement/statement.ts';
import { standingNegativesSchema } from './standing-negatives-schema.ts';

/** Where it is documented. */
export const NEGATIVES_SOURCE = 'docs/admission.md#how-the-list-is-made';

/** The predicate of the list: the digests and sizes of its pages. What stands in them is {@link NegativesPage}. */
export type StandingNegatives = XStatic<typeof standingNegativesSchema>;

/**
 * Reads the predicate of a standing-negatives statement. Who signed it, how old it is and whether its sequence went
 * back is for its reader to judge.
 *
 * @returns the predicate as it is, or every issue at once (up to 100), with codes `standing_negatives.*`.
 */
export function parseStandingNegatives(value: unknown): ParseResult<StandingNegatives> {
  const issues = checkRecord('standing_negatives', standingNegativesSchema, value, NEGATIVES_SOURCE);
  return issues.length === 0 ? { ok: true, value: value as StandingNegatives } : { ok: false, issues };
}

/**
 * The Statement v1 of the list. Its one subject is the predicate itself, and so every page: SHA-256 of its canonical JSON.
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
