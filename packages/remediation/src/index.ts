export { type KeptCatalog, newestCatalog, openCatalog } from './catalog-refresh/kept-catalog.ts';
export { type CatalogRefresh, type CatalogRefreshOptions, refreshCatalog } from './catalog-refresh/refresh-catalog.ts';
