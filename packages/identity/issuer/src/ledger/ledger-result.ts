import { check, count, digestHex, listOf, type ResultOf, resultOf } from '@colophon/records/result';

/** `colophon ledger verify`. */
export const ledgerResult = resultOf('a ledger that was read from end to end', {
  token_count: { ...count, description: 'tokens ever issued, erased ones among them' },
  event_count: { ...count, description: 'rows that are no tokens: keys made and revoked, callers revoked' },
  erased_count: { ...count, description: 'tokens whose payload was erased' },
  integrated_count: { ...count, description: 'leaves under the newest checkpoint; the rest waits for its own' },
  checkpoint_count: { ...count, description: 'checkpoints that were ever made of it' },
  root_hash: { ...digestHex, description: 'RFC 6962 root over all rows, hex' },
  checks: listOf('what was read and compared', check),
});
export type LedgerResult = ResultOf<typeof ledgerResult>;
