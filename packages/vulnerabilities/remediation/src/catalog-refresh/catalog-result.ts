import { catalogChanges, catalogEdition, catalogRelease } from '@colophon/findings/result';
import {
  alsoHaving,
  digest,
  flag,
  having,
  issue,
  listOf,
  oneOf,
  type ResultOf,
  string,
  timestamp,
} from '@colophon/records/result';

/** Members that say where and when a kept catalog came from. */
const kept = {
  ...catalogEdition,
  feed: string('where it came from: an address, or the name of a file'),
  digest,
  fetched_at: timestamp,
  checked_at: { ...timestamp, description: 'when the feed was last asked and had nothing newer' },
} as const;
const ofSome = { forced: flag('whether --force stored it although a check failed') } as const;

/** A catalog that is kept. */
export const keptCatalog = alsoHaving(having('a catalog that is kept', kept), ofSome);
export type KeptCatalogResult = ResultOf<typeof keptCatalog>;

/** What became of a feed. */
export const refreshedCatalog = alsoHaving(
  having('what became of the feed', {
    outcome: oneOf('whether the feed had a catalog that was not kept yet', ['updated', 'unchanged']),
    ...kept,
    warnings: listOf('what is odd about the feed', issue),
  }),
  {
    ...ofSome,
    ...catalogRelease,
    changes: having('since the catalog that was kept before, if one was', catalogChanges),
  },
);
export type RefreshedCatalog = ResultOf<typeof refreshedCatalog>;
