import { isAgentIdentity, type VerifiedSignature } from '@colophon/records';
import { isAboutStatements, isNegativeStatement, isRunType } from '../negatives/negative-statement.ts';
import { isReviewType } from '../rejection/rejection.ts';
import { checkAgentRun } from './agent-run-statement.ts';
import { type Attestation, statementTypeOf } from './image-evidence.ts';
import { type Finding, shownList } from './reason.ts';
import { checkReview, type ReviewContext } from './review.ts';

/** What a rule of `require` asks for, and the signatures that meet it. */
export type RequiredSignature = { readonly rule: string; readonly signatures: readonly VerifiedSignature[] };

/**
 * Contract §5.4: identities that must have signed the image beside the agent. A signature meets a rule by what it says: a
 * review has to approve and to be about the agent's commit, a run has to be whole, no verdict may have failed; a statement
 * about other statements says nothing of the image.
 */
export function findRequired(context: ReviewContext): { required: RequiredSignature[]; findings: Finding[] } {
  const { signatures, attestations } = context.evidence;
  const required: RequiredSignature[] = [];
  const findings: Finding[] = [];
  for (const { identity, predicateType } of context.policy.require) {
    const rule = identity.description + (predicateType === undefined ? '' : `, ${predicateType}`);
    const byThem = [...signatures, ...attestations].filter(
      (one) =>
        identity.accepts(one.certificate_identity) &&
        (predicateType === undefined || statementTypeOf(one) === predicateType),
    );
    const judged = byThem.map((signature) => ({ signature, why: whyNot(context, signature) }));
    const good = judged.filter(({ why }) => why.length === 0).map(({ signature }) => signature);
    required.push({ rule, signatures: good });
    if (good.length > 0) continue;
    const message = 'A signature that the policy requires was not found.';
    const found = judged.length === 0 ? {} : { found: shownList(judged.flatMap(({ why }) => why)) };
    findings.push({ code: 'admission.required_signature_missing', message, expected: rule, ...found });
  }
  return { required, findings };
}

/** Codes of what keeps a signature from saying yes to the image; empty where it does. */
function whyNot(context: ReviewContext, signature: VerifiedSignature): string[] {
  const { statement, certificate_identity: identity } = signature;
  if (statement === undefined) return [];
  const { profile, policy } = context;
  const { predicateType: reviewType, runPredicateType: runType } = policy.review;
  if (isAboutStatements(statement)) return ['a statement about other statements'];
  if (isNegativeStatement(statement, { reviewType, runType })) return ['a negative statement'];
  if (isReviewType(statement.predicateType, reviewType)) {
    if (profile === 'strict' && isAgentIdentity(identity)) return ['admission.review_signed_by_agent'];
    return checkReview(context, signature as Attestation).map(({ code }) => code);
  }
  if (isRunType(statement.predicateType, runType)) {
    return checkAgentRun(signature, profile).map(({ code }) => code);
  }
  return [];
}
