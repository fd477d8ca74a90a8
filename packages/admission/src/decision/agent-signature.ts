import {
  isAcceptedSource,
  purposeFits,
  purposeOf,
  type SourcedClaim,
  UNKNOWN,
  type VerifiedSignature,
} from '@colophon/records';
import { isNegativeStatement, isRunType } from '../negatives/negative-statement.ts';
import type { AdmissionProfile, Policy } from '../policy/policy.ts';
import { checkAgentRun } from './agent-run-statement.ts';
import { claimOf, type ImageEvidence, statementTypeOf } from './image-evidence.ts';
import { type Finding, shown, shownList } from './reason.ts';

/** The signatures by which approved agents stand behind the image, or why there is none. */
export type AgentSignatures = {
  readonly accepted: readonly VerifiedSignature[];
  /** Empty where nothing is accepted only because all that approved agents say is negative. */
  readonly findings: readonly Finding[];
};

/**
 * Finds what approved agents signed: the image itself or, as good, an agent-run statement about it. Under `spec` any
 * statement of theirs will do (contract §5.3 speaks of one authority for all). One signature that meets every rule is
 * enough; where there is none, each finding of each that was tried is reported. Strict: a run that says no stands behind
 * nothing.
 */
export function findAgentSignatures(
  policy: Policy,
  profile: AdmissionProfile,
  evidence: ImageEvidence,
): AgentSignatures {
  const counts = (type: string | undefined) => type === undefined || policy.review.isRun(type) || profile === 'spec';
  const candidates = [...evidence.signatures, ...evidence.attestations].filter((one) => counts(statementTypeOf(one)));
  // A review may be signed with a reviewer's certificate, and by that nobody stands behind what was made.
  const approved = candidates.filter(
    ({ certificate_identity: identity }) =>
      policy.agent.accepts(identity) && purposeFits(purposeOf(identity), 'artifact'),
  );
  if (candidates.length === 0) return { accepted: [], findings: [explainAbsence(evidence, counts)] };
  if (approved.length === 0) {
    const found = shownList(
      candidates.map(({ certificate_identity: identity }) => `${identity.subject} of ${identity.issuer}`),
    );
    const message = 'The image is signed, but not by an agent that the policy approves.';
    return {
      accepted: [],
      findings: [{ code: 'admission.agent_not_approved', message, expected: policy.agent.description, found }],
    };
  }
  const own = { runType: policy.review.runPredicateType };
  const affirmative = approved.filter(
    ({ statement }) => profile === 'spec' || statement === undefined || !isNegativeStatement(statement, own),
  );
  if (affirmative.length === 0) return { accepted: [], findings: [] };
  const checked = affirmative.map((signature) => ({ signature, findings: checkClaims(policy, profile, signature) }));
  const accepted = checked.filter(({ findings }) => findings.length === 0).map(({ signature }) => signature);
  if (accepted.length > 0) return { accepted, findings: [] };
  return { accepted, findings: checked.flatMap(({ findings }) => findings) };
}

function checkClaims(policy: Policy, profile: AdmissionProfile, signature: VerifiedSignature): Finding[] {
  const findings: Finding[] = [];
  const needed = new Set<SourcedClaim>(policy.sources.keys());
  // Without the commit, no review can be compared with what the agent made.
  if (profile === 'strict') needed.add('commit_sha');
  for (const claim of needed) {
    if (claimOf(signature, claim) === undefined) {
      const message = `The certificate of ${shown(signature.certificate_identity.subject)} has no ${claim}.`;
      findings.push({ code: 'admission.claim_unknown', message, expected: claim, found: UNKNOWN });
    }
  }
  for (const [claim, allowed] of policy.sources) {
    const source = signature.certificate_identity.sources[claim];
    if (isAcceptedSource(allowed, source)) continue;
    const message = `The policy does not accept the source of ${claim}.`;
    const found = source ?? 'no source';
    findings.push({ code: 'admission.source_not_allowed', message, expected: allowed.join(', '), found });
  }
  const type = statementTypeOf(signature);
  if (type !== undefined && isRunType(type, policy.review.runPredicateType)) {
    findings.push(...checkAgentRun(signature, profile));
  }
  return findings;
}

function explainAbsence(evidence: ImageEvidence, counts: (type: string | undefined) => boolean): Finding {
  const rejected = evidence.rejected.filter(({ predicate_type: predicateType }) => counts(predicateType));
  if (rejected.length > 0) {
    const found = shownList(rejected.map(({ code, message }) => `${code}: ${message}`));
    const message = 'Signatures were found for the image, but none of them counts.';
    return { code: 'admission.signature_rejected', message, found };
  }
  const elsewhere = evidence.elsewhere.filter((signature) => counts(statementTypeOf(signature)));
  if (elsewhere.length > 0) {
    const message = 'Signatures were found, but they are about something else than this image.';
    const found = shownList(
      elsewhere.flatMap(({ artifact_digest, statement }) => subjectsOf(artifact_digest, statement)),
    );
    return { code: 'admission.signature_other_image', message, expected: evidence.sha256, found };
  }
  return { code: 'admission.no_signature', message: 'No signature was found for the image.' };
}

function subjectsOf(artifactDigest: string | undefined, statement: VerifiedSignature['statement']): string[] {
  if (statement !== undefined) return statement.subject.map(({ digest }) => digest['sha256'] ?? 'no sha256');
  return [artifactDigest?.slice('sha256:'.length) ?? 'no sha256'];
}
