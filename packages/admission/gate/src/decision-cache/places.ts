/** Places for work that is under way, of which one asker has a share at most. */
export class Places {
  readonly #most: number;
  readonly #share: number;
  readonly #taken = new Map<string, number>();
  #all = 0;

  constructor(most: number, share: number) {
    this.#most = most;
    this.#share = share;
  }

  /** Takes a place; answers with what gives it back, or undefined where there is none. */
  take(asker: string): (() => void) | undefined {
    const taken = this.#taken.get(asker) ?? 0;
    if (this.#all >= this.#most || taken >= this.#share) return undefined;
    this.#all += 1;
    this.#taken.set(asker, taken + 1);
    return () => {
      this.#all -= 1;
      const left = (this.#taken.get(asker) ?? 0) - 1;
      if (left > 0) this.#taken.set(asker, left);
      else this.#taken.delete(asker);
    };
  }
}
