/** How long an answer is at hand: somebody who exchanges a Secret waits no longer. */
const KEPT_MS = 30_000;
const MOST_KEPT = 1000;

type Kept<T> = { readonly answer: Promise<T>; readonly readAtMs: number };

/** Answers of the API server that are at hand for half a minute, the latest thousand. */
export class KeptAnswers<T> {
  readonly #kept = new Map<string, Kept<T>>();

  /** The answer of that name, which is read where it is not at hand. */
  get(name: string, nowMs: number, read: () => Promise<T>): Promise<T> {
    const kept = this.#kept.get(name);
    // One that was read before the clock was set back would be at hand for as long as that.
    if (kept !== undefined && kept.readAtMs <= nowMs && nowMs < kept.readAtMs + KEPT_MS) return kept.answer;
    const answer = read();
    this.#kept.delete(name);
    this.#kept.set(name, { answer, readAtMs: nowMs });
    if (this.#kept.size > MOST_KEPT) this.#kept.delete([...this.#kept.keys()][0] as string);
    return answer;
  }
}
