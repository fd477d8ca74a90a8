import { meaningOf } from '@colophon/admission/meaning';
import { isReviewType } from '@colophon/admission/review-type';
import { isJsonObject, type JsonValue } from '@colophon/json';
import { isAgentRunType, type Statement, valueOfField } from '@colophon/records';
import { coloursFor, counted, oneLine, type Terminal } from '../terminal/terminal.ts';
import type { VerifiedResult } from './verified-result.ts';

/**
 * One sentence about one artifact: who signed it, and what the signatures say, each value with what it rests on. A
 * review that is against the artifact verifies too, so it stands out.
 * @param records at least one
 * @param terminal whose standard output it goes to; without one it has no colours
 */
export function verifiedSentence(records: readonly VerifiedResult[], terminal?: Terminal): string {
  const colours = terminal === undefined ? undefined : coloursFor(terminal, terminal.stdout);
  const told = (partOf: (record: VerifiedResult) => string | undefined) => [
    ...new Set(records.map(partOf).filter((value) => value !== undefined)),
  ];
  const models = told((record) => basedValue(record, 'model.id', 'claims.model_id'));
  const reviews = told((record) => {
    const review = reviewPart(record);
    return review?.isAgainst && colours ? colours.red(review.text) : review?.text;
  });
  const indexes = records.flatMap(({ log_entry: log }) => log?.log_index ?? []).sort((a, b) => a - b);
  const parts = [
    `verified ${word(records[0]!.artifact)}: ${whatOf(records)} by ${told(signerOf).join(' and ')}`,
    ...(models.length === 0 ? [] : [`model ${models.join(' and ')}`]),
    ...(reviews.length === 0 ? [] : [reviews.join(' and ')]),
    ...(indexes.length === 0 ? [] : [`log index ${indexes.join(', ')}`]),
  ];
  return `${parts.join(', ')}\n`;
}

function signerOf({ certificate_identity: identity }: VerifiedResult): string {
  if (identity === undefined) return 'the key';
  const root = identity.root === undefined ? '' : `, root ${word(identity.root)}`;
  return `${word(identity.subject)} (issuer ${word(identity.issuer)}${root})`;
}

/** `signed`, `2 signatures`, `review signed`, `2 reviews signed`, `agent run and review signed`. */
function whatOf(records: readonly VerifiedResult[]): string {
  const counts = new Map<string, number>();
  for (const { statement } of records) {
    const kind = statement === undefined ? '' : kindOf(statement);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const bare = counts.get('') ?? 0;
  if (bare === records.length) return bare === 1 ? 'signed' : counted(bare, 'signature');
  const named = [...counts].map(([kind, number]) => {
    if (kind === '') return counted(number, 'signature');
    if (number === 1) return kind;
    return kind.startsWith('statement ') ? `${number} of ${kind}` : counted(number, kind);
  });
  return `${named.join(' and ')} signed`;
}

function kindOf({ predicateType }: Statement): string {
  if (isReviewType(predicateType)) return 'review';
  return isAgentRunType(predicateType) ? 'agent run' : `statement ${word(predicateType)}`;
}

type ReviewPart = { readonly text: string; readonly isAgainst: boolean };

/** What a reviewer decided, or what a run or its certificate says of a review. */
function reviewPart(record: VerifiedResult): ReviewPart | undefined {
  const { statement, basis } = record;
  if (statement !== undefined && isReviewType(statement.predicateType)) {
    const decision = memberOf(statement.predicate, 'decision') ?? 'none';
    const by = basedValue(record, 'human_reviewer');
    const decided = decision === 'approved' || decision === 'rejected' ? decision : `decision ${word(decision)}`;
    return { text: `${decided}${by === undefined ? '' : ` by ${by}`}`, isAgainst: decision !== 'approved' };
  }
  const isRun = statement !== undefined && isAgentRunType(statement.predicateType);
  if (statement !== undefined && !isRun && meaningOf(statement) === 'negative')
    return { text: 'negative', isAgainst: true };
  const approved = isRun ? memberOf(memberOf(statement.predicate, 'human_review'), 'approved') : undefined;
  const isAgainst = approved !== undefined && approved !== true;
  // A reviewer's own certificate names its signer; that is no review.
  const isSigner = statement === undefined && basis['claims.human_reviewer']?.source === 'review';
  const by = isSigner ? undefined : basedValue(record, 'human_review.reviewer', 'claims.human_reviewer');
  if (by === undefined && !isAgainst) return undefined;
  return { text: `${isAgainst ? 'not approved' : 'reviewed'}${by ? ` by ${by}` : ''}`, isAgainst };
}

/** The first of these fields that rests on something, with what it rests on: `alice@example.com (declared)`. */
function basedValue(
  { certificate_identity: identity, statement, basis }: VerifiedResult,
  ...fields: readonly string[]
) {
  for (const field of fields) {
    const value = valueOfField({ identity, statement }, field);
    const source = Object.hasOwn(basis, field) ? basis[field]?.source : undefined;
    if (value !== undefined && source !== undefined) return `${word(value)} (${source})`;
  }
  return undefined;
}

/** A value in quotes where it could be taken for more of the sentence than itself. */
function word(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /^[\w./:@+~#%=-]+$/.test(text) ? text : oneLine(JSON.stringify(text));
}

function memberOf(of: unknown, name: string): JsonValue | undefined {
  const value = of as JsonValue | undefined;
  const member = value !== undefined && isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return member ?? undefined;
}
