import type { RemediationRecord } from '@colophon/records';
import type { Opening } from '@colophon/remediation-rules';
import type { RemediationRow } from '@colophon/store';
import { type KeptRecord, rowOf } from './kept-record.ts';

type Outcome = keyof Opening;
/** What a record is called that two scans speak of: opened by the first and completed by the second, it was opened. */
const BY_WEIGHT: readonly Outcome[] = ['opened', 'reopened', 'updated', 'unchanged'];

/** What several scans, one after the other, make of the records that are kept. */
export class CombinedOpening {
  readonly #kept = new Map<string, KeptRecord>();
  readonly #records = new Map<string, RemediationRecord>();
  readonly #outcomes = new Map<string, Outcome>();

  /** Tells what is in the database. */
  know(kept: readonly KeptRecord[]): void {
    for (const one of kept) {
      if (this.#kept.has(one.record.id)) continue;
      this.#kept.set(one.record.id, one);
      this.#records.set(one.record.id, one.record);
    }
  }

  /** Every record as it is by now. */
  get records(): readonly RemediationRecord[] {
    return [...this.#records.values()];
  }

  add(opening: Opening): void {
    for (const outcome of BY_WEIGHT) {
      for (const record of opening[outcome]) {
        this.#records.set(record.id, record);
        const weights = [this.#outcomes.get(record.id) ?? outcome, outcome].map((one) => BY_WEIGHT.indexOf(one));
        this.#outcomes.set(record.id, BY_WEIGHT[Math.min(...weights)]!);
      }
    }
  }

  get result(): Opening {
    const of = (wanted: Outcome) =>
      [...this.#outcomes].flatMap(([id, outcome]) => (outcome === wanted ? [this.#records.get(id)!] : []));
    return { opened: of('opened'), reopened: of('reopened'), updated: of('updated'), unchanged: of('unchanged') };
  }

  /** Rows that are not there yet. */
  get inserts(): readonly RemediationRow[] {
    return this.result.opened.map((record) => rowOf(record, 1));
  }

  /** Rows in the place of those that were read. */
  get updates(): ReadonlyArray<{ readonly row: RemediationRow; readonly expectedRevision: number }> {
    const { reopened, updated } = this.result;
    return [...reopened, ...updated].map((record) => updateOf(record, this.#kept.get(record.id)!.revision));
  }
}

/** The row of a changed record in the place of the revision that was read. */
export function updateOf(record: RemediationRecord, revision: number) {
  return { row: rowOf(record, revision + 1), expectedRevision: revision };
}
