import { type OrderedVersion, readVersion } from './compare-versions.ts';

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
  return standingBy((text) => readVersion(type, text), version, fixed);
}

/** The same by any order. */
export function standingBy(
  read: (text: string) => OrderedVersion | undefined,
  version: string,
  fixed: readonly string[],
): FixStanding {
  if (version === '' || fixed.length === 0) return 'unknown';
  if (fixed.includes(version)) return 'fixed';
  const own = read(version);
  if (own === undefined) return 'unknown';
  const { order } = own;

  let below: OrderedVersion | undefined;
  let above: OrderedVersion | undefined;
  let isAnyUnread = false;
  for (const text of fixed) {
    const fix = read(text);
    if (fix === undefined) {
      isAnyUnread = true;
      continue;
    }
    const side = order.compare(fix.version, own.version);
    if (side === 0) return 'fixed';
    if (side < 0) {
      if (below === undefined || order.compare(fix.version, below.version) > 0) below = fix;
    } else if (above === undefined || order.compare(fix.version, above.version) < 0) above = fix;
  }
  if (below === undefined && !isAnyUnread) return 'not_fixed';
  if (above === undefined && !isAnyUnread) return 'fixed';

  const branch = order.branch(own.version);
  const [before, after] = [below, above].map((fix) => fix && order.branch(fix.version));
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
