import type { Severity } from '../finding/severity.ts';
import type { RemediationPriority } from '../priority/priority.ts';
import type { VexStatus } from '../vex/vex-document.ts';

/** What is to be done about a vulnerability. */
export const DECISIONS = ['undecided', 'patch', 'remove', 'mitigate', 'justify', 'accept'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Where a record stands in its time. */
export const SLA_COMPLIANCES = ['within_sla', 'out_of_sla', 'pending', 'overdue', 'not_applicable'] as const;
export type SlaCompliance = (typeof SLA_COMPLIANCES)[number];

/** One change of a record: who made it, when, and from what to what. */
export type RemediationEvent = {
  /** RFC 3339 in UTC. */
  readonly at: string;
  /** An e-mail address, the subject of a certificate, or `colophon` for what happened by itself. */
  readonly by: string;
  readonly action: 'opened' | 'updated' | 'closed' | 'reopened' | 'escalated';
  readonly reason?: string;
  readonly changes: Readonly<Record<string, readonly [from: unknown, to: unknown]>>;
};

/** A document that a record rests on, kept by its digest. */
export type EvidenceReference = {
  readonly kind: 'sbom' | 'scan' | 'vex' | 'signature';
  /** `sha256:<hex>` */
  readonly digest: string;
  /** A file name without folders. */
  readonly name: string;
};

/**
 * What is done about one CVE in one component of one product (contract §2.9, every field; null is what is not known
 * yet). The fields after `sla_compliance` are ours.
 */
export type RemediationRecord = {
  readonly cve: string;
  /** The component's name. */
  readonly component: string;
  readonly current_version: string;
  /** Computed: false once, and only while, the status is `not_affected`. */
  readonly affected: boolean;
  readonly decision: Decision;
  readonly patch_version: string | null;
  readonly estimated_patch_date: string | null;
  readonly vex_status: VexStatus;
  readonly owner: string | null;
  readonly tracking_id: string | null;
  readonly date_discovered: string;
  readonly date_patched: string | null;
  readonly date_deployed: string | null;
  readonly cisa_kev: boolean;
  /** Computed: days from discovery to deployment; null until then. */
  readonly days_to_remediate: number | null;
  /** Computed against the time of its priority (contract §8). */
  readonly sla_compliance: SlaCompliance;

  /** Made from product, CVE and component: opening the same twice is one record. */
  readonly id: string;
  /** The artifact whose SBOM was scanned, without its version. */
  readonly product: string;
  readonly purl: string | null;
  readonly aliases: readonly string[];
  readonly severity: Severity;
  readonly cvss_score: number | null;
  readonly remediation_priority: RemediationPriority;
  /** RFC 3339; null where no time is set. */
  readonly due_at: string | null;
  /** RFC 3339; the instants behind `date_discovered` and `date_deployed`. */
  readonly discovered_at: string;
  readonly deployed_at: string | null;
  readonly state: 'open' | 'closed';
  readonly closed_at: string | null;
  /** Name of the scanner that reported it: another one's silence proves nothing. */
  readonly scanner: string;
  readonly evidence: readonly EvidenceReference[];
  readonly history: readonly RemediationEvent[];
};
