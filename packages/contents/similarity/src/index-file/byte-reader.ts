/** What a {@link ByteReader} throws for bytes that no writer wrote; it never leaves this folder. */
export class UnreadableBytes extends Error {}

/** The longest text that is read, in UTF-16 units: no path of a file is longer. */
export const MOST_TEXT_LENGTH = 4096;

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

  /** How many of something follow, each of at least one byte. @param most that may be @throws UnreadableBytes */
  count(most = 0xffff_ffff): number {
    return this.number(Math.min(most, this.#bytes.length - this.#at));
  }

  /** @throws UnreadableBytes */
  text(): string {
    const units = new Uint16Array(this.count(MOST_TEXT_LENGTH));
    for (let at = 0; at < units.length; at += 1) units[at] = this.number(0xffff);
    return String.fromCharCode(...units);
  }

  /** @throws UnreadableBytes */
  ascending(most?: number): Uint32Array {
    const values = new Uint32Array(this.count(most));
    let last = 0;
    for (let at = 0; at < values.length; at += 1) {
      last += this.number(0xffff_ffff - last);
      values[at] = last;
    }
    return values;
  }
}
