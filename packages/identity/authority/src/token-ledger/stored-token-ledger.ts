import { hash } from 'node:crypto';
import { equalBytes } from '@colophon/merkle';
import { type Database, LedgerStore } from '@colophon/store';
import type { TokenLedger, TokenStanding } from './token-ledger.ts';

/** The ledger of an issuer that writes into the same database. */
export class StoredTokenLedger implements TokenLedger {
  readonly #rows: LedgerStore;

  /** @throws StoreError as Database.migrate does. */
  constructor(db: Database) {
    this.#rows = new LedgerStore(db);
  }

  /** @throws StoreError `store.unavailable`, `store.corrupt` */
  standingOf(jti: string, payloadHash: Uint8Array): TokenStanding {
    const row = this.#rows.findByJti(jti);
    if (row === undefined) return 'unissued';
    if (row.payload === null) return 'erased';
    return equalBytes(hash('sha256', row.payload, 'buffer'), payloadHash) ? 'issued' : 'altered';
  }
}
