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
    .map(({ version: fix }) => ({ fix, side: own.order.compare(fix, own.version) }))
    .sort((left, right) => own.order.compare(left.fix, right.fix));
  const below = ordered.findLast(({ side }) => side < 0);
  const above = ordered.find(({ side }) => side > 0);
  const isAnyUnread = ordered.length < fixes.length;
  if (below === undefined && !isAnyUnread) return 'not_fixed';
  if (above === undefined && !isAnyUnread) return 'fixed';

  const branch = own.order.branch(own.version);
  const [before, after] = [below, above].map((found) => found && own.order.branch(found.fix));
  const length = Math.max(branch.length, before?.length ?? 0, after?.length ?? 0);
  const [withBefore, withAfter] = [before, after].map((other) => (other ? countShared(branch, other, length) : 0));
  if (withBefore === withAfter) return 'unknown';
  return Number(withBefore) > Number(withAfter) ? 'fixed' : 'not_fixed';
}

/** What is not written is zero: 6.0.5 shares two parts with 6. */
function countShared(left: readonly string[], right: readonly string[], length: number): number {
  for (let place = 0; place < length; place += 1) {
    if ((left[place] ?? '0') !== (right[place] ?? '0')) return place;
  }
  return length;
}
