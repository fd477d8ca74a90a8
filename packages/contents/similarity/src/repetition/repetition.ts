const LONGEST_PERIOD = 16;
/** So many tokens of a repetition are kept, and at least two rounds of it. */
const KEPT = 16;

/**
 * Notices where a sequence goes on as it did before: tables of data are long, and all alike in shape. Give it every
 * symbol in turn.
 */
export class Repetition {
  /** The last symbols, in a ring. */
  readonly #recent = new Uint32Array(LONGEST_PERIOD);
  /** For each period: how many symbols in a row were what they were one period before. */
  readonly #lengths = new Uint32Array(LONGEST_PERIOD + 1);
  #count = 0;

  /** Whether this symbol only repeats, with a period of at most {@link LONGEST_PERIOD}, what was kept already. */
  isMore(symbol: number): boolean {
    const count = this.#count;
    let isMore = false;
    for (let period = 1; period <= LONGEST_PERIOD && period <= count; period += 1) {
      if (this.#recent[(count - period) % LONGEST_PERIOD] === symbol) {
        const length = this.#lengths[period]! + 1;
        this.#lengths[period] = length;
        if (length > KEPT && length > period * 2) isMore = true;
      } else this.#lengths[period] = 0;
    }
    this.#recent[count % LONGEST_PERIOD] = symbol;
    this.#count = count + 1;
    return isMore;
  }
}
