import type { ParseResult } from '@colophon/json';
import { parseAgentReview } from '../agent-review/agent-review.ts';
import { parseAgentRun } from '../agent-run/agent-run.ts';
import {
  agentReviewType,
  agentRunType,
  reviewWithdrawalType,
  standingNegativesType,
  typesUnder,
} from '../predicate-type/predicate-type.ts';
import { parseReviewWithdrawal } from '../review-withdrawal/review-withdrawal.ts';
import { parseStandingNegatives } from '../standing-negatives/standing-negatives.ts';

/** The predicates that we define, by the short names of their types: what the type is under a base, and how it is read. */
export const OWN_PREDICATES = {
  'agent-run': { typeOf: agentRunType, parse: parseAgentRun },
  'agent-review': { typeOf: agentReviewType, parse: (predicate: unknown) => parseAgentReview(predicate) },
  'review-withdrawal': { typeOf: reviewWithdrawalType, parse: parseReviewWithdrawal },
  'standing-negatives': { typeOf: standingNegativesType, parse: parseStandingNegatives },
} as const;

/** A parser for each predicate type that counts as one of ours; no other members, whatever a type is called. */
export type PredicateParsers = Readonly<Record<string, (predicate: unknown) => ParseResult<unknown>>>;

/** What a statement of one of our types must hold, under `predicateBase` and under the placeholder. */
export function predicateParsers(predicateBase: string): PredicateParsers {
  const parsers = Object.values(OWN_PREDICATES).flatMap(({ typeOf, parse }) =>
    typesUnder(predicateBase, typeOf).map((type) => [type, parse] as const),
  );
  return Object.assign(Object.create(null), Object.fromEntries(parsers));
}
