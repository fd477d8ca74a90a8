import type { ListPage } from './list-page.ts';

/** Bytes of pages that left the list and are still served: somebody has the list of a moment ago. */
export const MOST_EARLIER_BYTES = 32 * 1024 * 1024;

/** The pages of a list, and of those that left it the newest, as many as there is room for. */
export class ServedPages {
  #listed = new Map<string, Uint8Array>();
  readonly #earlier = new Map<string, Uint8Array>();

  get(digest: string): Uint8Array | undefined {
    return this.#listed.get(digest) ?? this.#earlier.get(digest);
  }

  replace(pages: readonly ListPage[]): void {
    const before = this.#listed;
    this.#listed = new Map(pages.map(({ digest, bytes }) => [digest, bytes]));
    for (const [digest, bytes] of before) {
      if (!this.#listed.has(digest)) this.#earlier.set(digest, bytes);
    }
    let bytes = [...this.#earlier.values()].reduce((all, page) => all + page.length, 0);
    for (const [digest, page] of this.#earlier) {
      if (bytes <= MOST_EARLIER_BYTES) break;
      this.#earlier.delete(digest);
      bytes -= page.length;
    }
  }
}
