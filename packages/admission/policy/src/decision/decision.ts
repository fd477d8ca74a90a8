import { formatInstant, isSha256, parseImageReference } from '@colophon/notation';
import type { RejectedSignature, VerifiedSignature } from '@colophon/records';
import type { Disagreement } from '../disagreement/disagreements.ts';
import { mayBeOnePerson } from '../negatives/may-be-no.ts';
import type { NegativesView } from '../negatives/negatives-view.ts';
import {
  type AdmissionProfile,
  DEFAULT_NEGATIVES_MAX_AGE_SECONDS,
  type MakerRule,
  type Policy,
} from '../policy/policy.ts';
import { personBehind, type Rejection } from '../rejection/rejection.ts';
import { isReviewType } from '../review-type/review-type.ts';
import { findBuilds, withSourceStatements } from './build.ts';
import { ConditionAnswers } from './condition-answers.ts';
import { contradictionWarning, findContradicted, findDisagreements } from './contradicted.ts';
import { type AppliedException, applyException, exceptionInForce, exceptionWarning } from './exception.ts';
import { affirmativeEvidence, collectEvidence, type ImageEvidence, withEvidenceOfParts } from './image-evidence.ts';
import { findMakerSignatures } from './maker-signature.ts';
import {
  asksForNegatives,
  type FoundNegatives,
  findNegatives,
  type HeardNegative,
  profileFor,
  rulesOf,
} from './negatives.ts';
import type { AdmissionReason, Finding } from './reason.ts';
import { shown } from './reason.ts';
import { findRequired, type RequiredSignature } from './required.ts';
import { findReviews } from './review.ts';
import { youngUntil } from './signature-age.ts';
import { timestampSeconds } from './timestamp-seconds.ts';

/** More than so many signatures are not looked at, any of them: no policy admits the image by what is attached to it. */
export const MAX_SIGNATURES = 1000;

/** What a decision is made from. */
export type AdmissionInput = {
  readonly image: {
    /** As the image was asked for, e.g. `ghcr.io/acme/app:v1`; policies are chosen by it. */
    readonly reference: string;
    /** `sha256:<64 hex>`, resolved once; everything is checked against it. */
    readonly digest: string;
    /** Digests of the manifests in it, where it is an index: who rejected one of them rejected the image. */
    readonly manifests?: readonly string[];
  };
  /** What was verified, also what is about something else: a rejection may name nothing but the commit. */
  readonly signatures: readonly VerifiedSignature[];
  /** What was read and does not verify. */
  readonly rejected: readonly RejectedSignature[];
  /** What may be a signature, and was not fetched or is not readable within the limits. */
  readonly incomplete?: readonly RejectedSignature[];
  /**
   * What is attached to the manifests in it, where it is an index: heard by policies for images that no agent made, and only
   * against the image.
   */
  readonly ofManifests?: {
    readonly signatures: readonly VerifiedSignature[];
    readonly incomplete: readonly RejectedSignature[];
  };
  /** What is said of an image with more attachments than are looked at: then none of what is attached to it counts. */
  readonly overcrowded?: string;
  readonly policies: readonly Policy[];
  /** What is known of rejections beside the registry, for each policy; nothing when absent. */
  readonly negatives?: (policy: Policy) => NegativesView;
  /** Takes the place of every policy's own profile; that of people's images and of listed digests is always strict. */
  readonly profile?: AdmissionProfile;
  /** For what depends on the time: how old a signature may be, exceptions. Without it none of that lets an image pass. */
  readonly nowSeconds?: number;
};

/** What one policy says. */
export type PolicyVerdict = {
  readonly policy: string;
  readonly mode: Policy['mode'];
  readonly profile: AdmissionProfile;
  readonly admitted: boolean;
  readonly reasons: readonly AdmissionReason[];
  /** By which the image passes; empty when it does not. */
  readonly agent_signatures: readonly VerifiedSignature[];
  /** The same of an image that people made; absent where the policy is for agents. */
  readonly human_signatures?: readonly VerifiedSignature[];
  /** Who answers for an image that nobody signed; absent where the image passes by signatures. */
  readonly legacy?: { readonly owner: string; readonly reason: string; readonly until?: string };
  /** By which the image passes although evidence is missing. */
  readonly exception?: AppliedException;
  readonly reviews: readonly VerifiedSignature[];
  /** For each rule of `require`, what meets it; empty when the image does not pass. */
  readonly requirements: readonly RequiredSignature[];
  /** Build provenance that ties the image to what was reviewed; absent where the policy names no build runner. */
  readonly provenance?: readonly VerifiedSignature[];
  /** The list of standing rejections that was checked too; absent where only the registry was asked. */
  readonly rejection_list?: RejectionList;
  /** Rejections of the image that were withdrawn by whom the policy allows. */
  readonly withdrawn_rejections: readonly Rejection[];
  /** What signers that the policy names say of the image and cannot all be true; it refuses where the policy says so. */
  readonly contradictions: readonly Disagreement[];
  /** What differs among them and may all be true; it never refuses. */
  readonly differences: readonly Disagreement[];
  /**
   * RFC 3339 with Z: the earliest time at which a limit of the policy ends what the image passes by. Absent where it has no
   * such limit, and where it does not pass.
   */
  readonly valid_until?: string;
};

/** A list of standing rejections, or why it is not used. */
export type RejectionList =
  | { readonly from: string; readonly sequence: number; readonly signed_at: string }
  | { readonly from: string; readonly incomplete: string };

/** Whether the image may run, and every reason why not. */
export type AdmissionDecision = {
  readonly admitted: boolean;
  /** Empty exactly when the image is admitted. */
  readonly reasons: readonly AdmissionReason[];
  /** For which a policy in `audit` mode would have refused, exceptions by which the image passes, and contradictions. */
  readonly warnings: readonly AdmissionReason[];
  /** One for each policy that covers the image. */
  readonly verdicts: readonly PolicyVerdict[];
  /** RFC 3339 with Z: the earliest of the verdicts' own; absent where none has one, and for a refusal. */
  readonly valid_until?: string;
};

/**
 * Decides whether an image is admitted. Every policy that covers it must admit it, and an image that none covers is
 * refused. A refusal is a value; an exception on the way is a refusal too (`admission.internal`). Codes are
 * ADMISSION_REASON_CODES.
 * @see contract §5.3, §5.4
 */
export function decideAdmission(input: AdmissionInput): AdmissionDecision {
  return decideAndHear(input).decision;
}

/** A decision, and what each policy that covers the image makes of every negative word about it that it hears. */
export type HeardDecision = { readonly decision: AdmissionDecision; readonly heard: readonly HeardNegative[] };

/** The same as decideAdmission, with what was heard on the way: a policy that asks for no negative words hears none. */
export function decideAndHear(input: AdmissionInput): HeardDecision {
  const refused = (reasons: readonly AdmissionReason[]) => ({ decision: refuse(reasons), heard: [] });
  try {
    const problems = checkImage(input);
    return problems.length > 0 ? refused(problems) : decide(input);
  } catch {
    return refused([{ code: 'admission.internal', message: 'The decision could not be made.' }]);
  }
}

function refuse(reasons: readonly AdmissionReason[]): AdmissionDecision {
  return { admitted: false, reasons, warnings: [], verdicts: [] };
}

function checkImage({ image }: AdmissionInput): AdmissionReason[] {
  const reasons: AdmissionReason[] = [];
  const reference = parseImageReference(image.reference);
  if (reference === undefined) {
    const message = 'The image has a name that no registry accepts.';
    reasons.push({ code: 'admission.image_reference_invalid', message, found: shown(image.reference) });
  }
  const found = shown(image.digest);
  if (!isSha256(image.digest)) {
    const message = 'The digest of the image is not a SHA-256.';
    reasons.push({ code: 'admission.image_digest_invalid', message, expected: 'sha256:<64 hex>', found });
  } else if (reference?.digest !== undefined && reference.digest !== image.digest) {
    const message = 'The image is named by one digest and resolved to another.';
    reasons.push({ code: 'admission.image_digest_mismatch', message, expected: reference.digest, found });
  }
  return reasons;
}

/** That an image has more attachments than are looked at: for each policy as if none of them had been read. */
function findOvercrowded({ signatures, rejected, incomplete = [], overcrowded }: AdmissionInput): Finding | undefined {
  const count = signatures.length + rejected.length + incomplete.length;
  const found = overcrowded ?? (count > MAX_SIGNATURES ? `${count}` : undefined);
  if (found === undefined) return undefined;
  const message = 'The image has more signatures than are looked at.';
  return { code: 'admission.too_many_signatures', message, expected: `${MAX_SIGNATURES}`, found: shown(found) };
}

/** The policies that cover an image, by its name alone; none for a name that no registry accepts. */
export function coveringPolicies(reference: string, policies: readonly Policy[]): Policy[] {
  const parsed = parseImageReference(reference);
  if (parsed === undefined) return [];
  return policies.filter(({ images }) => images.some((glob) => glob.covers(parsed)));
}

/** The refusal of an image before any registry is asked: its name is none, or no policy covers it. */
export function refuseUncovered(reference: string): AdmissionDecision {
  const found = shown(reference);
  if (parseImageReference(reference) === undefined) {
    const message = 'The image has a name that no registry accepts.';
    return refuse([{ code: 'admission.image_reference_invalid', message, found }]);
  }
  return refuse([{ code: 'admission.image_not_covered', message: 'No policy covers the image.', found }]);
}

function decide(input: AdmissionInput): HeardDecision {
  const covering = coveringPolicies(input.image.reference, input.policies);
  if (covering.length === 0) return { decision: refuseUncovered(input.image.reference), heard: [] };
  const found = foundIn(input, covering);
  const judged = covering.map((policy) => judge(policy, input, found));
  const verdicts = judged.map(({ verdict }) => verdict);
  const reasonsOf = (mode: Policy['mode']) =>
    verdicts.filter((verdict) => verdict.mode === mode).flatMap(({ reasons }) => reasons);
  const reasons = reasonsOf('enforce');
  const warnings = [
    ...reasonsOf('audit'),
    ...verdicts.flatMap(exceptionWarning),
    ...verdicts.flatMap((verdict, index) => contradictionWarning(covering[index] as Policy, verdict)),
  ];
  const admitted = reasons.length === 0;
  const ends = admitted ? verdicts.flatMap(({ valid_until: end }) => end ?? []).sort() : [];
  const until = ends[0] === undefined ? {} : { valid_until: ends[0] };
  return {
    decision: { admitted, reasons, warnings, verdicts, ...until },
    heard: judged.flatMap(({ heard }) => heard),
  };
}

type Found = {
  readonly evidence: ImageEvidence;
  /** The same with what is attached to the manifests in the image; what could not be read is that of them alone. */
  readonly withParts: ImageEvidence;
  readonly overcrowded: Finding | undefined;
  readonly conditions: ConditionAnswers;
};

function foundIn(input: AdmissionInput, policies: readonly Policy[]): Found {
  const overcrowded = findOvercrowded(input);
  const evidence = collectEvidence(
    overcrowded === undefined ? input : { image: input.image, signatures: [], rejected: [] },
  );
  const withParts = withEvidenceOfParts(evidence, input.ofManifests);
  const conditions = new ConditionAnswers({
    image: input.image,
    policies,
    profile: input.profile,
    evidence: withParts,
  });
  return { evidence, withParts, overcrowded, conditions };
}

function judge(
  policy: Policy,
  input: AdmissionInput,
  material: Found,
): { verdict: PolicyVerdict; heard: FoundNegatives['heard'] } {
  const { image, nowSeconds } = input;
  const { evidence, overcrowded, conditions } = material;
  const { profile, view, affirmative, build, builds, madeBy, negativesFor } = hearing(policy, input, material);
  const no = asksForNegatives(policy, profile) ? negativesFor(profile) : NO_NEGATIVES;
  const standing = withoutReviewsOf(no.withdrawn, affirmative, policy);
  const counting = withSourceStatements(standing, builds, policy);
  const made = madeBy(standing);
  const signed = { agentSignatures: made.accepted, agedSignatures: made.aged };
  const context = { policy, profile, evidence: counting, ...signed, builds, conditions, nowSeconds };
  const review = findReviews(context);
  const { required, findings } = findRequired(context);
  const missing = build?.findings ?? [];
  // Of an image whose attachments nobody looked at it is not known that a signature is missing.
  const wanting =
    overcrowded === undefined ? [...made.findings, ...missing, ...review.findings, ...findings] : [overcrowded];
  const disagreements = findDisagreements(policy, evidence);
  const found = distinct([...no.findings, ...findContradicted(policy, disagreements), ...wanting]);
  const { maker } = policy;
  // No finding does not admit: where every statement of a signer was negative and is withdrawn, none is left.
  const isWhole =
    (maker.kind === 'legacy' || made.accepted.length > 0) && (!policy.review.isRequired || review.accepted.length > 0);
  const own = found.length > 0 || isWhole ? found : [NOTHING_AFFIRMATIVE];
  // An exception lets no rejected image pass, under whatever profile.
  const excepted = own.length > 0 ? exceptionInForce(policy, image.digest, nowSeconds) : undefined;
  const reasons = excepted === undefined ? own : distinct([...negativesFor('strict').findings, ...own]);
  const exception = excepted && applyException(excepted, reasons);
  const admitted = reasons.length === 0 || exception !== undefined;
  const passing = (signatures: readonly VerifiedSignature[]) => (reasons.length === 0 ? signatures : []);
  const end = admitted
    ? endOf({
        policy,
        made: passing(made.accepted),
        reviews: passing([...review.accepted, ...reviewsAmong(required, policy)]),
        exception,
        view,
        nowSeconds,
      })
    : undefined;
  const verdict = {
    policy: policy.name,
    mode: policy.mode,
    profile,
    admitted,
    reasons: exception === undefined ? reasons.map((finding) => ({ ...finding, policy: policy.name })) : [],
    agent_signatures: maker.kind === 'agent' ? passing(made.accepted) : [],
    ...(maker.kind === 'human' ? { human_signatures: passing(made.accepted) } : {}),
    ...(maker.kind === 'legacy' && reasons.length === 0 ? { legacy: legacyShown(maker) } : {}),
    ...(exception === undefined ? {} : { exception }),
    reviews: passing(review.accepted),
    requirements: reasons.length === 0 ? required : [],
    ...(build === undefined ? {} : { provenance: passing(builds.map(({ attestation }) => attestation)) }),
    ...(view.kind === 'registry-only' ? {} : { rejection_list: listSeen(view) }),
    withdrawn_rejections: no.withdrawn,
    ...disagreements,
    ...(end === undefined ? {} : { valid_until: end }),
  };
  return { verdict, heard: no.heard };
}

/** What a policy hears of what stands against an image, and what that is held against. */
function hearing(
  policy: Policy,
  { image, profile: another = policy.profile, negatives, nowSeconds }: AdmissionInput,
  { evidence, withParts, conditions }: Found,
) {
  const profile = profileFor(policy, another);
  const view: NegativesView = negatives?.(policy) ?? { kind: 'registry-only' };
  const affirmative = affirmativeEvidence(evidence, policy);
  const build = policy.provenance && findBuilds(policy, policy.provenance, affirmative);
  const builds = build?.accepted ?? [];
  // Who admits what an agent made asks who made the image, and not who made a part of it.
  const wider = policy.maker.kind === 'agent' ? evidence : withParts;
  const madeBy = (counting: ImageEvidence) => {
    const [counted, all] = [counting, wider].map((one) => withSourceStatements(one, builds, policy));
    return findMakerSignatures({ policy, profile, evidence: counted!, all: all!, digest: image.digest, nowSeconds });
  };
  const negativesFor = (heard: AdmissionProfile) => {
    const reviewing = () => {
      const { accepted: agentSignatures, aged: agedSignatures } = madeBy(affirmative);
      return { agentSignatures, agedSignatures, conditions, nowSeconds };
    };
    const context = { policy, profile: heard, builds, view, reviewing };
    const own = findNegatives({ ...context, evidence, counting: affirmative });
    if (wider === evidence) return own;
    return both(own, findNegatives({ ...context, evidence: wider, counting: affirmativeEvidence(wider, policy) }));
  };
  return { profile, view, affirmative, build, builds, madeBy, negativesFor };
}

function legacyShown({ owner, reason, until }: Extract<Policy['maker'], { kind: 'legacy' }>) {
  return { owner, reason, ...(until === undefined ? {} : { until }) };
}

type ListView = Extract<NegativesView, { readonly kind: 'list' }>;

/** Seconds since 1970 from which on a list is too old: it is as young as the older of its two times. */
function endOfList({ list: { time, made_at = time }, maxAgeSeconds }: ListView, own: Policy['negatives']): number {
  const ofPolicy = typeof own === 'object' ? own.maxAgeSeconds : DEFAULT_NEGATIVES_MAX_AGE_SECONDS;
  return Math.min(timestampSeconds(time), timestampSeconds(made_at)) + (maxAgeSeconds ?? ofPolicy);
}

/** Earliest end of everything that an admission rests on, to the second; undefined where nothing of it ends. */
function endOf({
  policy: { maker, review, negatives },
  made,
  reviews,
  exception,
  view,
  nowSeconds = Number.NEGATIVE_INFINITY,
}: {
  readonly policy: Policy;
  readonly made: readonly VerifiedSignature[];
  readonly reviews: readonly VerifiedSignature[];
  readonly exception: AppliedException | undefined;
  readonly view: NegativesView;
  readonly nowSeconds?: number | undefined;
}): string | undefined {
  const end = Math.min(
    exception === undefined ? Number.POSITIVE_INFINITY : timestampSeconds(exception.until),
    // Over already where the image passes by an exception.
    exception === undefined ? endOfMaker(maker, made) : Number.POSITIVE_INFINITY,
    youngUntil(reviews, review.maxAgeSeconds),
    // What rests on a list that is over already, as that of a pack may be, holds for this moment alone.
    view.kind === 'list' ? Math.max(endOfList(view, negatives), nowSeconds) : Number.POSITIVE_INFINITY,
  );
  return end === Number.POSITIVE_INFINITY ? undefined : formatInstant(Math.floor(end) * 1000);
}

function endOfMaker(maker: MakerRule, made: readonly VerifiedSignature[]): number {
  if (maker.kind !== 'legacy') return youngUntil(made, maker.maxAgeSeconds);
  return maker.until === undefined ? Number.POSITIVE_INFINITY : timestampSeconds(maker.until);
}

/**
 * What either knows: an approval that is attached to a manifest takes nothing back that was said of the image, and what
 * stands by one of them stands.
 */
function both(one: FoundNegatives, other: FoundNegatives): FoundNegatives {
  return {
    findings: distinct([...one.findings, ...other.findings]),
    withdrawn: distinct([...one.withdrawn, ...other.withdrawn]),
    heard: distinct([...one.heard, ...other.heard]),
  };
}

const NO_NEGATIVES: FoundNegatives = { findings: [], withdrawn: [], heard: [] };

const NOTHING_AFFIRMATIVE: Finding = {
  code: 'admission.review_missing',
  message: 'After the withdrawal no signature and review of the image is left.',
};

/**
 * A withdrawal takes a rejection away and brings nothing back: an earlier approval by its reviewer no longer counts.
 */
function withoutReviewsOf(withdrawn: readonly Rejection[], evidence: ImageEvidence, policy: Policy): ImageEvidence {
  const attestations = evidence.attestations.filter(
    ({ certificate_identity: identity, statement }) =>
      !isReviewType(statement.predicateType, policy.review.predicateType) ||
      !withdrawn.some(({ person }) => {
        const reviewer = personBehind(identity, statement);
        return rulesOf(policy).some((rule) => mayBeOnePerson(person, reviewer, rule));
      }),
  );
  return { ...evidence, attestations };
}

/** What a rule of `require` is met by may be a review, and then too old as one. */
function reviewsAmong(required: readonly RequiredSignature[], { review }: Policy): VerifiedSignature[] {
  return required
    .flatMap(({ signatures }) => signatures)
    .filter(({ statement }) => statement !== undefined && isReviewType(statement.predicateType, review.predicateType));
}

function listSeen(view: Exclude<NegativesView, { readonly kind: 'registry-only' }>): RejectionList {
  if (view.kind === 'incomplete') return { from: view.from, incomplete: view.message };
  const { from, sequence, time } = view.list;
  return { from, sequence, signed_at: time };
}

function distinct<T>(all: readonly T[]): T[] {
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
}
