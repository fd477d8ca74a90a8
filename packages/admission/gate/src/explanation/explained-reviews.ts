import type { JsonObject } from '@colophon/json';
import { basisOf, basisOfStated, isAgentIdentity, isConfirmed, type PeopleIssuers } from '@colophon/records';
import { type FoundSignature, isOwnReview, kindOf, objectIn, predicateOf } from './explained-documents.ts';
import type { ClaimedReview, ExplainedReview, ExplainedSignature } from './explanation-result.ts';

/** A signed review as it is shown; undefined for everything else. */
export function explainedReview(
  signature: FoundSignature,
  about: ExplainedSignature['about'],
  peopleIssuers?: PeopleIssuers,
): ExplainedReview | undefined {
  if (kindOf(signature) !== 'review') return undefined;
  const predicate = predicateOf(signature.statement);
  const { certificate_identity: identity, log_entry } = signature;
  return {
    decision: textOf(predicate, 'decision') ?? 'none',
    standing: isOwnReview(signature, peopleIssuers) ? 'confirmed' : 'claimed',
    signer: identity.subject,
    issuer: identity.issuer,
    about,
    log_index: log_entry.log_index,
    ...optional('root', identity.root),
    ...optional('reviewer', textOf(predicate, 'human_reviewer')),
    ...optional('reviewed_at', textOf(predicate, 'review_timestamp')),
    ...optional('duration_seconds', numberOf(predicate, 'review_duration_seconds')),
    ...optional('commit_sha', textOf(predicate, 'commit_sha')),
    ...optional('comment', textOf(predicate, 'comment')),
  };
}

/** The review of which an agent's run, or else its certificate, speaks; undefined where it speaks of none. */
export function claimedReview(signature: FoundSignature): ClaimedReview | undefined {
  const { certificate_identity: identity, statement, log_entry } = signature;
  const isRun = kindOf(signature) === 'agent-run';
  if (!isRun && !isAgentIdentity(identity)) return undefined;
  const stated = isRun ? objectIn(predicateOf(statement)['human_review']) : {};
  const named = textOf(stated, 'reviewer');
  const claimed = basisOf(identity, 'human_reviewer') && identity.claims.human_reviewer;
  const reviewer = named ?? claimed;
  const approved = stated['approved'];
  if (reviewer === undefined && approved === undefined) return undefined;
  const basis =
    reviewer === undefined ? ({ source: 'declared' } as const) : basisOfStated(identity, 'human_reviewer', reviewer);
  const reviewedAt =
    textOf(stated, 'reviewed_at') ?? (named === undefined ? identity.claims.review_timestamp : undefined);
  return {
    standing: isConfirmed(basis) ? 'confirmed' : 'claimed',
    source: basis.source,
    signer: identity.subject,
    issuer: identity.issuer,
    log_index: log_entry.log_index,
    ...optional('root', identity.root),
    ...optional('reviewer', reviewer),
    ...optional('reviewed_at', reviewedAt),
    ...optional('duration_seconds', numberOf(stated, 'review_duration_seconds')),
    ...(typeof approved === 'boolean' ? { approved } : {}),
  };
}

function textOf(object: JsonObject, name: string): string | undefined {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function numberOf(object: JsonObject, name: string): number | undefined {
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return typeof value === 'number' ? value : undefined;
}

function optional<N extends string, V>(name: N, value: V | undefined): { readonly [name in N]?: V } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [name in N]?: V };
}
