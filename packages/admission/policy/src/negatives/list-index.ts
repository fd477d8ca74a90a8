import { namesNothing, rejects } from '../about/about.ts';
import type { NegativesList, Withdrawal } from './negatives-view.ts';

type Listed = NegativesList['rejections'][number];

/** What a list says of one image or one rejection, without a look at all that it says of others. */
export class ListIndex {
  readonly #list: NegativesList;
  /** Places in the list, by digest and commit. */
  readonly #byName = new Map<string, number[]>();
  readonly #nameless: number[] = [];
  readonly #withdrawals: ReadonlyMap<string, readonly Withdrawal[]>;

  constructor(list: NegativesList) {
    this.#list = list;
    for (const [place, rejection] of list.rejections.entries()) {
      if (namesNothing(rejection)) this.#nameless.push(place);
      for (const name of new Set([...rejection.images, ...rejection.commits])) {
        const places = this.#byName.get(name);
        if (places === undefined) this.#byName.set(name, [place]);
        else places.push(place);
      }
    }
    this.#withdrawals = Map.groupBy(list.withdrawals, ({ rejection }) => rejection);
  }

  /** In the order of the list: what rejects an image, and what names nothing. */
  rejectionsOf(image: Parameters<typeof rejects>[1]): Listed[] {
    const named = [...image.digests, ...image.commits].flatMap((name) => this.#byName.get(name) ?? []);
    const places = [...new Set([...named, ...this.#nameless])].sort((one, other) => one - other);
    return places
      .map((place) => this.#list.rejections[place] as Listed)
      .filter((rejection) => namesNothing(rejection) || rejects(rejection, image));
  }

  /** Withdrawals of the rejection with an id. */
  withdrawalsOf(id: string): readonly Withdrawal[] {
    return this.#withdrawals.get(id) ?? [];
  }
}

const indexes = new WeakMap<NegativesList, ListIndex>();

/** The index of a list, which is made once: a list is never changed. */
export function indexOf(list: NegativesList): ListIndex {
  const known = indexes.get(list) ?? new ListIndex(list);
  indexes.set(list, known);
  return known;
}
