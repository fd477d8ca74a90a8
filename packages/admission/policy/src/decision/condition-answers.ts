import { buildSources, digestOf, isAgentIdentity, parseBuildProvenance, statedSources } from '@colophon/records';
import { aboutForNo } from '../about/about.ts';
import { MAX_CONDITION_STEPS } from '../condition/condition.ts';
import { isNegativeReview } from '../meaning/meaning.ts';
import type { AdmissionProfile, Policy } from '../policy/policy.ts';
import { approverBehind } from '../rejection/rejection.ts';
import { isReviewType } from '../review-type/review-type.ts';
import { type Attestation, claimOf, type ImageEvidence, isAttestation } from './image-evidence.ts';
import { isNamedAnywhere, profileFor } from './negatives.ts';
import { type Finding, shown } from './reason.ts';

/**
 * Steps that all conditions of one decision may take together of what is about the image, and again of what is not: so five
 * of the most expensive ones are asked.
 */
export const MAX_DECISION_STEPS = 5 * MAX_CONDITION_STEPS;

type Evidence = Pick<ImageEvidence, 'signatures' | 'attestations' | 'elsewhere' | 'digests'>;

/**
 * What the conditions of policies say of statements, each asked once in a decision, whatever copies there are of it. Each gets
 * the same part of the steps of the decision, so that no answer depends on the order in which they are asked. Whom no rule
 * lets approve is not asked, and takes no part. What is about another image can be attached by anybody: it may take back what
 * was said of both, and has steps of its own.
 */
export class ConditionAnswers {
  readonly #image: { readonly reference: string; readonly digest: string };
  readonly #near = new Map<Policy, Set<string>>();
  readonly #most: { readonly near: number; readonly far: number };
  readonly #keys = new WeakMap<Attestation, string>();
  readonly #asked = new Map<Policy, Map<string, readonly Finding[]>>();

  constructor({
    image,
    policies,
    profile,
    evidence,
  }: {
    readonly image: { readonly reference: string; readonly digest: string };
    readonly policies: readonly Policy[];
    /** That of each policy where it is absent. */
    readonly profile?: AdmissionProfile | undefined;
    /** Everything that may be asked of. */
    readonly evidence: Evidence;
  }) {
    this.#image = image;
    const questions = { near: 0, far: 0 };
    const statements = [...evidence.attestations, ...evidence.elsewhere.filter(isAttestation)];
    for (const policy of policies) {
      const { conditions } = policy.review;
      if (conditions.length === 0) continue;
      const sources = sourcesOf(policy, evidence);
      const judgedBy = profileFor(policy, profile ?? policy.profile);
      const counted = new Set<string>();
      const near = new Set<string>();
      this.#near.set(policy, near);
      for (const one of statements) {
        if (!mayBeAsked(policy, judgedBy, one)) continue;
        const key = this.#keyOf(one);
        if (counted.has(key)) continue;
        counted.add(key);
        const isNear = isAbout(one, evidence, sources);
        if (isNear) near.add(key);
        questions[isNear ? 'near' : 'far'] += conditions.length;
      }
    }
    this.#most = { near: shareOf(questions.near), far: shareOf(questions.far) };
  }

  /** The conditions of a policy that do not hold for a statement, or have no answer. */
  unmet(policy: Policy, statement: Attestation): readonly Finding[] {
    if (policy.review.conditions.length === 0) return [];
    const asked = this.#asked.get(policy) ?? new Map<string, readonly Finding[]>();
    this.#asked.set(policy, asked);
    const key = this.#keyOf(statement);
    const known = asked.get(key) ?? this.#ask(policy, statement);
    asked.set(key, known);
    return known;
  }

  /** The same for each copy of a statement: of who says what. */
  #keyOf(one: Attestation): string {
    const said = () => JSON.stringify([one.certificate_identity, one.statement]);
    const key = this.#keys.get(one) ?? digestOf(new TextEncoder().encode(said()));
    this.#keys.set(one, key);
    return key;
  }

  #ask(policy: Policy, signature: Attestation): Finding[] {
    const { statement, certificate_identity: identity } = signature;
    const { conditions } = policy.review;
    const most = this.#near.get(policy)?.has(this.#keyOf(signature)) ? this.#most.near : this.#most.far;
    const input = { predicate: statement.predicate, statement, certificate: identity, image: this.#image };
    return conditions.flatMap((condition): Finding[] => {
      const answer = condition.evaluate(input, most);
      if (answer.ok && answer.value) return [];
      const found = answer.ok ? 'false' : shown(answer.message);
      const message = 'A condition of the policy does not hold for the review.';
      return [{ code: 'admission.condition_failed', message, expected: condition.text, found }];
    });
  }
}

/** Whether a statement of a type can be asked for as a review: by its own rule, by `require`, or to take a no back. */
function mayBeReview({ review }: Policy, type: string): boolean {
  return review.isReview(type) || isReviewType(type, review.predicateType);
}

/** Whether a decision may ask for a statement: that of an agent, or a no, only by the letter of the contract (`spec`). */
function mayBeAsked(
  policy: Policy,
  profile: AdmissionProfile,
  { statement, certificate_identity: identity }: Attestation,
) {
  if (!mayBeReview(policy, statement.predicateType) || !isNamedAnywhere(policy, identity)) return false;
  if (profile === 'spec') return true;
  if (isAgentIdentity(identity) || isNegativeReview(statement.predicate)) return false;
  const reviewers = [policy.review, ...policy.require].map((rule) => rule.identity);
  return reviewers.some((rule) => rule.accepts(identity)) || approverBehind(identity) !== undefined;
}

/** About the image or a manifest in it, or about nothing but a commit or tree that it was made from. */
function isAbout(one: Attestation, { attestations, digests }: Evidence, sources: ReadonlySet<string>): boolean {
  const named = one.statement.subject.flatMap(({ digest }) => Object.entries(digest));
  if (
    attestations.includes(one) ||
    named.some(([name, hex]) => name === 'sha256' && digests.includes(`sha256:${hex}`))
  ) {
    return true;
  }
  return named.every(([name]) => name.startsWith('git')) && named.some(([, id]) => sources.has(id.toLowerCase()));
}

/** The commits and trees that somebody whom the policy names says the image was made from. */
function sourcesOf(policy: Policy, { signatures, attestations }: Evidence): ReadonlySet<string> {
  const named = [...signatures, ...attestations].filter((one) => isNamedAnywhere(policy, one.certificate_identity));
  const ids = named.flatMap((one) => {
    const certified = claimOf(one, 'commit_sha');
    if (!isAttestation(one)) return [certified];
    const { subject, predicate } = one.statement;
    const built = parseBuildProvenance(predicate);
    const trees = built.ok ? buildSources(built.value).map(({ tree }) => tree) : [];
    const stated = subject.map(({ digest }) => digest['gitTree']);
    return [...aboutForNo(one.statement).commits, ...statedSources(predicate), ...trees, ...stated, certified];
  });
  return new Set(ids.filter((id) => id !== undefined).map((id) => id.toLowerCase()));
}

function shareOf(questions: number): number {
  return Math.min(MAX_CONDITION_STEPS, Math.floor(MAX_DECISION_STEPS / Math.max(1, questions)));
}
