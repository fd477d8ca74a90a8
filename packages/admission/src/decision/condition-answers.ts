import { MAX_CONDITION_STEPS } from '../condition/condition.ts';
import type { Policy } from '../policy/policy.ts';
import { isReviewType } from '../review-type/review-type.ts';
import { type Attestation, type ImageEvidence, isAttestation } from './image-evidence.ts';
import { isNamedAnywhere } from './negatives.ts';
import { type Finding, shown } from './reason.ts';

/** Steps that all conditions of one decision may take together: so five of the most expensive ones are asked. */
export const MAX_DECISION_STEPS = 5 * MAX_CONDITION_STEPS;

/**
 * What the conditions of policies say of statements, each asked once in a decision. Each gets the same part of the steps of
 * the decision, so that no answer depends on the order in which they are asked. Statements of signers whom no policy names
 * are not asked, and take no part.
 */
export class ConditionAnswers {
  readonly #image: { readonly reference: string; readonly digest: string };
  readonly #most: number;
  readonly #asked = new Map<Policy, Map<Attestation, readonly Finding[]>>();

  constructor({
    image,
    policies,
    evidence: { attestations, elsewhere },
  }: {
    readonly image: { readonly reference: string; readonly digest: string };
    readonly policies: readonly Policy[];
    /** Everything that may be asked of. */
    readonly evidence: Pick<ImageEvidence, 'attestations' | 'elsewhere'>;
  }) {
    this.#image = image;
    const statements = [...attestations, ...elsewhere].filter(isAttestation);
    const questions = policies.map((policy) => {
      const named = statements.filter(
        ({ statement, certificate_identity: identity }) =>
          mayBeReview(policy, statement.predicateType) && isNamedAnywhere(policy, identity),
      );
      return named.length * policy.review.conditions.length;
    });
    const all = questions.reduce((sum, count) => sum + count, 0);
    this.#most = Math.min(MAX_CONDITION_STEPS, Math.floor(MAX_DECISION_STEPS / Math.max(1, all)));
  }

  /** The conditions of a policy that do not hold for a statement, or have no answer. */
  unmet(policy: Policy, statement: Attestation): readonly Finding[] {
    const asked = this.#asked.get(policy) ?? new Map<Attestation, readonly Finding[]>();
    this.#asked.set(policy, asked);
    const known = asked.get(statement) ?? this.#ask(policy, statement);
    asked.set(statement, known);
    return known;
  }

  #ask({ review: { conditions } }: Policy, { statement, certificate_identity: identity }: Attestation): Finding[] {
    const input = { predicate: statement.predicate, statement, certificate: identity, image: this.#image };
    return conditions.flatMap((condition): Finding[] => {
      const answer = condition.evaluate(input, this.#most);
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
