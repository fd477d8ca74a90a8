import type { RemediationRecord } from '@colophon/records';
import { parseRemediationRecord, type RemediationIssue } from '@colophon/remediation-rules';
import type { RemediationRow } from '@colophon/store';
import { accepted } from './remediation-error.ts';

/** A record with the revision in which it was read. */
export type KeptRecord = { readonly record: RemediationRecord; readonly revision: number };

/** @throws RemediationError where what is kept is no record, or contradicts itself */
export function keptRecord({ document, revision, id }: RemediationRow): KeptRecord {
  const parsed = parseRemediationRecord(JSON.parse(document));
  if (parsed.ok) return { record: parsed.value, revision };
  const issues = parsed.issues.map((issue) => ({ ...issue, message: `record ${id}: ${issue.message}` }));
  return accepted({ ok: false, issues: issues as readonly RemediationIssue[] });
}

/** The row that a record becomes. */
export function rowOf(record: RemediationRecord, revision: number): RemediationRow {
  return {
    id: record.id,
    revision,
    product: record.product,
    cve: record.cve,
    isOpen: record.state === 'open',
    discoveredAt: record.discovered_at,
    document: JSON.stringify(record),
  };
}
