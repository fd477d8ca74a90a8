import { aboutForNo, isNegativeStatement, isReviewType } from '@colophon/admission';
import type { Issue } from '@colophon/json';
import { isTimestamp, parseInstant } from '@colophon/notation';
import {
  type AgentReview,
  type AgentRun,
  agentReviewType,
  agentRunType,
  type CertificateIdentity,
  isAgentRunType,
  isReviewersOwn,
  isSubstituted,
  type PeopleIssuers,
  parseAgentReview,
  parseAgentRun,
  parseCommitId,
  reviewerOf,
  runContradictions,
  SOURCED_CLAIMS,
  type Statement,
  typesUnder,
  type VerifiedSignature,
} from '@colophon/records';
import type { EvidenceKind, NewEvidence, ReviewColumns, RunColumns } from '@colophon/store';
import { EvidenceError } from '../evidence-error/evidence-error.ts';

/** What the store keeps of a verified signature, beside the bundle itself. */
export type EvidenceColumns = Omit<NewEvidence, 'bundle' | 'bundle_sha256' | 'imported_at'>;

/** Largest predicate of an agent-run or agent-review statement that is taken, in bytes of its JSON. */
export const MAX_PREDICATE_BYTES = 256 * 1024;

/**
 * Lays out a verified signature for the store. A statement of our own types must have the predicate that its type
 * promises; a review is read by contract §5.3's letter, since admission is where strictness is decided, and is a claim where
 * somebody else than its reviewer signed it. A run of any base says nothing that its certificate denies, so that
 * nothing is found under a name that is not its own.
 * @param peopleIssuers as reviewerOf takes it
 * @throws EvidenceError `evidence.too_large`, `evidence.statement_malformed`, `evidence.contradicts_certificate`,
 * `evidence.reviewer_unknown`
 */
export function layOutEvidence(
  verified: VerifiedSignature,
  predicateBase: string,
  peopleIssuers?: PeopleIssuers,
): EvidenceColumns {
  const { certificate_identity: identity, statement, log_entry: log, artifact_digest } = verified;
  const integratedAt = milliseconds(log.integrated_at);
  if (integratedAt === undefined) throw malformed('The log gives no time for the signature.');
  const type = statement?.predicateType;
  const isOf = (typeOf: typeof agentRunType) => type !== undefined && typesUnder(predicateBase, typeOf).includes(type);
  const [isRun, isReview] = [isOf(agentRunType), isOf(agentReviewType)];
  if (isRun || isReview) refuseLargePredicate(statement?.predicate);
  const run = isRun ? runColumns(statement?.predicate) : undefined;
  if (statement !== undefined && isAgentRunType(statement.predicateType)) refuseContradiction(statement, identity);
  const review = isReview ? reviewColumns(statement?.predicate) : undefined;
  const stated = [run?.commit_sha, review?.commit_sha, ...gitCommitsOf(statement), ...commitsOfNo(statement)];
  return {
    kind: kindOf(verified, { run, review }, peopleIssuers),
    ...(type === undefined ? {} : { predicate_type: type }),
    issuer: identity.issuer,
    subject: identity.subject,
    ...(identity.trigger === undefined ? {} : { trigger: identity.trigger }),
    ...(identity.jti === undefined ? {} : { jti: identity.jti }),
    log_id: log.log_id,
    log_index: log.log_index,
    integrated_at: integratedAt,
    identity: JSON.stringify(identity),
    ...(statement === undefined ? {} : { statement: JSON.stringify(statement) }),
    ...(run === undefined ? {} : { run }),
    ...(review === undefined ? {} : { review }),
    claims: claimsOf(identity),
    artifacts: artifactsOf(statement, artifact_digest),
    commits: [
      ...new Set(stated.filter((commit) => commit !== undefined && parseCommitId(commit) !== undefined)),
    ] as string[],
  };
}

function kindOf(
  { certificate_identity: identity, statement }: VerifiedSignature,
  { run, review }: { readonly run: RunColumns | undefined; readonly review: ReviewColumns | undefined },
  peopleIssuers: PeopleIssuers | undefined,
): EvidenceKind {
  if (run !== undefined) return 'run';
  if (review !== undefined) {
    refuseUnknownReviewer(identity, peopleIssuers);
    return isReviewersOwn(identity, statement, peopleIssuers) ? 'review' : 'review-claim';
  }
  return statement === undefined ? 'signature' : 'attestation';
}

/** Whoever signs by an address expects to be taken for its owner: kept as a claim, a rejection would stop nobody unseen. */
function refuseUnknownReviewer(identity: CertificateIdentity, peopleIssuers: PeopleIssuers | undefined): void {
  if (identity.subject_type !== 'email' || reviewerOf(identity, undefined, peopleIssuers) !== undefined) return;
  const message = `The store does not take ${identity.subject} of ${identity.issuer} for a person.`;
  throw new EvidenceError('evidence.reviewer_unknown', message);
}

function refuseLargePredicate(predicate: unknown): void {
  if (predicate === undefined || Buffer.byteLength(JSON.stringify(predicate)) <= MAX_PREDICATE_BYTES) return;
  const message = `The predicate of an agent run or a review is at most ${MAX_PREDICATE_BYTES} bytes long.`;
  throw new EvidenceError('evidence.too_large', message);
}

function runColumns(predicate: unknown): RunColumns {
  const { agent, model, input, policy, human_review, git, witness } = read<AgentRun>(parseAgentRun(predicate));
  return {
    agent_name: agent.name,
    agent_version: agent.version,
    model_id: model.id,
    model_provider: model.provider,
    ...optional('model_temperature', model.temperature),
    ...optional('model_max_tokens', model.max_tokens),
    prompt_hash: input.prompt_hash,
    ...optional('context_token_count', input.context_token_count),
    pack_hash: policy.pack_hash,
    ...optional('rules_evaluated', policy.rules_evaluated),
    ...optional('rules_violated', policy.rules_violated),
    ...optional('reviewer', human_review?.reviewer),
    ...optional('reviewed_at', milliseconds(human_review?.reviewed_at)),
    ...optional('review_duration_seconds', human_review?.review_duration_seconds),
    ...optional('approved', human_review?.approved),
    commit_sha: git.commit_sha,
    ...optional('lines_added', git.lines_added),
    ...optional('lines_removed', git.lines_removed),
    ...optional('model_requested', model.requested),
    ...optional(
      'model_substituted',
      model.requested === undefined ? undefined : isSubstituted(model.requested, model.id),
    ),
    ...optional('receipt_hash', witness?.receipt_hash),
  };
}

function refuseContradiction(statement: Statement, identity: CertificateIdentity): void {
  const code = 'evidence.contradicts_certificate';
  const issues = runContradictions(statement, identity).map(({ field, expected = 'the certificate of an agent' }) => ({
    path: `/${field.replaceAll('.', '/')}`,
    code,
    message: 'The certificate does not have this value.',
    expected,
  }));
  if (issues.length === 0) return;
  throw new EvidenceError(code, "The agent run differs from the signer's certificate.", { issues });
}

function reviewColumns(predicate: unknown): ReviewColumns {
  const review = read<AgentReview>(parseAgentReview(predicate, 'spec'));
  return {
    human_reviewer: review.human_reviewer,
    ...optional('review_timestamp', milliseconds(review.review_timestamp)),
    ...optional('decision', review.decision),
    ...optional('repo', review.repo),
    ...optional('commit_sha', review.commit_sha),
    ...optional('review_duration_seconds', review.review_duration_seconds),
  };
}

function read<T>(parsed: { ok: true; value: T } | { ok: false; issues: readonly Issue[] }): T {
  if (parsed.ok) return parsed.value;
  throw malformed('The statement does not hold what its type promises.', parsed.issues);
}

function malformed(message: string, issues: readonly Issue[] = []): EvidenceError {
  return new EvidenceError('evidence.statement_malformed', message, { issues });
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [key in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [key in Key]?: Value };
}

function milliseconds(time: string | undefined): number | undefined {
  return time !== undefined && isTimestamp(time) ? parseInstant(time) : undefined;
}

function claimsOf({ claims, sources }: CertificateIdentity): NewEvidence['claims'] {
  return SOURCED_CLAIMS.filter((claim) => claims[claim] !== undefined || sources[claim] !== undefined).map((claim) => ({
    claim,
    ...optional('value', claims[claim]),
    ...optional('source', sources[claim]),
  }));
}

function artifactsOf(statement: Statement | undefined, artifactDigest: string | undefined): NewEvidence['artifacts'] {
  if (statement === undefined)
    return artifactDigest === undefined ? [] : [{ sha256: artifactDigest.slice('sha256:'.length) }];
  const named = new Map<string, string | undefined>();
  for (const { name, digest } of statement.subject) {
    const sha256 = digest['sha256'];
    if (sha256 !== undefined) named.set(sha256, named.get(sha256) ?? name);
  }
  return [...named].map(([sha256, name]) => ({ sha256, ...optional('name', name) }));
}

/** Wherever a no names a commit, it is found by it. */
function commitsOfNo(statement: Statement | undefined): readonly string[] {
  return statement !== undefined && isNegativeStatement(statement) ? aboutForNo(statement).commits : [];
}

/** A review may name its commit as `sha1` too, as older tools do; elsewhere that is the digest of a file. */
function gitCommitsOf(statement: Statement | undefined): string[] {
  const algorithms = isReviewType(statement?.predicateType ?? '') ? ['gitCommit', 'sha1'] : ['gitCommit'];
  return (statement?.subject ?? []).flatMap(({ digest }) => algorithms.flatMap((one) => digest[one] ?? []));
}
