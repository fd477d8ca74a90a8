import {
  basisOf,
  basisOfStated,
  type CertificateIdentity,
  claimOfRunField,
  claimsAgree,
  isAgentIdentity,
  isConfirmed,
  isReviewersOwn,
  type PeopleIssuers,
  runContradictions,
  SOURCED_CLAIMS,
  type SourcedClaim,
  type Statement,
  type VerifiedSignature,
} from '@colophon/records';
import { timestampSeconds } from '../decision/timestamp-seconds.ts';
import { isRunType } from '../meaning/meaning.ts';
import { isReviewType } from '../review-type/review-type.ts';

/** What two values are held against: which of them make a contradiction, and which a difference. */
export const DISAGREEMENT_KINDS = ['run-and-certificate', 'one-token', 'confirmed-sources', 'documents'] as const;

/** Several values of one thing, each with who says it. */
export type Disagreement = {
  /** The claim, or the member of a run. */
  readonly field: string;
  readonly between: (typeof DISAGREEMENT_KINDS)[number];
  readonly said: ReadonlyArray<{ readonly value: string; readonly by: string; readonly log_index: number }>;
};

/** What cannot all be true, and what only differs. */
export type Disagreements = {
  readonly contradictions: readonly Disagreement[];
  readonly differences: readonly Disagreement[];
};

/** Claims of which an artifact has one value, as far as confirmed sources tell. */
const OF_ARTIFACT = ['repo', 'repo_uri'] as const;
/** Claims of which one agent has one value for one commit, likewise; its own turns may differ. */
const OF_AGENT = ['agent_version', 'model_id', 'model_provider', 'prompt_hash', 'policy_pack_hash'] as const;
/** One token may be used for several reviews, each at its own time. */
const OF_TOKEN = SOURCED_CLAIMS.filter((claim) => claim !== 'review_timestamp');
/** What is shown where it differs. */
const SHOWN: readonly SourcedClaim[] = ['repo', 'commit_sha', ...OF_AGENT];

type Stated = VerifiedSignature & { readonly statement: Statement };
type Said = Disagreement['said'][number];
type Word = Said & { readonly claim: SourcedClaim; readonly of: VerifiedSignature; readonly source?: string };

/**
 * Where signed words disagree. A contradiction is two values of one claim for one token (issuer and `jti`), as of a run and
 * its certificate, or of two confirmed sources. All else is a difference: other commits, other turns of an agent, other
 * durations of a review.
 * @param signatures about one artifact, of those whose word counts
 * @param peopleIssuers by whose e-mail certificates people speak
 */
export function disagreementsIn(
  signatures: readonly VerifiedSignature[],
  peopleIssuers?: PeopleIssuers,
): Disagreements {
  const words = signatures.flatMap(wordsOf);
  const decisions = signatures.filter(isRun).flatMap((run) => decisionsBeside(run, signatures, peopleIssuers));
  const found = [
    ...signatures.flatMap(ofRun),
    ...ofTokens(words),
    ...ofConfirmedSources(words),
    ...decisions.filter(({ between }) => between === 'confirmed-sources'),
  ];
  const differences = [
    ...SHOWN.flatMap((claim) => {
      if (OF_AGENT.some((one) => one === claim)) return ofEachAgent(words, claim);
      return differing(
        claim,
        'documents',
        words.filter((one) => one.claim === claim),
      );
    }),
    ...decisions.filter(({ between }) => between === 'documents'),
    ...signatures.filter(isRun).flatMap((run) => durationsBeside(run, signatures, peopleIssuers)),
  ];
  return { contradictions: found, differences: differences.filter((one) => !found.some((other) => tells(other, one))) };
}

/** True where a contradiction has every value of a difference. */
function tells(contradiction: Disagreement, { field, said }: Disagreement): boolean {
  const claim = claimOf(contradiction.field);
  return claim === field && said.every(({ value }) => contradiction.said.some((one) => agree(claim, one.value, value)));
}

function claimOf(field: string): string {
  return claimOfRunField(`/${field.replaceAll('.', '/')}`) ?? field;
}

function agree(claim: string, one: string, other: string): boolean {
  return claimsAgree(claim as SourcedClaim, one, other);
}

function isRun(signature: VerifiedSignature): signature is Stated {
  return signature.statement !== undefined && isRunType(signature.statement.predicateType);
}

function isReview(signature: VerifiedSignature): signature is Stated {
  return signature.statement !== undefined && isReviewType(signature.statement.predicateType);
}

/** A run against the certificate of its signer. */
function ofRun(signature: VerifiedSignature): Disagreement[] {
  if (!isRun(signature)) return [];
  const { statement, certificate_identity: identity, log_entry } = signature;
  const { log_index } = log_entry;
  // A bare key certifies nothing: only subjects of its run can deny what that says.
  const found = runContradictions(statement, identity).filter(
    ({ field }) => identity.key === undefined || field.startsWith('subject.'),
  );
  return found.map(({ field, stated, expected = 'no agent' }) => ({
    field,
    between: 'run-and-certificate' as const,
    said: [
      { value: stated, by: 'agent-run', log_index },
      { value: expected, by: by('certificate', identity), log_index },
    ],
  }));
}

/** What a signature says of claims: its certificate, and a run or review beside it where the certificate does not deny it. */
function wordsOf(of: VerifiedSignature): Word[] {
  const { certificate_identity: identity, log_entry } = of;
  const { log_index } = log_entry;
  const word = (claim: SourcedClaim, value: string, kind: string, source: string | undefined): Word => ({
    ...{ claim, value, by: by(kind, identity), log_index, of },
    ...(source === undefined ? {} : { source }),
  });
  const kind = isRun(of) ? 'agent-run' : isReview(of) ? 'review' : 'signature';
  return SOURCED_CLAIMS.flatMap((claim) => {
    const basis = basisOf(identity, claim);
    const certified = identity.claims[claim];
    const own =
      basis === undefined || certified === undefined
        ? []
        : [word(claim, certified, kind, isConfirmed(basis) ? basis.source : undefined)];
    const stated = statedBy(of, claim);
    if (stated === undefined || (own.length > 0 && (isRun(of) || agree(claim, stated, own[0]!.value)))) return own;
    const said = basisOfStated(identity, claim, stated);
    return [...own, word(claim, stated, kind, isConfirmed(said) ? said.source : undefined)];
  });
}

/** What the predicate of a run or a review says of a claim. */
function statedBy(signature: VerifiedSignature, claim: SourcedClaim): string | undefined {
  if (isReview(signature)) return textOf(signature.statement.predicate, claim);
  if (!isRun(signature)) return undefined;
  for (const [outer, members] of Object.entries(objectIn(signature.statement.predicate))) {
    for (const inner of Object.keys(objectIn(members))) {
      if (claimOfRunField(`/${outer}/${inner}`) === claim) return textOf(members, inner);
    }
  }
  return undefined;
}

/** Several signatures by certificates of one token. */
function ofTokens(words: readonly Word[]): Disagreement[] {
  const withToken = words.filter(({ of }) => tokenOf(of.certificate_identity) !== undefined);
  const byToken = Map.groupBy(withToken, ({ of }) => tokenOf(of.certificate_identity));
  return [...byToken.values()].flatMap((own) =>
    OF_TOKEN.flatMap((claim) =>
      differing(
        claim,
        'one-token',
        own.filter((one) => one.claim === claim),
      ),
    ),
  );
}

function tokenOf({ issuer, jti }: CertificateIdentity): string | undefined {
  return jti === undefined || jti === '' ? undefined : JSON.stringify([issuer, jti]);
}

/** Values that somebody else than the signer vouches for, by sources that are not one. */
function ofConfirmedSources(words: readonly Word[]): Disagreement[] {
  const confirmed = words.filter(({ source }) => source !== undefined);
  const ofArtifact = OF_ARTIFACT.map((claim) => [claim, confirmed.filter((one) => one.claim === claim)] as const);
  const ofAgents = [...Map.groupBy(confirmed.filter(isOfAgent), turnOf).values()].flatMap((own) =>
    OF_AGENT.map((claim) => [claim, own.filter((one) => one.claim === claim)] as const),
  );
  return [...ofArtifact, ...ofAgents].flatMap(([claim, said]) => {
    const denied = said.filter((one) =>
      said.some(
        (other) => other.source !== one.source && !isOfOneToken(one, other) && !agree(claim, one.value, other.value),
      ),
    );
    return differing(claim, 'confirmed-sources', denied);
  });
}

function isOfAgent({ of }: Word): boolean {
  return isAgentIdentity(of.certificate_identity);
}

/** What one token says is held against itself by {@link ofTokens}. */
function isOfOneToken(one: Word, other: Word): boolean {
  const token = tokenOf(one.of.certificate_identity);
  return token !== undefined && token === tokenOf(other.of.certificate_identity);
}

function turnOf({ of: { certificate_identity: identity } }: Word): string {
  return JSON.stringify([identity.issuer, identity.subject, identity.claims.commit_sha?.toLowerCase() ?? '']);
}

function ofEachAgent(words: readonly Word[], claim: SourcedClaim): Disagreement[] {
  const own = words.filter((one) => one.claim === claim && (isOfAgent(one) || isRun(one.of)));
  const byAgent = Map.groupBy(own, ({ of: { certificate_identity: identity } }) =>
    JSON.stringify([identity.issuer, identity.subject]),
  );
  return [...byAgent.values()].flatMap((some) => differing(claim, 'documents', some));
}

/** The newest review by the person of whom a run speaks, and every older one. */
function reviewsBeside(
  run: Stated,
  signatures: readonly VerifiedSignature[],
  peopleIssuers: PeopleIssuers | undefined,
): Stated[] {
  const reviewer = textOf(objectIn(run.statement.predicate)['human_review'], 'reviewer');
  return signatures
    .filter(isReview)
    .filter((one) => isReviewersOwn(one.certificate_identity, one.statement, peopleIssuers))
    .filter(({ statement }) => reviewer !== undefined && textOf(statement.predicate, 'human_reviewer') === reviewer)
    .sort((one, other) => timeOf(other) - timeOf(one) || other.log_entry.log_index - one.log_entry.log_index);
}

function timeOf({ log_entry }: VerifiedSignature): number {
  return timestampSeconds(log_entry.integrated_at);
}

/** What a run says that a person decided, beside the last word of that person. */
function decisionsBeside(
  run: Stated,
  signatures: readonly VerifiedSignature[],
  peopleIssuers: PeopleIssuers | undefined,
): Disagreement[] {
  const [newest] = reviewsBeside(run, signatures, peopleIssuers);
  const review = objectIn(objectIn(run.statement.predicate)['human_review']);
  const { approved } = review;
  const decision = textOf(newest?.statement.predicate, 'decision');
  if (newest === undefined || typeof approved !== 'boolean' || decision === undefined) return [];
  if (approved === (decision === 'approved')) return [];
  const basis = basisOfStated(run.certificate_identity, 'human_reviewer', String(review['reviewer']));
  const between = isConfirmed(basis) ? 'confirmed-sources' : 'documents';
  return [{ field: 'decision', between, said: both(run, approved ? 'approved' : 'not approved', newest, decision) }];
}

function durationsBeside(
  run: Stated,
  signatures: readonly VerifiedSignature[],
  peopleIssuers: PeopleIssuers | undefined,
): Disagreement[] {
  const stated = durationOf(objectIn(run.statement.predicate)['human_review']);
  return reviewsBeside(run, signatures, peopleIssuers).flatMap((review): Disagreement[] => {
    const own = durationOf(review.statement.predicate);
    if (stated === undefined || own === undefined || stated === own) return [];
    const said = both(run, `${stated} s`, review, `${own} s`);
    return [{ field: 'review_duration_seconds', between: 'documents', said }];
  });
}

function durationOf(of: unknown): number | undefined {
  const value = objectIn(of)['review_duration_seconds'];
  return typeof value === 'number' ? value : undefined;
}

function both(run: VerifiedSignature, value: string, review: VerifiedSignature, other: string): Said[] {
  const said = (what: string, { certificate_identity, log_entry }: VerifiedSignature) => ({
    by: by(what, certificate_identity),
    log_index: log_entry.log_index,
  });
  return [
    { value, ...said('agent-run', run) },
    { value: other, ...said('review', review) },
  ];
}

/** What says something, and whose it is: under several roots one name may be several signers. */
function by(what: string, { subject, root }: CertificateIdentity): string {
  return `${what} of ${subject}${root === undefined ? '' : ` (root ${root})`}`;
}

/** One disagreement with each value once, where there are several. */
function differing(field: SourcedClaim, between: Disagreement['between'], words: readonly Word[]): Disagreement[] {
  const distinct: Word[] = [];
  for (const word of words) {
    if (!distinct.some(({ value }) => claimsAgree(field, value, word.value))) distinct.push(word);
  }
  if (distinct.length < 2) return [];
  return [{ field, between, said: distinct.map(({ value, by, log_index }) => ({ value, by, log_index })) }];
}

function objectIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function textOf(of: unknown, name: string): string | undefined {
  const object = objectIn(of);
  const value = Object.hasOwn(object, name) ? object[name] : undefined;
  return typeof value === 'string' ? value : undefined;
}
