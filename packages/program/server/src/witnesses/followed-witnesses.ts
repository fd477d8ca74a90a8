import { createHash } from 'node:crypto';
import type { WitnessBook } from '@colophon/issuer';
import type { LiveConfiguration } from '../configuration/configuration.ts';
import { ServerError } from '../server-error/server-error.ts';
import { type FilesRead, readFiles, stampOf } from '../watched-file/watched-files.ts';
import { readWitnessBook } from './witness-book.ts';

type Listing = Pick<LiveConfiguration, 'hash' | 'witnesses'>;

/** The witnesses of one state of the configuration, with the keys that lay beside it. */
type State = {
  readonly live: Listing;
  /** What the key files held, in the order of the witnesses. */
  readonly keys: readonly string[];
  readonly book: WitnessBook;
  /** Of the key files; undefined where it tells nothing. */
  readonly stamp?: string | undefined;
};

/**
 * The witnesses of the configuration in force, read once for each state of it, and anew where a key file holds something
 * else: a key that was exchanged counts no more. A new key counts with the entry that it lies beside: while the
 * configuration's file says something else than what is in force, no key is added. What was read stays where a key file is
 * gone. Where a later state has a key that cannot be used, none of its witnesses counts.
 */
export class FollowedWitnesses {
  readonly #file: string;
  readonly #none: WitnessBook;
  readonly #onUnusable: (error: ServerError) => void;
  #state: State;

  /**
   * @param file the configuration's
   * @param onUnusable told once for each state of the keys that cannot be used
   * @throws ServerError `server.witness_unusable` where the first state has such a key
   */
  constructor(
    file: string,
    first: Listing,
    {
      predicateBase,
      onUnusable,
    }: { readonly predicateBase: string; readonly onUnusable: (error: ServerError) => void },
  ) {
    this.#file = file;
    this.#none = { byKeyId: new Map(), predicateBase };
    this.#onUnusable = onUnusable;
    readWitnessBook(first.witnesses, predicateBase);
    this.#state = { live: first, keys: [], book: this.#none };
  }

  /** @param live what is in force */
  of(live: Listing): WitnessBook {
    if (live.witnesses.length === 0) return this.#none;
    const names = live.witnesses.map(({ keyFile }) => keyFile);
    if (this.#state.live !== live) this.#state = { live, keys: [], book: this.#none };
    else if (this.#state.stamp !== undefined && this.#state.stamp === stampOf(names)) return this.#state.book;
    const found = readable(names);
    if (found === undefined) {
      // Told once, where nothing was read.
      if (this.#state.keys.length === 0) this.#take(live, []);
      return this.#state.book;
    }
    const keys = textsOf(found.contents);
    if (isSame(keys, this.#state.keys)) {
      this.#state = { ...this.#state, stamp: found.stamp };
      return this.#state.book;
    }
    const [configuration, ...beside] = readable([this.#file, ...names])?.contents ?? [];
    if (configuration === undefined || hashOf(configuration) !== live.hash) return this.#unchanged(keys);
    this.#take(live, textsOf(beside));
    return this.#state.book;
  }

  #take(live: Listing, keys: readonly string[]): void {
    // Files that cannot be read are a state of their own, of which is told once.
    this.#state = { live, keys: keys.length === 0 ? [''] : keys, book: this.#none };
    const { predicateBase } = this.#none;
    try {
      const texts = new Map(live.witnesses.map(({ keyFile }, index) => [keyFile, keys[index]]));
      const book = readWitnessBook(live.witnesses, predicateBase, texts);
      this.#state = { ...this.#state, book };
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      this.#onUnusable(error);
    }
  }

  /** Those whose key is the one that was read. */
  #unchanged(keys: readonly string[]): WitnessBook {
    const { live, book, keys: read } = this.#state;
    const kept = new Set(live.witnesses.filter((_, index) => keys[index] === read[index]).map(({ name }) => name));
    return { ...book, byKeyId: new Map([...book.byKeyId].filter(([, { name }]) => kept.has(name))) };
  }
}

function readable(paths: readonly string[]): FilesRead | undefined {
  try {
    return readFiles(paths);
  } catch {
    return undefined;
  }
}

function textsOf(contents: FilesRead['contents']): readonly string[] {
  return contents.map((bytes) => Buffer.from(bytes).toString('utf8'));
}

function isSame(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((text, index) => text === others[index]);
}

function hashOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
