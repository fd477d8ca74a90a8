/** What a {@link ByteReader} throws for bytes that no writer wrote; it never leaves this folder. */
export class UnreadableBytes extends Error {}

/** Reads what a `ByteWriter` wrote, and believes nothing: no count may be larger than what is left. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  /** @param most that it may be @throws UnreadableBytes */
  number(most = 0xffff_ffff): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new UnreadableBytes('it ends too early');
      this.#at += 1;
      value += (byte & 127) * 2 ** shift;
      if (value > most) throw new UnreadableBytes('a number is too large');
      if (byte < 128) return value;
      if (shift >= 28) throw new UnreadableBytes('a number is too long');
    }
  }

  /** How many of something follow, each of at least one byte. @throws UnreadableBytes */
  count(): number {
    return this.number(this.#bytes.length - this.#at);
  }

  /** @throws UnreadableBytes */
  text(): string {
    const length = this.count();
    let text = '';
    for (let at = 0; at < length; at += 1) text += String.fromCharCode(this.number(0xffff));
    return text;
  }

  /** @throws UnreadableBytes */
  ascending(): Uint32Array {
    const values = new Uint32Array(this.count());
    let last = 0;
    for (let at = 0; at < values.length; at += 1) {
      last += this.number(0xffff_ffff - last);
      values[at] = last;
    }
    return values;
  }
}
