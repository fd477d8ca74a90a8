import type { Opening } from './open-records.ts';
import type { OpenedRecords } from './record-result.ts';

/** What opening did, as results show it: each record once, and its id under what became of it. */
export function shownOpening({ opened, reopened, updated, unchanged }: Opening): OpenedRecords {
  const ids = (records: Opening['opened']) => records.map(({ id }) => id);
  return {
    opened: ids(opened),
    reopened: ids(reopened),
    updated: ids(updated),
    unchanged: ids(unchanged),
    records: [...opened, ...reopened, ...updated, ...unchanged],
  };
}
