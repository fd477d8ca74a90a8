/** Bytes that grow: whole numbers in groups of seven bits, the lowest first, and texts. */
export class ByteWriter {
  #bytes = new Uint8Array(1024);
  #length = 0;

  /** A number from 0 to 2^32 - 1. */
  number(value: number): void {
    if (this.#length + 5 > this.#bytes.length) this.#grow(5);
    let rest = value;
    for (; rest >= 128; rest >>>= 7) this.#byte((rest & 127) | 128);
    this.#byte(rest);
  }

  /** A text, as its UTF-16 units. */
  text(value: string): void {
    this.number(value.length);
    for (let at = 0; at < value.length; at += 1) this.number(value.charCodeAt(at));
  }

  /** Numbers that ascend, as their distances. */
  ascending(values: ArrayLike<number>): void {
    this.number(values.length);
    let last = 0;
    for (let at = 0; at < values.length; at += 1) {
      this.number(values[at]! - last);
      last = values[at]!;
    }
  }

  bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #byte(value: number): void {
    this.#bytes[this.#length] = value;
    this.#length += 1;
  }

  #grow(room: number): void {
    const bytes = new Uint8Array(this.#bytes.length * 2 + room);
    bytes.set(this.#bytes);
    this.#bytes = bytes;
  }
}
