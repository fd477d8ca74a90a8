import type { RemediationRecord } from '@colophon/records';

const NUMBERS = { next: 1 };

/** An open record of a high CVE, discovered on 2026-10-05; what a test is about is said by it. */
export function recordOf(more: Partial<RemediationRecord> = {}): RemediationRecord {
  const date_discovered = more.date_discovered ?? '2026-10-05';
  const date_deployed = more.date_deployed ?? null;
  return {
    cve: 'CVE-2026-1000',
    component: 'left-pad',
    current_version: '1.3.0',
    affected: more.vex_status !== 'not_affected',
    decision: 'patch',
    patch_version: null,
    estimated_patch_date: null,
    vex_status: 'affected',
    owner: 'dana@example.com',
    tracking_id: 'SEC-1',
    date_discovered,
    date_patched: null,
    date_deployed,
    cisa_kev: false,
    days_to_remediate: null,
    sla_compliance: 'pending',
    id: `rec-${NUMBERS.next++}`,
    product: 'shop',
    purl: 'pkg:npm/left-pad@1.3.0',
    aliases: [],
    severity: 'high',
    cvss_score: 7.5,
    remediation_priority: 'high',
    due_at: null,
    discovered_at: `${date_discovered}T08:00:00Z`,
    deployed_at: date_deployed === null ? null : `${date_deployed}T18:00:00Z`,
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
}

/** Fixed: deployed and closed on that day. */
export function patchedOn(date_deployed: string, more: Partial<RemediationRecord> = {}): RemediationRecord {
  return recordOf({
    vex_status: 'fixed',
    state: 'closed',
    closed_at: `${date_deployed}T20:00:00Z`,
    date_patched: date_deployed,
    date_deployed,
    ...more,
  });
}

/** Not affected by a statement of that day. */
export function notAffectedOn(day: string, more: Partial<RemediationRecord> = {}): RemediationRecord {
  return recordOf({
    vex_status: 'not_affected',
    decision: 'justify',
    state: 'closed',
    closed_at: `${day}T12:00:00Z`,
    evidence: [{ kind: 'vex', digest: `sha256:${'e'.repeat(64)}`, name: 'shop.vex.json' }],
    ...more,
  });
}
