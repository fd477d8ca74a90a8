export type { Attribution } from './attribution/attribution.ts';
export { readAttribution } from './attribution/read-attribution.ts';
export * from './document/bom.ts';
export { MAX_BOM_BYTES, MAX_BOM_DEPTH, parseBom } from './document/parse-bom.ts';
export { type PlacedComponent, walkComponents } from './document/walk-components.ts';
