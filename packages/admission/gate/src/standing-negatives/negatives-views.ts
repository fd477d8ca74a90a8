import type { NegativesSource, NegativesView, Policy } from '@colophon/admission';
import type { FetchedList } from './fetch-negatives.ts';
import { type ReadNegativesOptions, readStandingNegatives } from './read-standing-negatives.ts';

/** The list that a policy asks for; undefined where it wants none, or names none and there is no other. */
export function sourceOf({ negatives }: Policy, other: NegativesSource | undefined): NegativesSource | undefined {
  const source = negatives ?? other;
  return source === 'none' ? undefined : source;
}

/** Reads the lists of several sources, each once, out of those that were fetched. */
export class NegativesViews {
  readonly #lists: readonly FetchedList[];
  readonly #options: Omit<ReadNegativesOptions, 'source'>;
  readonly #read = new Map<string, Promise<NegativesView>>();

  constructor(lists: readonly FetchedList[], options: Omit<ReadNegativesOptions, 'source'>) {
    this.#lists = lists;
    this.#options = options;
  }

  /** What the list of a source says; without a source only what is attached is known. */
  async of(source: NegativesSource | undefined): Promise<NegativesView> {
    if (source === undefined) return { kind: 'registry-only' };
    const key = JSON.stringify(source);
    const view = this.#read.get(key) ?? this.#view(source);
    this.#read.set(key, view);
    return view;
  }

  async #view(source: NegativesSource): Promise<NegativesView> {
    const { from } = source;
    const list = this.#lists.find((one) => one.from === from) ?? { from, error: new Error('it was not fetched') };
    return readStandingNegatives(list, { ...this.#options, source });
  }
}
