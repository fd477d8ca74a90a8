export { type KeptCatalog, newestCatalog, openCatalog, STALE_AFTER_DAYS } from './catalog-refresh/kept-catalog.ts';
export { type CatalogRefresh, type CatalogRefreshOptions, refreshCatalog } from './catalog-refresh/refresh-catalog.ts';
