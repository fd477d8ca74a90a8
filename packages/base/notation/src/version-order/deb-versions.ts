import { compareDigits, digitRuns, isDigits, stripZeros } from './digit-string.ts';
import { splitEpoch } from './version-epoch.ts';
import { compareLists, type Sign, signOf, type VersionOrder } from './version-order.ts';

type DebVersion = { readonly epoch: string; readonly upstream: string; readonly revision: string };

// As dpkg has it: a number of 31 bits.
function isEpoch(text: string): boolean {
  return isDigits(text) && compareDigits(text, '2147483647') <= 0;
}

function parse(text: string): DebVersion | undefined {
  const found = splitEpoch(text);
  if (found === undefined && text.includes(':')) return undefined;
  const { epoch, rest } = found ?? { epoch: '0', rest: text };
  const hyphen = rest.lastIndexOf('-');
  const upstream = hyphen < 0 ? rest : rest.slice(0, hyphen);
  const revision = hyphen < 0 ? '0' : rest.slice(hyphen + 1);
  const isVersion = isEpoch(epoch) && /^[A-Za-z0-9.+~:-]+$/.test(upstream) && /^[A-Za-z0-9.+~]+$/.test(revision);
  return isVersion ? { epoch, upstream, revision } : undefined;
}

/** A tilde comes before the end, the end before letters, letters before everything else. */
function weigh(character: string | undefined): number {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  return character.charCodeAt(0) + (/[A-Za-z]/.test(character) ? 0 : 256);
}

type Pair = { readonly other: string; readonly digits: string };

/** What is no digit and the digits after it: `1.2~rc3` is `1`, `.2`, `~rc3`. */
function pairs(text: string): Pair[] {
  return Array.from(text.matchAll(/([^0-9]*)([0-9]*)/g), ([, other = '', digits = '']) => ({ other, digits }));
}

const NOTHING: Pair = { other: '', digits: '' };

function comparePairs(left = NOTHING, right = NOTHING): Sign {
  return (
    compareLists([...left.other], [...right.other], (a, b) => signOf(weigh(a) - weigh(b))) ||
    compareDigits(left.digits, right.digits)
  );
}

function comparePart(left: string, right: string): Sign {
  return compareLists(pairs(left), pairs(right), comparePairs);
}

/**
 * Debian's and Ubuntu's versions.
 * @see deb-version(7), sorting algorithm
 */
export const debVersions: VersionOrder<DebVersion> = {
  parse,
  compare: (left, right) =>
    compareDigits(left.epoch, right.epoch) ||
    comparePart(left.upstream, right.upstream) ||
    comparePart(left.revision, right.revision),
  key: ({ epoch, upstream, revision }) => JSON.stringify([stripZeros(epoch), digitRuns(upstream), digitRuns(revision)]),
  branch: ({ epoch, upstream, revision }) => {
    const [first = '', ...rest] = digitRuns(`${upstream}-${revision}`);
    return [`${stripZeros(epoch)}:${first}`, ...rest];
  },
};
