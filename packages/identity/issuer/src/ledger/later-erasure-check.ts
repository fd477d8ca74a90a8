import type { ErasedLater } from './erasure-check.ts';
import type { LedgerEvent } from './issuance-record-result.ts';
import type { ProblemSink } from './ledger-problem.ts';

/** Holds rows of frozen ledgers that were erased since against the events of later ledgers. Keeps one entry for each. */
export class LaterErasureCheck {
  readonly #problems: ProblemSink;
  readonly #rows = new Map<string, ErasedLater>();
  readonly #events = new Map<string, LedgerEvent>();

  constructor(problems: ProblemSink) {
    this.#problems = problems;
  }

  /** Rows of one frozen ledger. */
  rows(origin: string, erased: readonly ErasedLater[]): void {
    for (const row of erased) this.#rows.set(idOf(origin, row.seq), row);
  }

  event(event: LedgerEvent): void {
    const { event: kind, erased_ledger, erased_leaf_index } = event;
    if (kind === 'token.erased' && erased_ledger !== undefined && erased_leaf_index !== undefined)
      this.#events.set(idOf(erased_ledger, erased_leaf_index), event);
  }

  /** Called after the last row of the ledger that is written. */
  finish(): void {
    for (const [id, { jti, leafHash, event: kept, is_finished, seq }] of this.#rows) {
      const event = this.#events.get(id);
      const isSaid = event?.erased_jti === jti && event.erased_leaf_hash === leafHash;
      if (!isSaid || JSON.stringify(event) !== kept)
        this.#problems.add('ledger.erasure_unrecorded', `the row of ${id} is erased, and no event says so`, { seq });
      else if (is_finished !== 1) {
        const message = `old copies of what was erased of ${id} may still be in the file: erase the token again`;
        this.#problems.add('ledger.erasure_unfinished', message, { seq });
      }
    }
    for (const id of this.#events.keys()) {
      if (!this.#rows.has(id))
        this.#problems.add('ledger.erasure_undone', `the row of ${id}, which an event says is erased, is not`);
    }
  }
}

/** As a problem names it, too. */
function idOf(origin: string, seq: number): string {
  return `"${origin}", leaf ${seq}`;
}
