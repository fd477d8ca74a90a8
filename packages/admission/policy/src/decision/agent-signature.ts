import {
  isAcceptedSource,
  isSubstituted,
  parseAgentRun,
  purposeFits,
  purposeOf,
  type SourcedClaim,
  UNKNOWN,
  type VerifiedSignature,
} from '@colophon/records';
import { isRunType } from '../meaning/meaning.ts';
import { isNegativeStatement } from '../negatives/negative-statement.ts';
import type { AdmissionProfile, Policy } from '../policy/policy.ts';
import { checkAgentRun } from './agent-run-statement.ts';
import { type Attestation, claimOf, type ImageEvidence, isAttestation, statementTypeOf } from './image-evidence.ts';
import { type Finding, shown, shownList } from './reason.ts';
import { checkAge } from './signature-age.ts';

/** The signatures by which approved agents stand behind the image, or why there is none. */
export type AgentSignatures = {
  readonly accepted: readonly VerifiedSignature[];
  /** Those that meet every rule but the one of age. */
  readonly aged: readonly VerifiedSignature[];
  /** Empty where nothing is accepted only because all that approved agents say is negative. */
  readonly findings: readonly Finding[];
};

/** Where nobody signed by whom an image could pass. */
export const NO_SIGNATURES = { accepted: [], aged: [] } as const;

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
  nowSeconds?: number,
): AgentSignatures {
  const counts = (type: string | undefined) => type === undefined || policy.review.isRun(type) || profile === 'spec';
  const candidates = [...evidence.signatures, ...evidence.attestations].filter((one) => counts(statementTypeOf(one)));
  // A review may be signed with a reviewer's certificate, and by that nobody stands behind what was made.
  const approved = candidates.filter(
    ({ certificate_identity: identity }) =>
      policy.agent.accepts(identity) && purposeFits(purposeOf(identity), 'artifact'),
  );
  if (candidates.length === 0) return { ...NO_SIGNATURES, findings: [explainAbsence(evidence, counts)] };
  if (approved.length === 0) {
    const found = shownList(
      candidates.map(({ certificate_identity: identity }) => `${identity.subject} of ${identity.issuer}`),
    );
    const message = 'The image is signed, but not by an agent that the policy approves.';
    return {
      ...NO_SIGNATURES,
      findings: [{ code: 'admission.agent_not_approved', message, expected: policy.agent.description, found }],
    };
  }
  const affirmative = approved.filter(
    ({ statement }) => profile === 'spec' || statement === undefined || !isNegativeStatement(statement),
  );
  const { maxAgeSeconds } = policy.maker as { readonly maxAgeSeconds?: number };
  const checked = affirmative.map((signature) => ({
    signature,
    findings: checkClaims(policy, profile, signature),
    tooOld: checkAge(signature, maxAgeSeconds, nowSeconds),
  }));
  const whole = checked.filter(({ findings }) => findings.length === 0);
  const accepted = whole.filter(({ tooOld }) => tooOld.length === 0).map(({ signature }) => signature);
  const aged = whole.filter(({ tooOld }) => tooOld.length > 0).map(({ signature }) => signature);
  if (accepted.length > 0) return { accepted, aged, findings: [] };
  return { accepted, aged, findings: checked.flatMap(({ findings, tooOld }) => [...findings, ...tooOld]) };
}

function checkClaims(policy: Policy, profile: AdmissionProfile, signature: VerifiedSignature): Finding[] {
  const findings: Finding[] = [];
  const needed = new Set<SourcedClaim>(policy.sources.keys());
  // Without the commit, no review can be compared with what the agent made.
  if (profile === 'strict') needed.add('commit_sha');
  if (policy.models !== undefined) needed.add('model_id');
  if (policy.policyPacks !== undefined) needed.add('policy_pack_hash');
  for (const claim of needed) {
    if (claimOf(signature, claim) === undefined) {
      const { subject, key } = signature.certificate_identity;
      const message =
        key === undefined
          ? `The certificate of ${shown(subject)} has no ${claim}.`
          : `A bare key certifies no ${claim}: the run that it signed has to say it, and none does.`;
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
  findings.push(...checkModel(policy, signature), ...checkPolicyPack(policy, signature));
  if (isAttestation(signature) && isRunType(signature.statement.predicateType)) {
    findings.push(...checkAgentRun(signature, profile));
  }
  return findings;
}

function checkModel({ models }: Policy, signature: VerifiedSignature): Finding[] {
  const modelId = claimOf(signature, 'model_id');
  if (models === undefined || modelId === undefined) return [];
  const provider = claimOf(signature, 'model_provider');
  if (models.some((model) => model.accepts(modelId, provider))) return [];
  const message = 'The policy does not accept the model that the agent ran on.';
  const expected = shownList(models.map(({ description }) => description));
  const found = shown(provider === undefined ? modelId : `${modelId} of ${provider}`);
  return [{ code: 'admission.model_not_allowed', message, expected, found }];
}

function checkPolicyPack({ policyPacks }: Policy, signature: VerifiedSignature): Finding[] {
  const hash = claimOf(signature, 'policy_pack_hash');
  if (policyPacks === undefined || hash === undefined || policyPacks.has(hash)) return [];
  const message = 'The policy does not accept the policy pack that the agent ran under.';
  const expected = shownList([...policyPacks].map(([accepted, name]) => `${name} (${accepted})`));
  return [{ code: 'admission.policy_pack_not_allowed', message, expected, found: shown(hash) }];
}

/**
 * What the runs of approved agents say of the model that was requested: each has to say it, as its certificate does, and no
 * other may have answered. One run of another model refuses, whatever the other runs say.
 * @param all also runs that may not say yes, as those in another format: what they say against the image is heard
 */
export function checkRequestedModel(
  policy: Policy,
  profile: AdmissionProfile,
  { evidence, all }: { readonly evidence: ImageEvidence; readonly all: ImageEvidence },
): Finding[] {
  if (!policy.modelAsRequested) return [];
  const ofAgents = ({ attestations }: ImageEvidence) =>
    attestations.filter(
      ({ statement, certificate_identity: identity }) =>
        isRunType(statement.predicateType, policy.review.runPredicateType) && policy.agent.accepts(identity),
    );
  const said = ofAgents(all).map((run) => modelOf(run, profile));
  const findings = said.flatMap((model): Finding[] => {
    if (model === undefined || !isSubstituted(model.requested, model.id)) return [];
    const message = 'Another model answered than was requested.';
    return [{ code: 'admission.model_substituted', message, expected: shown(model.requested), found: shown(model.id) }];
  });
  const hasRun = ofAgents(evidence).length > 0;
  if (hasRun && !said.includes(undefined)) return findings;
  const message = hasRun
    ? 'A run of the agent does not say which model was requested.'
    : 'No run of the agent was found that would say which model was requested.';
  return [
    ...findings,
    { code: 'admission.model_request_unknown', message, expected: 'model.requested in the agent run' },
  ];
}

/** Undefined for a run that does not say it, or whose word its own certificate denies. */
function modelOf(
  run: Attestation,
  profile: AdmissionProfile,
): { readonly id: string; readonly requested: string } | undefined {
  const parsed = parseAgentRun(run.statement.predicate);
  if (!parsed.ok || checkAgentRun(run, profile).length > 0) return undefined;
  const { id, requested } = parsed.value.model;
  return requested === undefined ? undefined : { id, requested };
}

export function explainAbsence(evidence: ImageEvidence, counts: (type: string | undefined) => boolean): Finding {
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
  return [(artifactDigest ?? 'no sha256').replace('sha256:', '')];
}
