import { compareTexts } from '../text-order/compare-texts.ts';
import { compareDigits, isDigits, stripZeros } from './digit-string.ts';
import { compareLists, type Sign, type VersionOrder } from './version-order.ts';

type NugetVersion = { readonly numbers: readonly string[]; readonly labels: readonly string[] };

const NUGET =
  /^([0-9]+(?:\.[0-9]+){0,3})(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

function parse(text: string): NugetVersion | undefined {
  const [, numbers, labels] = NUGET.exec(text) ?? [];
  if (numbers === undefined) return undefined;
  return { numbers: numbers.split('.').map(stripZeros), labels: labels?.toLowerCase().split('.') ?? [] };
}

function compareLabels(left: string | undefined, right: string | undefined): Sign {
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? -1 : 1;
  const [isNumberLeft, isNumberRight] = [isDigits(left), isDigits(right)];
  if (isNumberLeft && isNumberRight) return compareDigits(left, right);
  return isNumberLeft === isNumberRight ? compareTexts(left, right) : isNumberLeft ? -1 : 1;
}

/** What has no labels is finished, and comes after everything with some. */
function comparePrereleases(left: readonly string[], right: readonly string[]): Sign {
  if (left.length === 0 || right.length === 0) {
    return left.length === right.length ? 0 : left.length === 0 ? 1 : -1;
  }
  return compareLists(left, right, compareLabels);
}

/**
 * NuGet's versions: up to four numbers, labels without regard to case, no weight for build metadata.
 * @see Microsoft Learn, NuGet: package versioning, normalized version numbers
 */
export const nugetVersions: VersionOrder<NugetVersion> = {
  parse,
  compare: (left, right) =>
    compareLists(left.numbers, right.numbers, compareDigits) || comparePrereleases(left.labels, right.labels),
  key: ({ numbers, labels }) => {
    const counting = numbers.slice(0, numbers.findLastIndex((number) => number !== '0') + 1);
    return JSON.stringify([counting, labels.map((label) => (isDigits(label) ? stripZeros(label) : label))]);
  },
  branch: ({ numbers }) => numbers,
};
