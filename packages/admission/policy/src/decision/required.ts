import { foldedAddress, isAgentIdentity, isEmailAddress, type VerifiedSignature } from '@colophon/records';
import { isRunType } from '../meaning/meaning.ts';
import { isAboutStatements, isNegativeStatement } from '../negatives/negative-statement.ts';
import type { IdentityRule } from '../policy/identity-rule.ts';
import type { RequireRule } from '../policy/policy.ts';
import { personBehind } from '../rejection/rejection.ts';
import { isReviewType } from '../review-type/review-type.ts';
import { checkAgentRun } from './agent-run-statement.ts';
import { distinctSigners } from './distinct-signers.ts';
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
  const met = meetRules(context.policy.require, [...signatures, ...attestations], (one) => whyNot(context, one));
  return { required: met.map(({ rule, signatures }) => ({ rule, signatures })), findings: findingsOf(met) };
}

/** What is said of each rule that is not met. */
export function findingsOf(rules: readonly MetRule[]): Finding[] {
  return rules.flatMap(({ rule, signatures, why }): Finding[] => {
    if (signatures.length > 0) return [];
    const message = 'A signature that the policy requires was not found.';
    const found = why.length === 0 ? {} : { found: shownList(why) };
    return [{ code: 'admission.required_signature_missing', message, expected: rule, ...found }];
  });
}

/** A rule with the signatures by the signer that meets it; without any, `why` says what kept those that were tried from it. */
export type MetRule = RequiredSignature & { readonly why: readonly string[] };

/**
 * Holds signatures against rules. Rules that ask for the same kind of signature are met by different signers, as many as can
 * be, and a statement that a rule with its predicate type asks for counts for no rule without one: so no signature, and no
 * copy of one, meets two rules. Two certificates of one person are one signer.
 * @param whyNot what keeps a signature from saying yes; empty where it does
 */
export function meetRules(
  rules: readonly RequireRule[],
  signatures: readonly VerifiedSignature[],
  whyNot: (signature: VerifiedSignature, rule: RequireRule) => readonly string[],
): MetRule[] {
  const offers = rules.map((rule) => {
    const byThem = signatures.filter((one) => asksFor(rule, one) && !isAskedForByType(rules, rule, one));
    const judged = byThem.map((signature) => ({ signature, why: whyNot(signature, rule) }));
    const good = judged.filter(({ why }) => why.length === 0).map(({ signature }) => signature);
    return { rule, good, why: good.length > 0 ? [TAKEN] : judged.flatMap(({ why }) => why) };
  });
  // All rules of a policy hear names alike.
  const nameOf = (signature: VerifiedSignature) => signerOf(signature, rules[0]?.identity.hearing);
  const types = [...new Set(rules.map(({ predicateType }) => predicateType))];
  const signers = new Map<RequireRule, string | undefined>();
  for (const type of types) {
    const ofType = offers.filter(({ rule }) => rule.predicateType === type);
    const chosen = distinctSigners(ofType.map(({ good }) => new Set(good.map(nameOf))));
    for (const [index, { rule }] of ofType.entries()) signers.set(rule, chosen[index]);
  }
  return offers.map(({ rule, good, why }) => {
    const signer = signers.get(rule);
    return {
      rule: ruleText(rule),
      signatures: good.filter((one) => nameOf(one) === signer),
      why,
    };
  });
}

/** What keeps a good signature from meeting a rule. */
const TAKEN = 'its signer meets another rule';

function asksFor({ identity, predicateType }: RequireRule, signature: VerifiedSignature): boolean {
  if (!identity.accepts(signature.certificate_identity)) return false;
  return predicateType === undefined || statementTypeOf(signature) === predicateType;
}

function isAskedForByType(rules: readonly RequireRule[], rule: RequireRule, signature: VerifiedSignature): boolean {
  if (rule.predicateType !== undefined) return false;
  return rules.some((other) => other.predicateType !== undefined && asksFor(other, signature));
}

function ruleText({ identity, predicateType }: RequireRule): string {
  return identity.description + (predicateType === undefined ? '' : `, ${predicateType}`);
}

/**
 * Who signed: the person behind a certificate, whichever of their certificates it is. Nobody proves that two spellings of an
 * e-mail address, or one address at two issuers, are two people. For all else one address at another issuer is another person.
 */
function signerOf({ certificate_identity: identity }: VerifiedSignature, hearing?: IdentityRule['hearing']): string {
  const { issuer, address } = personBehind(identity);
  return isEmailAddress(address) ? foldedAddress(address, hearing) : JSON.stringify([issuer, address]);
}

/** Codes of what keeps a signature from saying yes to the image; empty where it does. */
export function whyNot(context: ReviewContext, signature: VerifiedSignature): string[] {
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
    return checkAgentRun(signature as Attestation, profile).map(({ code }) => code);
  }
  return [];
}
