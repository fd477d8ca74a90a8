import { dayNumber, dayOf, parseInstant } from '../calendar/calendar.ts';
import type { RemediationRecord, SlaCompliance } from './remediation-record.ts';

/** The fields that nobody states. */
export type ComputedFields = Pick<RemediationRecord, 'affected' | 'days_to_remediate' | 'sla_compliance'>;
type Stated = Omit<RemediationRecord, keyof ComputedFields>;

/**
 * The record with its computed fields as they are at that moment. Those of a closed record depend on the record alone.
 * @param asOf RFC 3339
 */
export function withComputedFields(record: Stated, asOf: string): RemediationRecord {
  return { ...record, ...computedFields(record, asOf) };
}

/** What follows from the other fields (contract §2.9, §8). */
export function computedFields(record: Stated, asOf: string): ComputedFields {
  return {
    affected: record.vex_status !== 'not_affected',
    days_to_remediate: record.date_deployed === null ? null : daysBetween(record.date_discovered, record.date_deployed),
    sla_compliance: slaCompliance(record, asOf),
  };
}

function slaCompliance({ vex_status, state, due_at, ...record }: Stated, asOf: string): SlaCompliance {
  if (vex_status === 'not_affected') return 'not_applicable';
  if (state === 'open') return due_at !== null && instantOf(asOf) > instantOf(due_at) ? 'overdue' : 'pending';
  if (due_at === null || record.date_deployed === null) return 'not_applicable';
  // Where only the day of a deployment is known, the day of the due time is what it can be held against.
  const isInTime =
    record.deployed_at === null
      ? record.date_deployed <= dayOf(due_at)!
      : instantOf(record.deployed_at) <= instantOf(due_at);
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
