import { parseInstant } from '@colophon/notation';
import type { RemediationRecord } from '@colophon/records';

/** When a record was opened, closed, voided and opened again; milliseconds since 1970. */
type Turn = { readonly at: number; readonly isOpen: boolean };
type Lived = { readonly record: RemediationRecord; readonly turns: readonly Turn[] };

/** What was open when: closings are judged by the records beside them as they were then. */
export class RecordTimeline {
  readonly #byProduct: ReadonlyMap<string, readonly Lived[]>;
  /** Of the last moment that was asked for: one command closes many records at one moment. */
  #last: { readonly key: string; readonly open: readonly RemediationRecord[] } | undefined;

  constructor(records: readonly RemediationRecord[]) {
    const lived = records.map((record) => ({ record, turns: turnsOf(record) }));
    this.#byProduct = Map.groupBy(lived, ({ record }) => record.product);
  }

  /**
   * The records of a product that were open just before a moment, each with what scanners had said of it by then. What a
   * scanner said later has taken the place of what it said before, and is left out.
   * @param at RFC 3339
   */
  openBefore(product: string, at: string): readonly RemediationRecord[] {
    const key = `${at} ${product}`;
    if (this.#last?.key !== key) this.#last = { key, open: this.#openAt(product, parseInstant(at)!) };
    return this.#last.open;
  }

  #openAt(product: string, moment: number): readonly RemediationRecord[] {
    const lived = this.#byProduct.get(product) ?? [];
    return lived.filter(({ turns }) => wasOpen(turns, moment)).map(({ record }) => asKnownAt(record, moment));
  }
}

/** What happened at the very moment had not happened before it; a record that was opened then was there. */
function wasOpen([first, ...turns]: readonly Turn[], moment: number): boolean {
  if (first === undefined || first.at > moment) return false;
  return turns.findLast(({ at }) => at < moment)?.isOpen ?? first.isOpen;
}

function turnsOf({ history }: RemediationRecord): readonly Turn[] {
  return history.flatMap(({ action, at }) =>
    action === 'updated' || action === 'escalated'
      ? []
      : [{ at: parseInstant(at)!, isOpen: action === 'opened' || action === 'reopened' }],
  );
}

function asKnownAt(record: RemediationRecord, moment: number): RemediationRecord {
  const sightings = record.sightings.filter(
    ({ scanned_at }) => scanned_at === null || parseInstant(scanned_at)! <= moment,
  );
  return { ...record, state: 'open', sightings };
}
