import { type Disagreement, type Disagreements, disagreementsIn } from '../disagreement/disagreements.ts';
import type { Policy } from '../policy/policy.ts';
import type { ImageEvidence } from './image-evidence.ts';
import { isNamedAnywhere } from './negatives.ts';
import { type AdmissionReason, type Finding, shownList } from './reason.ts';

/**
 * Where what is said of an image disagrees, by identities that a rule of the policy names. What anybody else signs is
 * not counted.
 */
export function findDisagreements(policy: Policy, { signatures, attestations }: ImageEvidence): Disagreements {
  const named = [...signatures, ...attestations].filter(({ certificate_identity: identity }) =>
    isNamedAnywhere(policy, identity),
  );
  return disagreementsIn(named, policy.review.identity.issuers);
}

/** Why a policy with `contradictions: refuse` refuses; empty where nothing contradicts, and where it only warns. */
export function findContradicted(policy: Policy, { contradictions }: Disagreements): Finding[] {
  return policy.contradictions === 'refuse' ? findingsOf(contradictions) : [];
}

/** What is said of an image where a policy only warns. */
export function contradictionWarning(policy: Policy, { contradictions }: Disagreements): AdmissionReason[] {
  if (policy.contradictions === 'refuse') return [];
  return findingsOf(contradictions).map((finding) => ({
    ...finding,
    code: 'admission.contradiction_seen',
    policy: policy.name,
  }));
}

function findingsOf(contradictions: readonly Disagreement[]): Finding[] {
  if (contradictions.length === 0) return [];
  const message = 'What signers that the policy names say of the image cannot all be true.';
  const words = contradictions.map(({ field, said }) => `${field}: ${said.map(({ value }) => value).join(' and ')}`);
  return [
    {
      code: 'admission.contradiction',
      message,
      expected: 'one value of each claim for one token, and by all confirmed sources',
      found: shownList(words),
    },
  ];
}
