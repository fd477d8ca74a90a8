export { compareVersions, hasVersionOrder, isOrderedVersion } from './version-order/compare-versions.ts';
export { type FixStanding, fixStanding } from './version-order/fix-standing.ts';
