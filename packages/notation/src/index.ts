export { compareVersions, hasVersionOrder, MAX_VERSION_LENGTH } from './version-order/compare-versions.ts';
export { type FixStanding, fixStanding } from './version-order/fix-standing.ts';
