/** One thing that was checked and held. */
export type Check = { readonly check: string; readonly detail: string };

/** Keeps what was checked, in order. */
export class CheckList {
  readonly #checks: Check[] = [];

  passed(check: string, detail: string): void {
    this.#checks.push({ check, detail });
  }

  get all(): readonly Check[] {
    return this.#checks;
  }
}
