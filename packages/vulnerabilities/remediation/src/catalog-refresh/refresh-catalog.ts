import { type CatalogFetchOptions, type CatalogValidators, fetchCatalog, parseFeedAddress } from '@colophon/catalogs';
import { acceptCatalog, type CatalogChanges, type KnownExploitedCatalog, parseCatalog } from '@colophon/findings';
import type { Issue } from '@colophon/json';
import { digestOf } from '@colophon/records';
import { type CatalogEntry, type CatalogStore, StoreError } from '@colophon/store';
import { catalogBaseline } from './catalog-baseline.ts';
import { type KeptCatalog, newestCatalog, openCatalog } from './kept-catalog.ts';

export type CatalogRefreshOptions = Omit<CatalogFetchOptions, 'previous'> & {
  readonly store: CatalogStore;
  /** The time now, RFC 3339 in UTC. */
  readonly now: () => string;
  /** Keep a feed that can be read and is not believed. */
  readonly force?: boolean | undefined;
};

/** What became of a feed. What is kept is the last good copy in every case. */
export type CatalogRefresh =
  /** The feed has a catalog that was not kept yet; now it is. */
  | (KeptCatalog & {
      readonly outcome: 'updated';
      /** From the catalog that was kept before, if one was. */
      readonly changes: CatalogChanges | undefined;
      readonly notes: readonly Issue[];
      /** For what it would have been refused without force. */
      readonly overruled: readonly Issue[];
    })
  /** The feed has what is kept. */
  | (KeptCatalog & { readonly outcome: 'unchanged' })
  /** What the feed has cannot be read, or is not believed. */
  | {
      readonly outcome: 'refused';
      readonly feed: string;
      readonly issues: readonly Issue[];
      /** Whether a person may overrule it: it can be read. */
      readonly canBeForced: boolean;
      readonly kept: CatalogEntry | undefined;
    };

/**
 * Asks a feed for its catalog and keeps it, where it can be read and is plausible after the one that is kept
 * (contract §2.8, §4.3). An unchanged feed costs one question.
 *
 * @throws CatalogError `feeds.catalog_*`, StoreError
 */
export async function refreshCatalog(options: CatalogRefreshOptions): Promise<CatalogRefresh> {
  const { store, now, feed, allowHttp } = options;
  const { name } = parseFeedAddress(feed, allowHttp);
  const kept = await newestCatalog(store);
  // Only of what would be kept: after another feed this one's "nothing new" would leave the other's catalog in place.
  const own = kept?.entry.feed === name ? kept : undefined;
  const fetched = await fetchCatalog({ ...options, previous: own?.entry });
  const at = now();
  if (own !== undefined && (fetched.isUnchanged || digestOf(fetched.bytes) === own.entry.digest)) {
    return unchanged(store, own, at, fetched.isUnchanged ? {} : fetched);
  }
  if (fetched.isUnchanged) throw new Error('a feed was not asked for changes and answered that there are none');
  const { bytes } = fetched;
  const parsed = parseCatalog(bytes);
  if (!parsed.ok) {
    return { outcome: 'refused', feed: name, issues: parsed.issues, canBeForced: false, kept: kept?.entry };
  }
  const { value: catalog } = parsed;
  const entry = {
    digest: digestOf(bytes),
    catalogVersion: catalog.catalogVersion,
    feed: name,
    fetchedAt: at,
    count: catalog.count,
    ...validatorsOf(fetched),
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await judge(entry, catalog, bytes, options);
    } catch (error) {
      // Another replica was faster: this one is compared with what that one kept.
      if (!(error instanceof StoreError) || error.code !== 'store.conflict' || attempt >= MOST_ATTEMPTS) throw error;
    }
  }
}

const MOST_ATTEMPTS = 5;

/** Keeps a catalog where it is plausible. @throws StoreError `store.conflict` where another was kept meanwhile */
async function judge(
  entry: Omit<CatalogEntry, 'checkedAt'>,
  catalog: KnownExploitedCatalog,
  bytes: Uint8Array,
  { store, force = false }: CatalogRefreshOptions,
): Promise<CatalogRefresh> {
  const { feed, fetchedAt: at } = entry;
  const entries = await store.list();
  const [newest, baseline] = [entries.at(-1), catalogBaseline(entries, at)];
  // Two replicas may bring the same catalog at the same moment; it is kept once.
  if (newest?.digest === entry.digest && newest.feed === feed) {
    return unchanged(store, { entry: newest, catalog }, at, entry);
  }
  const kept = newest && (await openCatalog(store, newest));
  const earlier = baseline && baseline !== newest ? (await openCatalog(store, baseline))?.catalog : undefined;
  const { accepted, refusals, notes, changes } = acceptCatalog(kept?.catalog, catalog, { at, earlier });
  if (!accepted && !force) {
    return { outcome: 'refused', feed, issues: refusals, canBeForced: true, kept: kept?.entry };
  }
  const added = { ...entry, ...(!accepted && { forced: true as const }) };
  await store.add(added, bytes, newest);
  return { outcome: 'updated', entry: { ...added, checkedAt: at }, catalog, changes, notes, overruled: refusals };
}

/** The same bytes may come with another tag: then the next question is asked with that one. */
async function unchanged(
  store: CatalogStore,
  { entry, catalog }: KeptCatalog,
  at: string,
  said: CatalogValidators,
): Promise<CatalogRefresh> {
  const validators = validatorsOf(said);
  await store.touch(entry.feed, at, validators);
  return { outcome: 'unchanged', catalog, entry: { ...entry, ...validators, checkedAt: at } };
}

function validatorsOf({ etag, lastModified }: CatalogValidators): CatalogValidators {
  return { ...(etag !== undefined && { etag }), ...(lastModified !== undefined && { lastModified }) };
}
