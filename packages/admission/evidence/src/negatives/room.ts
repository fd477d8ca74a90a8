import type { ListedWord } from './listed-word.ts';

/** Bytes that are left; once something did not fit nothing does, so that what is kept stays the same. */
export class Room {
  #left: number;
  isFull = false;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  takes({ bytes }: ListedWord): boolean {
    this.isFull ||= bytes > this.#left;
    if (!this.isFull) this.#left -= bytes;
    return !this.isFull;
  }
}
