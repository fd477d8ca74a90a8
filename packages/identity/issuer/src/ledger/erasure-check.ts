import type { ErasureRow, LaterErasure } from '@colophon/store';
import type { LedgerEvent } from './issuance-record-result.ts';
import type { LedgerProblems } from './ledger-problem.ts';

/** A row of a frozen ledger that was erased since. */
export type ErasedLater = LaterErasure & Row;

type Row = { readonly jti: string; readonly leafHash: string };

/** Holds erased rows against the events that record them. Keeps one entry for each. */
export class ErasureCheck {
  readonly #problems: LedgerProblems;
  readonly #erased = new Map<number, Row>();
  #later = 0;
  readonly #events = new Map<number, { readonly seq: number; readonly event: LedgerEvent }>();

  constructor(problems: LedgerProblems) {
    this.#problems = problems;
  }

  /** Rows that are erased. */
  get count(): number {
    return this.#erased.size + this.#later;
  }

  /** @param leafHash hex */
  erasedRow(seq: number, jti: string, leafHash: string): void {
    this.#erased.set(seq, { jti, leafHash });
  }

  event(seq: number, event: LedgerEvent): void {
    const { event: kind, erased_ledger, erased_leaf_index } = event;
    if (kind === 'token.erased' && erased_ledger === undefined && erased_leaf_index !== undefined)
      this.#events.set(erased_leaf_index, { seq, event });
  }

  /**
   * Called after the last row.
   * @param kept what the ledger keeps beside its rows, to find an erasure
   * @param later the same of erasures that a later ledger records; they are answered with, to be held against that one
   */
  erasures(kept: readonly ErasureRow[], later: readonly LaterErasure[] = []): readonly ErasedLater[] {
    const elsewhere = later.flatMap((erasure) => {
      const row = this.#erased.get(erasure.seq);
      this.#erased.delete(erasure.seq);
      if (row !== undefined) return [{ ...erasure, ...row }];
      const { seq } = erasure;
      this.#problems.add('ledger.erasure_undone', 'the erasure of this row is kept, and it is not erased', { seq });
      return [];
    });
    this.#later = elsewhere.length;
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
    return elsewhere;
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
