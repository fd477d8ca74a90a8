export { parseFeedAddress } from './catalog-feed/feed-address.ts';
export { type CatalogFetchOptions, type CatalogValidators, fetchCatalog } from './catalog-feed/fetch-catalog.ts';
