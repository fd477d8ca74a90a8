import { restoredLedger } from '@colophon/issuer/result';
import { listOf, orNull, type ResultOf, resultOf, string, timestamp } from '@colophon/records/result';

/** `colophon ledger restore`. */
export const ledgerRestoreResult = resultOf('a ledger that was begun in the place of another', {
  origin: string('its name, the first line of its checkpoints'),
  restored: listOf('what its first rows say of the ledgers that ended', restoredLedger),
  last_kept_at: orNull({
    ...timestamp,
    description:
      'time of the newest row that was left: agents’ names, API keys, revocations and token keys are those of the copy, and what was changed since is to be changed again; null where no row was left',
  }),
});
export type LedgerRestoreResult = ResultOf<typeof ledgerRestoreResult>;
