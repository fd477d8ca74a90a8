import type { ErasureRow } from '@colophon/store';
import type { LedgerEvent } from './issuance-record-result.ts';
import type { LedgerProblems } from './ledger-problem.ts';

type Row = { readonly jti: string; readonly leafHash: string };

/** Holds erased rows against the events that record them. Keeps one entry for each. */
export class ErasureCheck {
  readonly #problems: LedgerProblems;
  readonly #erased = new Map<number, Row>();
  readonly #events = new Map<number, { readonly seq: number; readonly event: LedgerEvent }>();

  constructor(problems: LedgerProblems) {
    this.#problems = problems;
  }

  /** Rows that are erased. */
  get count(): number {
    return this.#erased.size;
  }

  /** @param leafHash hex */
  erasedRow(seq: number, jti: string, leafHash: string): void {
    this.#erased.set(seq, { jti, leafHash });
  }

  event(seq: number, event: LedgerEvent): void {
    if (event.event === 'token.erased' && event.erased_leaf_index !== undefined)
      this.#events.set(event.erased_leaf_index, { seq, event });
  }

  /** Called after the last row. @param kept what the ledger keeps beside its rows, to find an erasure */
  erasures(kept: readonly ErasureRow[]): void {
    for (const [seq, row] of this.#erased) {
      const event = this.#events.get(seq)?.event;
      if (event?.erased_jti !== row.jti || event.erased_leaf_hash !== row.leafHash)
        this.#problems.add('ledger.erasure_unrecorded', 'the row is erased, and no event says so', { seq });
    }
    for (const [erased, { seq }] of this.#events) {
      if (!this.#erased.has(erased))
        this.#problems.add('ledger.erasure_undone', `row ${erased}, which this event says is erased, is not`, { seq });
    }
    this.#kept(kept);
  }

  #kept(kept: readonly ErasureRow[]): void {
    const missing = new Set(this.#erased.keys());
    for (const { seq, event_seq, is_finished } of kept) {
      missing.delete(seq);
      if (this.#events.get(seq)?.seq !== event_seq) {
        this.#problems.add('ledger.erasure_unrecorded', 'the erasure of this row is kept with another event', { seq });
      } else if (is_finished !== 1) {
        const message = 'old copies of what was erased may still be in the file: erase the token again';
        this.#problems.add('ledger.erasure_unfinished', message, { seq });
      }
    }
    for (const seq of missing)
      this.#problems.add('ledger.erasure_unrecorded', 'the row is erased, and its erasure is not kept', { seq });
  }
}
