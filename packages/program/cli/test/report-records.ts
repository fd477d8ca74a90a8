import type { RemediationRecord } from '@colophon/records';
import { RECORDED_FIELDS, withComputedFields } from '@colophon/remediation-rules';

const HEX = 'a'.repeat(64);

/** A record as it is kept, which the parser of records takes: an open one unless a test says more. */
export function keptRecord(more: Partial<RemediationRecord> = {}): RemediationRecord {
  const date_discovered = more.date_discovered ?? '2026-10-05';
  const record: RemediationRecord = {
    cve: 'CVE-2026-1000',
    component: 'left-pad',
    current_version: '1.3.0',
    affected: true,
    decision: 'patch',
    patch_version: null,
    estimated_patch_date: null,
    vex_status: 'affected',
    owner: 'dana@example.com',
    tracking_id: 'SEC-1',
    date_discovered,
    date_patched: null,
    date_deployed: null,
    cisa_kev: false,
    days_to_remediate: null,
    sla_compliance: 'pending',
    id: `${more.product ?? 'shop'}/${more.cve ?? 'CVE-2026-1000'}/${more.component ?? 'left-pad'}`,
    product: 'shop',
    purl: 'pkg:npm/left-pad@1.3.0',
    aliases: [],
    severity: 'high',
    cvss_score: 7.5,
    remediation_priority: 'high',
    due_at: null,
    discovered_at: `${date_discovered}T08:00:00Z`,
    deployed_at: null,
    state: 'open',
    closed_at: null,
    scanner: 'grype',
    fixed_in_versions: [],
    sightings: [],
    resolution: null,
    closing_signature: null,
    evidence: [],
    history: [],
    ...more,
  };
  const changes = Object.fromEntries(
    RECORDED_FIELDS.filter((field) => record[field] !== null).map((field) => [field, [null, record[field]] as const]),
  );
  const at = record.closed_at ?? record.discovered_at;
  const history = [{ at: record.discovered_at, by: 'colophon', action: 'opened' as const, changes }];
  return withComputedFields({ ...record, history }, at);
}

/** Fixed: deployed and closed on that day. */
export function patchedRecord(date_deployed: string, more: Partial<RemediationRecord> = {}): RemediationRecord {
  const sbom = { digest: `sha256:${HEX}`, serial_number: null, version: null, timestamp: null, artifact_version: null };
  return keptRecord({
    vex_status: 'fixed',
    state: 'closed',
    date_deployed,
    closed_at: `${date_deployed}T20:00:00Z`,
    resolution: { kind: 'rescan', sbom, scans: [] },
    ...more,
  });
}
