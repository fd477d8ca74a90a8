import type { OrderedVersion } from './compare-versions.ts';
import { compareDigits, leadingNumbers, stripZeros } from './digit-string.ts';
import { type FixStanding, standingBy } from './fix-standing.ts';
import { compareLists, type VersionOrder } from './version-order.ts';

/** The numbers that a version begins with, and those of its revision where nothing but numbers follows. */
type PlainNumbers = { readonly numbers: readonly string[]; readonly revision: readonly string[] };

/** Longer texts have no numbers that are worth reading. */
const MAX_VERSION_LENGTH = 256;

const TAGGED = /^(?:v|ver|version|r|rel|release)?[-_.]?(?=[0-9])/i;
/** Of a commit; the digits at its beginning are no number. */
const ABBREVIATED_COMMIT = /^(?=.*[a-f])[0-9a-f]{7,64}$/i;
const REVISION = /^(?:[-_+]r?[0-9]+(?:\.[0-9]+)*)+$/i;

function parse(text: string): PlainNumbers | undefined {
  if (text.length > MAX_VERSION_LENGTH || ABBREVIATED_COMMIT.test(text)) return undefined;
  const plain = text.replace(TAGGED, '');
  const [written = ''] = /^[0-9]+(?:\.[0-9]+)*/.exec(plain) ?? [];
  const rest = plain.slice(written.length);
  // An epoch is no first number.
  if (written === '' || rest.startsWith(':')) return undefined;
  const revision = REVISION.test(rest) ? Array.from(rest.matchAll(/[0-9]+/g), ([digits]) => stripZeros(digits)) : [];
  return { numbers: leadingNumbers(written), revision };
}

const compareNumbers = (left: readonly string[], right: readonly string[]) => compareLists(left, right, compareDigits);

/** No ecosystem's order: what nearly all of them have in common. A revision decides where both versions have one. */
const plainNumbers: VersionOrder<PlainNumbers> = {
  parse,
  compare: (left, right) => {
    const sign = compareNumbers(left.numbers, right.numbers);
    if (sign !== 0 || left.revision.length === 0 || right.revision.length === 0) return sign;
    return compareNumbers(left.revision, right.revision);
  },
  key: (version) => JSON.stringify(version),
  branch: ({ numbers }) => numbers,
};

/**
 * How the numbers at the beginning of a version stand to those of the fixes, where no order of an ecosystem decides:
 * `7.0.0-3` is below `7.0.5`. Good for a doubt alone: that something is `fixed` by its numbers proves nothing.
 */
export function plainFixStanding(version: string, fixed: readonly string[]): FixStanding {
  return standingBy(read, version, fixed);
}

function read(text: string): OrderedVersion | undefined {
  const version = plainNumbers.parse(text);
  return version === undefined ? undefined : { order: plainNumbers as VersionOrder, version };
}
