import { compareTexts } from '../text-order/compare-texts.ts';
import { compareDigits, digitRuns, isDigits, stripZeros } from './digit-string.ts';
import { splitEpoch } from './version-epoch.ts';
import type { Sign, VersionOrder } from './version-order.ts';

type RpmVersion = { readonly epoch: string; readonly version: string; readonly release: string | undefined };

function parse(text: string): RpmVersion | undefined {
  const { epoch, rest } = splitEpoch(text) ?? { epoch: '0', rest: text };
  const hyphen = rest.lastIndexOf('-');
  const version = hyphen < 0 ? rest : rest.slice(0, hyphen);
  const release = hyphen < 0 ? undefined : rest.slice(hyphen + 1);
  return version === '' || release === '' ? undefined : { epoch: epoch || '0', version, release };
}

/** Runs of digits or of letters, tildes and carets; everything else only separates. */
function segments(text: string): readonly string[] {
  return text.match(/[0-9]+|[A-Za-z]+|[~^]/g) ?? [];
}

/** `~` is before the end, `^` right after it, then letters, then digits. */
function rank(segment: string | undefined): number {
  if (segment === undefined) return 1;
  if (segment === '~') return 0;
  if (segment === '^') return 2;
  return isDigits(segment) ? 4 : 3;
}

function comparePart(left: string, right: string): Sign {
  const [a, b] = [segments(left), segments(right)];
  for (let place = 0; place < Math.max(a.length, b.length); place += 1) {
    const [one, two] = [a[place], b[place]];
    const difference = rank(one) - rank(two);
    if (difference !== 0) return difference < 0 ? -1 : 1;
    const sign = rank(one) === 4 ? compareDigits(one, two) : compareTexts(one ?? '', two ?? '');
    if (sign !== 0) return sign;
  }
  return 0;
}

function compareRelease(left: string | undefined, right: string | undefined): Sign {
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? -1 : 1;
  return comparePart(left, right);
}

/**
 * RPM's epoch, version and release. An epoch that stands in a qualifier of the package URL has to be put before the
 * version by the caller.
 * @see rpm-version(7)
 */
export const rpmVersions: VersionOrder<RpmVersion> = {
  parse,
  compare: (left, right) =>
    compareDigits(left.epoch, right.epoch) ||
    comparePart(left.version, right.version) ||
    compareRelease(left.release, right.release),
  key: ({ epoch, version, release }) =>
    JSON.stringify([stripZeros(epoch), digitRuns(version), release === undefined ? null : digitRuns(release)]),
  branch: ({ epoch, version, release }) => {
    const [first = '', ...rest] = digitRuns(release === undefined ? version : `${version}-${release}`);
    return [`${stripZeros(epoch)}:${first}`, ...rest];
  },
};
