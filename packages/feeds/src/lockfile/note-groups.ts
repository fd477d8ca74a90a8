/** Items of one reason that are named; of more the number is told. */
const MOST_NAMED = 20;

/** What a document cannot say, told once for everything that it is true of. */
export class NoteGroups {
  readonly #items = new Map<string, string[]>();

  /** @param item such as `line 7 (click)` or the name of a package */
  add(reason: string, item: string): void {
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
