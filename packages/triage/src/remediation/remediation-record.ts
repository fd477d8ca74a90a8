import type { Severity } from '../finding/severity.ts';
import type { RemediationPriority } from '../priority/priority.ts';
import type { VexJustification, VexStatus } from '../vex/vex-document.ts';

/** What is to be done about a vulnerability. */
export const DECISIONS = ['undecided', 'patch', 'remove', 'mitigate', 'justify', 'accept'] as const;
export type Decision = (typeof DECISIONS)[number];

/** Where a record stands in its time. */
export const SLA_COMPLIANCES = ['within_sla', 'out_of_sla', 'pending', 'overdue', 'not_applicable'] as const;
export type SlaCompliance = (typeof SLA_COMPLIANCES)[number];

/** What happens to a record. */
export const REMEDIATION_ACTIONS = ['opened', 'updated', 'closed', 'reopened', 'escalated', 'voided'] as const;

/** Why a record is set aside: nobody should have opened it, or the advisory was taken back. */
export const VOID_CAUSES = ['mistake', 'withdrawn_advisory'] as const;
export type VoidCause = (typeof VOID_CAUSES)[number];

/** One change of a record: who made it, when, and from what to what. */
export type RemediationEvent = {
  /** RFC 3339 in UTC. */
  readonly at: string;
  /** An e-mail address, the subject of a certificate, or `colophon` for what happened by itself. */
  readonly by: string;
  readonly action: (typeof REMEDIATION_ACTIONS)[number];
  readonly reason?: string;
  /** Codes of the conditions that the reason set aside, sorted; absent where there are none. */
  readonly overrides?: readonly string[];
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

/** The SBOM that a scan was of: what tells a newer one from an older one. */
export type RecordedSbom = {
  /** `sha256:<hex>` of the file. */
  readonly digest: string;
  readonly serial_number: string | null;
  readonly version: number | null;
  /** metadata.timestamp; RFC 3339. */
  readonly timestamp: string | null;
  readonly artifact_version: string | null;
};

/** One scan, by what makes it comparable with another one. */
export type RecordedScan = {
  readonly scanner: string;
  readonly scanner_version: string | null;
  /** RFC 3339; null where neither the output nor the caller said it. */
  readonly database_built_at: string | null;
  readonly scanned_at: string | null;
  /** Digest of the scan as it is kept. */
  readonly scan: string;
  readonly sbom: RecordedSbom | null;
};

/** What one scanner says of the vulnerability here; the newest scan of each scanner that listed it. */
export type Sighting = RecordedScan & {
  /** Of the component; sorted. */
  readonly versions: readonly string[];
  readonly severity: Severity;
  readonly cvss_score: number | null;
  /** In the scanner's words, where it says that the advisory was withdrawn or the CVE rejected; else absent. */
  readonly withdrawn?: string;
};

/** What a record was closed by, or that it was set aside. */
export type Resolution =
  | { readonly kind: 'rescan'; readonly sbom: RecordedSbom; readonly scans: readonly RecordedScan[] }
  | {
      readonly kind: 'statement';
      /** Digest of the VEX document. */
      readonly document: string;
      readonly justification: VexJustification;
      /** RFC 3339 */
      readonly stated_at: string;
      /** Who signed the document. */
      readonly signer: string;
    }
  /** Nothing was resolved: the record is set aside. The reason stands in the history. */
  | { readonly kind: 'void'; readonly cause: VoidCause };

/** The signature over a closed or voided record. */
export type ClosingSignature = {
  /** Digest of the bundle, which is kept with the evidence. */
  readonly bundle: string;
  readonly signer: string;
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
  readonly fixed_in_versions: readonly string[];
  /** One for each scanner that listed it, sorted by scanner: each of them has to look again. */
  readonly sightings: readonly Sighting[];
  /** Null while the record is open. */
  readonly resolution: Resolution | null;
  /** Over the canonical JSON (RFC 8785) of the closed record in which this field is null. */
  readonly closing_signature: ClosingSignature | null;
  readonly evidence: readonly EvidenceReference[];
  readonly history: readonly RemediationEvent[];
};
