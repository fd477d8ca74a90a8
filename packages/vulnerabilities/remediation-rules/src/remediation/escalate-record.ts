import { findEntry, type KnownExploitedCatalog } from '@colophon/findings';
import type { RemediationRecord } from '@colophon/records';
import { raised } from './raised-priority.ts';
import { type Actor, withEvent } from './record-history.ts';

/**
 * What a catalog makes of a record: one that entered it becomes more urgent, one that left it keeps its urgency and says
 * so in its history. A closed record, and one that the catalog says nothing new of, is returned as it is.
 */
export function escalateRecord(
  record: RemediationRecord,
  catalog: KnownExploitedCatalog,
  { at, by }: Actor,
): RemediationRecord {
  if (record.state === 'closed') return record;
  const isExploited = findEntry(catalog, { id: record.cve, aliases: record.aliases }) !== undefined;
  if (isExploited === record.cisa_kev) return record;
  const { severity, cvss_score } = record;
  const urgency = raised(record, { severity, score: cvss_score ?? undefined, isExploited }, at);
  const reason = `${isExploited ? 'entered' : 'left'} the known-exploited catalog ${catalog.catalogVersion}`;
  return withEvent(record, { ...urgency, cisa_kev: isExploited }, { at, by, action: 'escalated', reason });
}
