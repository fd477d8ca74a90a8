import { type KnownExploitedCatalog, parseCatalog } from '@colophon/findings';
import type { CatalogEntry, CatalogStore } from '@colophon/store';

/** A catalog that was accepted, with where and when it came from. */
export type KeptCatalog = { readonly entry: CatalogEntry; readonly catalog: KnownExploitedCatalog };

/** The catalog that was accepted last, whichever feed it came from; undefined where none was. */
export async function newestCatalog(store: CatalogStore): Promise<KeptCatalog | undefined> {
  const entry = await store.newest();
  return entry === undefined ? undefined : openCatalog(store, entry);
}

/**
 * The catalog of an entry of the store, or undefined where this version reads more strictly than the one that kept it.
 * @throws StoreError `store.corrupt`
 */
export async function openCatalog(store: CatalogStore, entry: CatalogEntry): Promise<KeptCatalog | undefined> {
  const bytes = await store.bytes(entry.digest);
  const parsed = bytes === undefined ? undefined : parseCatalog(bytes);
  return parsed?.ok === true ? { entry, catalog: parsed.value } : undefined;
}
