import { agentReviewType, agentRunType, type VerifiedSignature } from '@colophon/records';
import { isRunType } from '../meaning/meaning.ts';
import { type IdentityRule, NOBODY } from '../policy/identity-rule.ts';
import type { Policy, RequireRule } from '../policy/policy.ts';
import { isReviewType } from '../review-type/review-type.ts';
import { affirmativeEvidence, collectEvidence, type FoundEvidence, statementTypeOf } from './image-evidence.ts';
import { findNegatives } from './negatives.ts';
import type { Finding } from './reason.ts';
import { findingsOf, meetRules, type RequiredSignature, whyNot } from './required.ts';

/** Whether every rule is met, by which signatures, and everything that keeps it from being. */
export type RequiredSigners = {
  /** For each rule in its order; empty lists where it is not met. */
  readonly required: readonly RequiredSignature[];
  /** Empty exactly where every rule is met and nobody whom a rule names says no. */
  readonly findings: readonly Finding[];
};

/**
 * Holds the signatures of an image or a file against rules alone, as `require` of a policy does: each rule by another
 * signer, each signature by what it says, and a no of an identity that a rule names refuses. Beside a policy an attestation
 * is no signature: a rule without a predicate type is met by a signature alone.
 * @see contract §5.4
 */
export function decideRequiredSigners(rules: readonly RequireRule[], found: FoundEvidence): RequiredSigners {
  const { counting, context, findings } = heldAgainst(rules, found);
  const met = meetRules(rules, [...counting.signatures, ...counting.attestations], (signature, { predicateType }) =>
    predicateType === undefined && isStatement(signature) ? [NO_SIGNATURE] : whyNot(context, signature),
  );
  return { required: met, findings: [...findings, ...findingsOf(met)] };
}

/**
 * What stands against an image or a file by whom one rule names, and what may hide such a no: in whatever spelling, of
 * whatever type, until the same person takes it back by a yes that counts for the rule. Empty where nothing does.
 */
export function findNo(identity: IdentityRule, found: FoundEvidence): readonly Finding[] {
  return heldAgainst([{ identity }], found).findings;
}

function heldAgainst(rules: readonly RequireRule[], found: FoundEvidence) {
  const policy = { ...ASKS_FOR_NOTHING, require: rules };
  const evidence = collectEvidence(found);
  const counting = affirmativeEvidence(evidence, policy);
  const conditions = { unmet: () => [] };
  const reviewing = { agentSignatures: [], agedSignatures: [], conditions } as const;
  const asked = { policy, profile: 'strict', builds: [] } as const;
  const view = { kind: 'registry-only' } as const;
  const { findings } = findNegatives({ ...asked, evidence, counting, view, reviewing: () => reviewing });
  return { counting, context: { ...asked, ...reviewing, evidence: counting }, findings };
}

const NO_SIGNATURE = 'an attestation, which is no signature';

function isStatement(signature: VerifiedSignature): boolean {
  return statementTypeOf(signature) !== undefined;
}

/** What a policy is that asks for nothing. */
const ASKS_FOR_NOTHING: Omit<Policy, 'require'> = {
  name: 'require',
  images: [],
  maker: { kind: 'agent', identity: NOBODY },
  agent: NOBODY,
  modelAsRequested: false,
  exceptions: [],
  review: {
    isRequired: true,
    identity: NOBODY,
    predicateType: agentReviewType(),
    runPredicateType: agentRunType(),
    isReview: (type) => isReviewType(String(type)),
    isRun: (type) => isRunType(String(type)),
    conditions: [],
    mayWithdraw: [],
  },
  sources: new Map(),
  contradictions: 'warn',
  mode: 'enforce',
  profile: 'strict',
};
