import type { NewLedgerRow } from '@colophon/store';
import { createSystemRandom } from '../ports/system.ts';
import type { LedgerEvent } from './issuance-record-result.ts';
import { eventRow } from './ledger-event.ts';

/** What the first row of a ledger says of the one that was frozen before it. */
export type RestoredLedger = NonNullable<LedgerEvent['restored']>;

/** The first row of a ledger that takes the place of another. @param at seconds since the epoch */
export function restoredRow(restored: RestoredLedger, at: number): NewLedgerRow {
  return eventRow({ event: 'ledger.restored', restored }, at, createSystemRandom());
}
