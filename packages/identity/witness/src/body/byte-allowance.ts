/** What a chunk takes in memory beside its bytes: a body may come a byte at a time. */
const CHUNK_BYTES = 128;

/** The memory that a chunk takes while it is kept. */
export function keptBytes(chunk: Uint8Array): number {
  return chunk.length + CHUNK_BYTES;
}

/** Bytes that several bodies together may keep in memory while they are read. */
export class ByteAllowance {
  #left: number;
  readonly #within: ByteAllowance | undefined;

  /** @param within an allowance for more bodies than these, from which every byte is taken too */
  constructor(bytes: number, within?: ByteAllowance) {
    this.#left = bytes;
    this.#within = within;
  }

  /** Whether so many more may be kept; they are given back by `release`. */
  take(bytes: number): boolean {
    if (bytes > this.#left || this.#within?.take(bytes) === false) return false;
    this.#left -= bytes;
    return true;
  }

  release(bytes: number): void {
    this.#left += bytes;
    this.#within?.release(bytes);
  }
}
