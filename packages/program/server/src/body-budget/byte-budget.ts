/** A number of bytes that may be in use at once. */
export class ByteBudget {
  readonly #bytes: number;
  #used = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Takes so many bytes; answers with what gives them back, once, or undefined where there are not so many left. */
  take(bytes: number): (() => void) | undefined {
    if (this.#used + bytes > this.#bytes) return undefined;
    this.#used += bytes;
    let isTaken = true;
    return () => {
      if (isTaken) this.#used -= bytes;
      isTaken = false;
    };
  }
}
