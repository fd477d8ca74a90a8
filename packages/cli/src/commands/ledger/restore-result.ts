import { restoredLedger } from '@colophon/issuer/result';
import { listOf, type ResultOf, resultOf, string } from '@colophon/records/result';

/** `colophon ledger restore`. */
export const ledgerRestoreResult = resultOf('a ledger that was begun in the place of another', {
  origin: string('its name, the first line of its checkpoints'),
  restored: listOf('what its first rows say of the ledgers that ended', restoredLedger),
});
export type LedgerRestoreResult = ResultOf<typeof ledgerRestoreResult>;
