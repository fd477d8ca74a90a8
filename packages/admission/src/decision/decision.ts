import type { RejectedSignature, VerifiedSignature } from '@colophon/records';
import { type ImageReference, isImageDigest, parseImageReference } from '../image/image-reference.ts';
import type { AdmissionProfile, Policy } from '../policy/policy.ts';
import { findAgentSignatures } from './agent-signature.ts';
import { collectEvidence, type ImageEvidence, statementTypeOf } from './image-evidence.ts';
import type { AdmissionReason, Finding } from './reason.ts';
import { shown } from './reason.ts';
import { findReviews } from './review.ts';

/** More than so many signatures are not looked at: the image is refused. */
export const MAX_SIGNATURES = 1000;

/** What a decision is made from. */
export type AdmissionInput = {
  readonly image: {
    /** As the image was asked for, e.g. `ghcr.io/acme/app:v1`; policies are chosen by it. */
    readonly reference: string;
    /** `sha256:<64 hex>`, resolved once; everything is checked against it. */
    readonly digest: string;
  };
  readonly signatures: readonly VerifiedSignature[];
  readonly rejected: readonly RejectedSignature[];
  readonly policies: readonly Policy[];
  /** Takes the place of every policy's own profile. */
  readonly profile?: AdmissionProfile;
};

/** What one policy says. */
export type PolicyVerdict = {
  readonly policy: string;
  readonly mode: Policy['mode'];
  readonly profile: AdmissionProfile;
  readonly admitted: boolean;
  readonly reasons: readonly AdmissionReason[];
  /** By which the image passes; empty when it does not. */
  readonly agentSignatures: readonly VerifiedSignature[];
  readonly reviews: readonly VerifiedSignature[];
};

/** Whether the image may run, and every reason why not. */
export type AdmissionDecision = {
  readonly admitted: boolean;
  /** Empty exactly when the image is admitted. */
  readonly reasons: readonly AdmissionReason[];
  /** For which a policy in `audit` mode would have refused. */
  readonly warnings: readonly AdmissionReason[];
  /** One for each policy that covers the image. */
  readonly verdicts: readonly PolicyVerdict[];
};

/**
 * Decides whether an image is admitted. Every policy that covers it must admit it, and an image that none covers is
 * refused. A refusal is a value; an exception on the way is a refusal too (`admission.internal`). Codes are
 * ADMISSION_REASON_CODES.
 * @see contract §5.3, §5.4
 */
export function decideAdmission(input: AdmissionInput): AdmissionDecision {
  try {
    const problems = checkImage(input);
    return problems.length > 0 ? refuse(problems) : decide(input);
  } catch {
    return refuse([{ code: 'admission.internal', message: 'The decision could not be made.' }]);
  }
}

function refuse(reasons: readonly AdmissionReason[]): AdmissionDecision {
  return { admitted: false, reasons, warnings: [], verdicts: [] };
}

function checkImage({ image, signatures, rejected }: AdmissionInput): AdmissionReason[] {
  const reasons: AdmissionReason[] = [];
  const reference = parseImageReference(image.reference);
  if (reference === undefined) {
    const message = 'The image has a name that no registry accepts.';
    reasons.push({ code: 'admission.image_reference_invalid', message, found: shown(image.reference) });
  }
  const found = shown(image.digest);
  if (!isImageDigest(image.digest)) {
    const message = 'The digest of the image is not a SHA-256.';
    reasons.push({ code: 'admission.image_digest_invalid', message, expected: 'sha256:<64 hex>', found });
  } else if (reference?.digest !== undefined && reference.digest !== image.digest) {
    const message = 'The image is named by one digest and resolved to another.';
    reasons.push({ code: 'admission.image_digest_mismatch', message, expected: reference.digest, found });
  }
  const count = signatures.length + rejected.length;
  if (count > MAX_SIGNATURES) {
    const message = 'The image has more signatures than are looked at.';
    reasons.push({ code: 'admission.too_many_signatures', message, expected: `${MAX_SIGNATURES}`, found: `${count}` });
  }
  return reasons;
}

function decide(input: AdmissionInput): AdmissionDecision {
  const reference = parseImageReference(input.image.reference) as ImageReference;
  const covering = input.policies.filter(({ images }) => images.some((glob) => glob.covers(reference)));
  if (covering.length === 0) {
    const message = 'No policy covers the image.';
    return refuse([{ code: 'admission.image_not_covered', message, found: shown(input.image.reference) }]);
  }
  const sha256 = input.image.digest.slice('sha256:'.length);
  const evidence = collectEvidence(sha256, input.signatures, input.rejected);
  const verdicts = covering.map((policy) => judge(policy, input, evidence));
  const reasonsOf = (mode: Policy['mode']) =>
    verdicts.filter((verdict) => verdict.mode === mode).flatMap(({ reasons }) => reasons);
  const reasons = reasonsOf('enforce');
  return { admitted: reasons.length === 0, reasons, warnings: reasonsOf('audit'), verdicts };
}

function judge(
  policy: Policy,
  { image, profile = policy.profile }: AdmissionInput,
  evidence: ImageEvidence,
): PolicyVerdict {
  const agent = findAgentSignatures(policy, profile, evidence);
  const review = findReviews({ policy, profile, evidence, image, agentSignatures: agent.accepted });
  const findings = distinct([...agent.findings, ...review.findings, ...checkRequired(policy, evidence)]);
  const admitted = findings.length === 0;
  return {
    policy: policy.name,
    mode: policy.mode,
    profile,
    admitted,
    reasons: findings.map((finding) => ({ ...finding, policy: policy.name })),
    agentSignatures: admitted ? agent.accepted : [],
    reviews: admitted ? review.accepted : [],
  };
}

/** Contract §5.4: identities that must have signed the image beside the agent. */
function checkRequired({ require }: Policy, { signatures, attestations }: ImageEvidence): Finding[] {
  return require.flatMap(({ identity, predicateType }): Finding[] => {
    const holds = [...signatures, ...attestations].some(
      (one) =>
        identity.accepts(one.identity) && (predicateType === undefined || statementTypeOf(one) === predicateType),
    );
    if (holds) return [];
    const message = 'A signature that the policy requires was not found.';
    const expected = identity.description + (predicateType === undefined ? '' : `, ${predicateType}`);
    return [{ code: 'admission.required_signature_missing', message, expected }];
  });
}

function distinct(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}
