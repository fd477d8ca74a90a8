import { withoutLogins } from './address.ts';

const LONGEST_ITEM = 200;
/** Items of one reason that are named; of more the number is told. */
const MOST_NAMED = 20;

/** What a document cannot say, told once for everything that it is true of. */
export class NoteGroups {
  readonly #items = new Map<string, string[]>();

  /** @param named such as `line 7 (click)` or the name of a package; addresses in it lose what opens doors there */
  add(reason: string, named: string): void {
    // First cleaned, then cut: a login that lost its host is not seen to be one.
    const item = cut(withoutLogins(named));
    const items = this.#items.get(reason);
    if (items === undefined) this.#items.set(reason, [item]);
    else items.push(item);
  }

  /** `ITEM, ITEM and 5 more: REASON`, in the order in which the reasons came up. */
  notes(): string[] {
    return [...this.#items].map(([reason, items]) => {
      const more = items.length > MOST_NAMED ? ` and ${items.length - MOST_NAMED} more` : '';
      return `${items.slice(0, MOST_NAMED).join(', ')}${more}: ${reason}`;
    });
  }
}

function cut(text: string): string {
  return text.length > LONGEST_ITEM ? `${text.slice(0, LONGEST_ITEM)}…` : text;
}
