import { AGENT_PREFIX, basisOf, type CertificateIdentity, isAgentIdentity, type SourcedClaim } from '@colophon/records';
import { type AgentEvidence, evidenceOf } from './agent-evidence.ts';
import type { CommentBasis } from './comment-basis.ts';

/** The claim that each part of a comment is taken from. */
const PARTS: ReadonlyArray<readonly [part: keyof CommentBasis, claim: SourcedClaim]> = [
  ['agent', 'agent_name'],
  ['version', 'agent_version'],
  ['model', 'model_id'],
  ['prompt', 'prompt_hash'],
  ['reviewedBy', 'human_reviewer'],
];

/**
 * What the certificate that signed a commit says of the agent. Its reviewer is one only where signature and review event
 * are confirmed: whom an agent names in its own request reviewed nothing by that.
 * @param isVerified signature, chain, time, log and issuer were verified
 * @returns undefined where no agent signed
 */
export function evidenceOfSigner(identity: CertificateIdentity, isVerified: boolean): AgentEvidence | undefined {
  if (!isAgentIdentity(identity)) return undefined;
  const { claims, subject } = identity;
  const isReviewed = isVerified && basisOf(identity, 'human_reviewer')?.source === 'review-event';
  const evidence = evidenceOf(isVerified ? 'signature' : 'signature-unverified', {
    agent: subject.slice(AGENT_PREFIX.length),
    version: claims.agent_version,
    model: claims.model_id,
    prompt: claims.prompt_hash,
    reviewedBy: isReviewed ? claims.human_reviewer : undefined,
  });
  if (!isVerified) return evidence;
  const basis = PARTS.flatMap(([part, claim]) => {
    const one = evidence[part] === undefined ? undefined : basisOf(identity, claim);
    return one === undefined ? [] : [[part, one] as const];
  });
  return { ...evidence, basis: Object.fromEntries(basis) };
}
