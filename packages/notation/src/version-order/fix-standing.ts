import { compareVersions, readVersion } from './compare-versions.ts';

/** How a version stands to the versions in which something was fixed. */
export type FixStanding = 'fixed' | 'not_fixed' | 'unknown';

/**
 * Whether `version` is at or behind a fix of its own branch: 1.2.5 and 2.0.1 leave 2.0.0 unfixed.
 *
 * Asked are the greatest fix at or below the version and the smallest one above it. Where only one is there it decides.
 * Where both are, the version goes with the one with which it shares more leading parts (the numbers of the release; of
 * distributions' packages every part, epoch first). It shares as many with both: unknown. A fix that is no version here
 * may lie anywhere, so it stands on either side as one that shares nothing.
 */
export function fixStanding(type: string, version: string, fixed: readonly string[]): FixStanding {
  if (version === '' || fixed.length === 0) return 'unknown';
  if (fixed.some((fix) => compareVersions(type, version, fix) === 0)) return 'fixed';
  const own = readVersion(type, version);
  if (own === undefined) return 'unknown';
  const fixes = fixed.map((fix) => readVersion(type, fix));
  const ordered = fixes
    .filter((fix) => fix !== undefined)
    .map((fix) => ({ version: fix.version, side: own.order.compare(fix.version, own.version) }))
    .sort((left, right) => own.order.compare(left.version, right.version));
  const branch = own.order.branch(own.version);
  const sharedWith = (fix: { readonly version: unknown } | undefined): number | undefined => {
    if (fix !== undefined) return countShared(branch, own.order.branch(fix.version));
    return ordered.length < fixes.length ? 0 : undefined;
  };
  const before = sharedWith(ordered.findLast(({ side }) => side < 0));
  const after = sharedWith(ordered.find(({ side }) => side > 0));
  if (before === undefined) return 'not_fixed';
  if (after === undefined) return 'fixed';
  return before > after ? 'fixed' : before < after ? 'not_fixed' : 'unknown';
}

function countShared(left: readonly string[], right: readonly string[]): number {
  const length = Math.max(left.length, right.length);
  for (let place = 0; place < length; place += 1) {
    if ((left[place] ?? '0') !== (right[place] ?? '0')) return place;
  }
  return length;
}
