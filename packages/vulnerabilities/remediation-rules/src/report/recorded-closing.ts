import type { RemediationEvent, RemediationRecord } from '@colophon/records';
import { RECORDED_FIELDS } from '../remediation/record-history.ts';

/** A closing as a record keeps it: the record before, and the event. */
export type RecordedClosing = { readonly open: RemediationRecord; readonly event: RemediationEvent };

/**
 * The record as it was before it was closed. A closed record does not change, so what closing it did is its last event;
 * its sightings are those of then. Undefined where no event closes it.
 */
export function recordedClosing(record: RemediationRecord): RecordedClosing | undefined {
  const event = record.history.at(-1);
  if (record.state !== 'closed' || event?.action !== 'closed') return undefined;
  const before = Object.fromEntries(
    RECORDED_FIELDS.flatMap((field) => {
      const change = event.changes[field];
      return change === undefined ? [] : [[field, change[0]] as const];
    }),
  );
  const history = record.history.slice(0, -1);
  return {
    open: {
      ...record,
      ...before,
      state: 'open',
      resolution: null,
      closing_signature: null,
      history,
    } as RemediationRecord,
    event,
  };
}
