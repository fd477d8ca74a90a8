import { coveringPolicies, type Policy } from '@colophon/admission';

/** What is decided where a reason stands in the place of all evidence. */
export type DecisionWithoutEvidence<Reason> = {
  readonly admitted: boolean;
  readonly reasons: readonly Reason[];
  readonly warnings: readonly Reason[];
};

/**
 * Decides about an image of which nothing could be found out, because its registry failed or for another reason: it stays out,
 * unless only audits cover it; then the reason is a warning.
 */
export function decideWithoutEvidence<Reason>(
  reference: string,
  policies: readonly Policy[],
  reason: Reason,
): DecisionWithoutEvidence<Reason> {
  return isAuditedAlone(coveringPolicies(reference, policies))
    ? { admitted: true, reasons: [], warnings: [reason] }
    : { admitted: false, reasons: [reason], warnings: [] };
}

/** Whether the policies that cover an image keep nothing out. */
export function isAuditedAlone(covering: readonly Policy[]): boolean {
  return covering.length > 0 && covering.every(({ mode }) => mode === 'audit');
}
