import { tokenEntries } from '@colophon/authority/result';
import { erasedToken } from '@colophon/issuer/result';
import { digestHex, listOf, type ResultOf, resultOf } from '@colophon/records/result';

/** `colophon ledger erase`. */
export const ledgerEraseResult = resultOf('a row of the ledger that was erased, and where what it held still stands', {
  ...erasedToken,
  ...tokenEntries,
  evidence: listOf('bundles of the evidence store whose certificate names the token, SHA-256', digestHex),
});
export type LedgerEraseResult = ResultOf<typeof ledgerEraseResult>;
