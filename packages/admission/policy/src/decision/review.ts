import {
  type CertificateIdentity,
  isAgentIdentity,
  isEmailAddress,
  parseCommitId,
  type Subject,
  type VerifiedSignature,
} from '@colophon/records';
import { aboutForYes, approves } from '../about/about.ts';
import { isNegativeReview } from '../meaning/meaning.ts';
import type { AdmissionProfile, Policy } from '../policy/policy.ts';
import { approverBehind, personBehind } from '../rejection/rejection.ts';
import { type Build, namesSource } from './build.ts';
import type { ConditionAnswers } from './condition-answers.ts';
import { type Attestation, artifactOf, claimOf, type ImageEvidence, statementTypeOf } from './image-evidence.ts';
import { type Finding, shown, shownList } from './reason.ts';
import { type ReviewPredicate, readReviewPredicate } from './review-predicate.ts';
import { checkAge } from './signature-age.ts';
import { CLOCK_SKEW_SECONDS, timestampSeconds } from './timestamp-seconds.ts';

/** Reviews by which an accepted reviewer lets the image pass, or why there is none. */
export type Reviews = {
  readonly accepted: readonly Attestation[];
  /** Empty where nothing is accepted only because all that accepted reviewers say is negative. */
  readonly findings: readonly Finding[];
};

/** What reviews are compared with. */
export type ReviewContext = {
  readonly policy: Policy;
  readonly profile: AdmissionProfile;
  readonly evidence: ImageEvidence;
  /** Signatures of approved agents that meet every rule of their own. */
  readonly agentSignatures: readonly VerifiedSignature[];
  /** The same of those that are only too old: what an image was made from does not age. */
  readonly agedSignatures: readonly VerifiedSignature[];
  /** Where the policy names a build runner: by what its provenance says the image was built from. */
  readonly builds: readonly Build[];
  readonly conditions: Pick<ConditionAnswers, 'unmet'>;
  readonly nowSeconds?: number | undefined;
};

/**
 * Finds a review that meets every rule; one is enough. A rejection is no review that could meet them: what it does is
 * decided with the other negative words.
 * @see contract §2.4, §5.3
 */
export function findReviews(context: ReviewContext): Reviews {
  const { policy, profile, evidence } = context;
  if (!policy.review.isRequired) return { accepted: [], findings: [] };
  const reviews = evidence.attestations.filter((one) => policy.review.isReview(one.statement.predicateType));
  if (reviews.length === 0) return { accepted: [], findings: [explainAbsence(context)] };
  const judged = reviews.flatMap((review) => {
    const signer = checkSigner(policy, profile, review.certificate_identity);
    // What a stranger or the agent writes about a review says nothing, so it is not read either.
    if (signer !== undefined) return [{ review, findings: [signer] }];
    // By the letter of the contract (`spec`) a review has no decision.
    if (profile === 'strict' && isNegativeReview(review.statement.predicate)) return [];
    return [{ review, findings: checkReview(context, review) }];
  });
  const accepted = judged.filter(({ findings }) => findings.length === 0).map(({ review }) => review);
  if (accepted.length > 0) return { accepted, findings: [] };
  return { accepted, findings: judged.flatMap(({ findings }) => findings) };
}

/** Why a review that does not reject still does not approve the image, for any signer. */
export function checkReview(context: ReviewContext, review: Attestation): Finding[] {
  return [
    ...checkAbout(context.evidence, review),
    ...checkYes(context, review),
    ...checkAge(review, context.policy.review.maxAgeSeconds, context.nowSeconds, 'admission.review_too_old'),
  ];
}

/** The same of what it says, whatever it is about and however old it is: why it is no yes by the policy. */
export function checkYes(context: ReviewContext, review: Attestation): Finding[] {
  const { profile } = context;
  const predicate = readReviewPredicate(review.statement.predicate, profile);
  const findings = [...predicate.findings];
  if (profile === 'strict') {
    findings.push(
      ...checkReviewer(context.policy, predicate, review.certificate_identity),
      ...checkTime(predicate, review),
      ...checkCommit(context, review, predicate),
    );
  }
  return [...findings, ...checkDuration(context, predicate), ...context.conditions.unmet(context.policy, review)];
}

/**
 * That the review approves this image, or nothing but the commit or tree that it was built from: more is asked of that
 * elsewhere. An index is one image, and each manifest in it another.
 */
function checkAbout(evidence: ImageEvidence, { statement }: Attestation): Finding[] {
  const about = aboutForYes(statement);
  const artifact = artifactOf(evidence);
  if (about !== undefined && approves(about, artifact)) return [];
  const namesImage = statement.subject.some(({ digest }) => digest['sha256'] === evidence.sha256);
  if (about?.images.length === 0 && !namesImage) return [];
  const { target, images = [] } = about ?? {};
  const found = target === undefined ? shownList(images) : shown(`${target.kind} ${target.digest}`);
  return [{ code: 'admission.review_other_image', message: OTHER_IMAGE, expected: artifact.digest, found }];
}

const OTHER_IMAGE =
  'The review does not approve this image. A review of an index approves the images in it only where `review approve --platforms` named them.';

function checkSigner(policy: Policy, profile: AdmissionProfile, identity: CertificateIdentity): Finding | undefined {
  // No agent reviews, also where the pattern of reviewers lets its name through.
  const isAgent =
    policy.agent.accepts(identity) || (isAgentIdentity(identity) && policy.review.identity.accepts(identity));
  const found = shown(`${identity.subject} of ${identity.issuer}`);
  if (profile === 'strict' && isAgent) {
    const message = 'The review is signed by an agent; a reviewer must sign it.';
    return { code: 'admission.review_signed_by_agent', message, expected: policy.review.identity.description, found };
  }
  const authority = profile === 'strict' ? policy.review.identity : policy.agent;
  if (authority.accepts(identity)) return undefined;
  const message = 'The policy does not accept the signer of the review.';
  return { code: 'admission.reviewer_not_accepted', message, expected: authority.description, found };
}

function checkReviewer(
  { review: { domains } }: Policy,
  { human_reviewer }: ReviewPredicate,
  identity: CertificateIdentity,
): Finding[] {
  const person = approverBehind(identity);
  const { address } = person ?? personBehind(identity);
  if (person === undefined && isEmailAddress(address)) {
    const message = 'The signer of the review has the name of a person and is none.';
    const found = shown(`${identity.subject} of ${identity.issuer}`);
    return [{ code: 'admission.reviewer_no_person', message, expected: 'the e-mail certificate of a person', found }];
  }
  if (domains !== undefined && !domains.accepts(address)) {
    const message = 'The reviewer is of another domain than those that the policy names.';
    return [{ code: 'admission.reviewer_domain', message, expected: domains.description, found: shown(address) }];
  }
  const expected = shown(address);
  if (human_reviewer === undefined || human_reviewer === address) return [];
  const message = 'The review names another reviewer than the certificate that signed it.';
  return [{ code: 'admission.reviewer_mismatch', message, expected, found: shown(human_reviewer) }];
}

/** Nobody signs today what they are going to review tomorrow. */
function checkTime({ review_timestamp }: ReviewPredicate, { log_entry: log }: Attestation): Finding[] {
  if (review_timestamp === undefined) return [];
  const latest = timestampSeconds(log.integrated_at) + CLOCK_SKEW_SECONDS;
  if (timestampSeconds(review_timestamp) <= latest) return [];
  const message = 'The review says that it took place after it was signed.';
  const expected = `at most 10 minutes after ${shown(log.integrated_at)}`;
  return [{ code: 'admission.timestamp_in_future', message, expected, found: review_timestamp }];
}

/**
 * What the agent made the image from, by its certificates: those of its plain signatures, and only where there is none
 * those of its runs, so that a run that is added later changes nothing.
 */
function commitsMade(signatures: readonly VerifiedSignature[]): string[] {
  const plain = signatures.filter((signature) => statementTypeOf(signature) === undefined);
  return (plain.length > 0 ? plain : signatures).flatMap((signature) => claimOf(signature, 'commit_sha') ?? []);
}

/** Where the agent's signatures name several commits, nobody knows which of them the image is: all must be covered. */
function checkCommit(
  { agentSignatures, agedSignatures, builds }: ReviewContext,
  review: Attestation,
  predicate: ReviewPredicate,
): Finding[] {
  const about = aboutForYes(review.statement);
  const named = about?.target?.kind === 'commit' ? about.commits : review.statement.subject.flatMap(commitsOf);
  const stated = predicate.commit_sha;
  if (named.length === 0 && stated === undefined) {
    const message = 'The review names no commit.';
    return [{ code: 'admission.review_commit_missing', message, expected: 'a gitCommit subject or commit_sha' }];
  }
  const covers = (commit: string) =>
    (stated === undefined || stated === commit) && (named.length === 0 || named.includes(commit));
  const found = shownList(stated === undefined ? named : [stated, ...named]);
  const certified = claimOf(review, 'commit_sha');
  if (certified !== undefined && !covers(certified)) {
    const message = 'The review names another commit than the certificate that signed it.';
    return [{ code: 'admission.review_commit_mismatch', message, expected: shown(certified), found }];
  }
  // Of a review of one commit only what stands beside that commit counts, as its tree does.
  const { target } = about ?? {};
  const isOfCommit = ({ digest }: Subject) => `gitCommit:${digest['gitCommit']}` === target?.digest;
  const { subject } = review.statement;
  const looked = target?.kind === 'commit' ? subject.filter(isOfCommit) : subject;
  const isBuilt = ({ source }: Build) =>
    (source.commit !== undefined && covers(source.commit)) || looked.some(({ digest }) => namesSource(digest, source));
  if (builds.length > 0 && !builds.some(isBuilt)) {
    const message = 'The review covers another commit than the one that the image was built from.';
    const expected = shownList(builds.map(({ source }) => source.commit ?? `tree ${source.tree}`));
    return [{ code: 'admission.review_other_build', message, expected, found }];
  }
  const made = [...new Set([...commitsMade(agentSignatures), ...commitsMade([...agentSignatures, ...agedSignatures])])];
  // Nothing to compare with: that the agent's side is wanting has been reported where it was found.
  if (made.length === 0) return [];
  if (made.every((commit) => parseCommitId(commit) !== undefined && covers(commit))) return [];
  const message = 'The review covers another commit than the one the agent made the image from.';
  return [{ code: 'admission.review_other_commit', message, expected: shownList(made), found }];
}

function commitsOf({ digest }: Subject): string[] {
  const commit = digest['gitCommit'];
  return commit === undefined ? [] : [commit];
}

/**
 * The length of the review, as the review states it. Runs of the agent can only shorten it, since the agent that is
 * reviewed does not vouch for the review. Only under `spec`, where the agent signs the review too, is its run alone enough.
 */
function checkDuration({ policy, profile, evidence }: ReviewContext, predicate: ReviewPredicate): Finding[] {
  const least = policy.review.minDurationSeconds;
  if (least === undefined) return [];
  const durations = evidence.attestations
    .filter((one) => policy.review.isRun(one.statement.predicateType) && policy.agent.accepts(one.certificate_identity))
    .flatMap(({ statement }) => runDuration(statement.predicate) ?? []);
  const own = predicate.review_duration_seconds;
  if (own !== undefined) durations.push(own);
  const expected = `${least} s`;
  if (durations.length === 0 || (profile === 'strict' && own === undefined)) {
    const message = 'The review does not say how long it took.';
    return [{ code: 'admission.review_duration_unknown', message, expected }];
  }
  // Where they disagree, the shortest counts: neither may lengthen the other.
  const shortest = Math.min(...durations);
  if (shortest >= least) return [];
  const found = own === shortest ? `${shortest} s` : `${shortest} s, by a run of the agent`;
  return [{ code: 'admission.review_too_short', message: 'The review was too short.', expected, found }];
}

function runDuration(predicate: unknown): number | undefined {
  const review = (predicate as { human_review?: { review_duration_seconds?: unknown } } | null)?.human_review;
  const duration = review?.review_duration_seconds;
  return typeof duration === 'number' ? duration : undefined;
}

function explainAbsence({ policy, evidence }: ReviewContext): Finding {
  const expected = policy.review.predicateType;
  const rejected = evidence.rejected.filter(({ predicate_type: predicateType }) =>
    policy.review.isReview(predicateType),
  );
  if (rejected.length > 0) {
    const found = shownList(rejected.map(({ code, message }) => `${code}: ${message}`));
    const message = 'A review was found, but it does not verify.';
    return { code: 'admission.review_not_verified', message, expected, found };
  }
  const elsewhere = evidence.elsewhere.filter(({ statement }) => policy.review.isReview(statement?.predicateType));
  if (elsewhere.length > 0) {
    const subjects = elsewhere.flatMap(({ statement }) => statement?.subject ?? []);
    const found = shownList(subjects.map(({ digest }) => digest['sha256'] ?? 'no sha256'));
    const expected = `sha256:${evidence.sha256}`;
    return { code: 'admission.review_other_image', message: OTHER_IMAGE, expected, found };
  }
  const types = evidence.attestations.map(({ statement }) => statement.predicateType);
  const found = types.length > 0 ? shownList(types) : 'no attestation';
  return { code: 'admission.review_missing', message: 'No review was found for the image.', expected, found };
}
