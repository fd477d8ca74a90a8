import { claimsAgree, runContradictions, type SourcedClaim } from '@colophon/records';
import { type FoundSignature, kindOf, objectIn, predicateOf } from './explained-documents.ts';
import { type StatedFact, statedFacts } from './explained-facts.ts';
import type { Contradiction, ExplainedReview } from './explanation-result.ts';

/** Claims of which an artifact has one value, whoever states it. */
const OF_ARTIFACT: readonly SourcedClaim[] = ['repo', 'commit_sha'];
/** Claims of which one agent has one value for one commit. */
const OF_AGENT: readonly SourcedClaim[] = [
  'agent_version',
  'model_id',
  'model_provider',
  'prompt_hash',
  'policy_pack_hash',
];

type Word = Contradiction['said'][number];

/**
 * What cannot all be true: of each run against the certificate of its signer, and of the documents about one artifact
 * against each other. Two agents may differ in everything but repository and commit; one agent may not differ from itself.
 * @param signatures those that name the subject
 * @param reviews of the subject, or of its commits
 */
export function contradictionsIn(
  signatures: readonly FoundSignature[],
  reviews: readonly ExplainedReview[],
): readonly Contradiction[] {
  return [
    ...signatures.flatMap(ofRun),
    ...betweenDocuments(signatures, reviews),
    ...signatures.flatMap((run) => reviews.flatMap((review) => betweenRunAndReview(run, review))),
  ];
}

function ofRun(signature: FoundSignature): Contradiction[] {
  const { statement, certificate_identity: identity, log_entry } = signature;
  if (statement === undefined || kindOf(signature) !== 'agent-run') return [];
  const { log_index } = log_entry;
  return runContradictions(statement, identity).map(({ field, stated, expected = 'no agent' }) => ({
    field,
    between: 'run-and-certificate',
    said: [
      { value: stated, by: 'agent-run', log_index },
      { value: expected, by: `certificate of ${identity.subject}`, log_index },
    ],
  }));
}

function betweenDocuments(signatures: readonly FoundSignature[], reviews: readonly ExplainedReview[]): Contradiction[] {
  const facts = statedFacts(signatures);
  const found: Contradiction[] = [];
  for (const field of OF_ARTIFACT) {
    const commits = field === 'commit_sha' ? reviews.flatMap(commitWord) : [];
    found.push(...differing(field, [...facts.filter((one) => one.field === field).map(wordOf), ...commits]));
  }
  const byAgent = Map.groupBy(facts, ({ by }) =>
    JSON.stringify([by.certificate_identity.issuer, by.certificate_identity.subject]),
  );
  for (const own of byAgent.values()) {
    for (const field of OF_AGENT) found.push(...differing(field, own.filter((one) => one.field === field).map(wordOf)));
  }
  return found;
}

/** What one review and one run of the same commit say of the same reviewer. */
function betweenRunAndReview(run: FoundSignature, review: ExplainedReview): Contradiction[] {
  if (kindOf(run) !== 'agent-run' || review.standing !== 'confirmed') return [];
  const stated = objectIn(predicateOf(run.statement)['human_review']);
  if (review.reviewer === undefined || stated['reviewer'] !== review.reviewer) return [];
  const said = (value: unknown, other: unknown) => [
    {
      value: String(value),
      by: `agent-run of ${run.certificate_identity.subject}`,
      log_index: run.log_entry.log_index,
    },
    { value: String(other), by: `review of ${review.signer}`, log_index: review.log_index },
  ];
  const found: Contradiction[] = [];
  const { review_duration_seconds: duration, approved } = stated;
  if (typeof duration === 'number' && review.duration_seconds !== undefined && duration !== review.duration_seconds) {
    found.push({
      field: 'review_duration_seconds',
      between: 'documents',
      said: said(`${duration} s`, `${review.duration_seconds} s`),
    });
  }
  const isApproval = review.decision === 'approved';
  if (typeof approved === 'boolean' && review.decision !== 'none' && approved !== isApproval) {
    found.push({
      field: 'decision',
      between: 'documents',
      said: said(approved ? 'approved' : 'not approved', review.decision),
    });
  }
  return found;
}

function commitWord({ commit_sha: value, signer, log_index }: ExplainedReview): Word[] {
  return value === undefined ? [] : [{ value, by: `review of ${signer}`, log_index }];
}

function wordOf({ value, by, log_index }: StatedFact): Word {
  return { value, by: `${kindOf(by)} of ${by.certificate_identity.subject}`, log_index };
}

/** One contradiction with each value once, where there are several. */
function differing(field: SourcedClaim, words: readonly Word[]): Contradiction[] {
  const distinct: Word[] = [];
  for (const word of words) {
    if (!distinct.some(({ value }) => claimsAgree(field, value, word.value))) distinct.push(word);
  }
  return distinct.length < 2 ? [] : [{ field, between: 'documents', said: distinct }];
}
