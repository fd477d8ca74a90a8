import { agentReviewType, parseAgentReview, type ReviewDecision, typesUnder } from '@colophon/records';
import type { VerifiedAttachment } from './attachments.ts';
import type { AttachedSignature } from './attachments-result.ts';

/** A verified attachment as results show it: whose it is, of which type, and of a review what it decides. */
export function attachedSignature(
  { attachment, verified: { certificate_identity, log_entry, statement, format } }: VerifiedAttachment,
  predicateBase: string,
): AttachedSignature {
  const isReview = typesUnder(predicateBase, agentReviewType).some((type) => type === statement?.predicateType);
  const decision = isReview ? decisionOf(statement?.predicate) : undefined;
  return {
    digest: attachment.descriptor.digest,
    certificate_identity,
    log_entry,
    ...(statement === undefined ? {} : { predicate_type: statement.predicateType }),
    ...(decision === undefined ? {} : { decision }),
    format,
  };
}

function decisionOf(predicate: unknown): ReviewDecision | undefined {
  const parsed = parseAgentReview(predicate);
  return parsed.ok ? parsed.value.decision : undefined;
}
