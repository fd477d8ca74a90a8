import { dayNumber, dayOf, parseInstant } from '@colophon/notation';
import type { RemediationRecord, SlaCompliance } from '@colophon/records';

/** The fields that nobody states. */
export type ComputedFields = Pick<RemediationRecord, 'affected' | 'days_to_remediate' | 'sla_compliance'>;
type Stated = Omit<RemediationRecord, keyof ComputedFields>;

/**
 * The record with its computed fields as they are at that moment. Those of a closed record depend on the record alone.
 * @param asOf RFC 3339
 */
export function withComputedFields(record: Stated & Partial<ComputedFields>, asOf: string): RemediationRecord {
  const computed = computedFields(record, asOf);
  const { affected, days_to_remediate, sla_compliance } = computed;
  const isSame =
    record.affected === affected &&
    record.days_to_remediate === days_to_remediate &&
    record.sla_compliance === sla_compliance;
  // Most records have them already, and a report has many: copying each would be most of the work.
  return isSame ? (record as RemediationRecord) : { ...record, ...computed };
}

/** What follows from the other fields (contract §2.9, §8). */
export function computedFields(record: Stated, asOf: string): ComputedFields {
  return {
    affected: record.vex_status !== 'not_affected',
    days_to_remediate: record.date_deployed === null ? null : daysBetween(record.date_discovered, record.date_deployed),
    sla_compliance: slaCompliance(record, asOf),
  };
}

function slaCompliance(record: Stated, asOf: string): SlaCompliance {
  const { vex_status, state, due_at, date_deployed, deployed_at, resolution } = record;
  if (vex_status === 'not_affected' || resolution?.kind === 'void') return 'not_applicable';
  if (state === 'open') return due_at !== null && instantOf(asOf) > instantOf(due_at) ? 'overdue' : 'pending';
  if (due_at === null || date_deployed === null) return 'not_applicable';
  // Where only the day of a deployment is known, it can only be compared with the day of the due time.
  const isInTime = deployed_at === null ? date_deployed <= dayOf(due_at)! : instantOf(deployed_at) <= instantOf(due_at);
  return isInTime ? 'within_sla' : 'out_of_sla';
}

/** Days of the calendar in UTC: 1 from a day to the next, whatever the hour. */
function daysBetween(from: string, to: string): number {
  return dayNumber(to)! - dayNumber(from)!;
}

function instantOf(text: string): number {
  const instant = parseInstant(text);
  if (instant === undefined) throw new TypeError(`no RFC 3339 time: ${text}`);
  return instant;
}
