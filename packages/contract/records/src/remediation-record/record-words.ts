/** What is to be done about a vulnerability. */
export const DECISIONS = ['undecided', 'patch', 'remove', 'mitigate', 'justify', 'accept'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Where a record stands in its time. */
export const SLA_COMPLIANCES = ['within_sla', 'out_of_sla', 'pending', 'overdue', 'not_applicable'] as const;
export type SlaCompliance = (typeof SLA_COMPLIANCES)[number];

/** A void record is closed too. */
export const RECORD_STATES = ['open', 'closed'] as const;

/** What happens to a record. */
export const REMEDIATION_ACTIONS = ['opened', 'updated', 'closed', 'reopened', 'escalated', 'voided'] as const;

/**
 * Why a record is set aside: nobody should have opened it, the advisory was taken back, or another record of the same
 * vulnerability in the same component goes on with it.
 */
export const VOID_CAUSES = ['mistake', 'withdrawn_advisory', 'joined'] as const;
export type VoidCause = (typeof VOID_CAUSES)[number];

/** Documents that a record rests on. */
export const EVIDENCE_KINDS = ['sbom', 'scan', 'vex', 'signature'] as const;
