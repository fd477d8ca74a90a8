import { compareTexts } from '../text-order/compare-texts.ts';
import { compareDigits, isDigits, stripZeros } from './digit-string.ts';
import { compareLists, type Sign, type VersionOrder } from './version-order.ts';

/** Segments without the zeros before the first letter and at the end. */
type GemVersion = readonly string[];

const GEM = /^[0-9]+(?:\.[0-9a-z]+)*(?:-[0-9a-z-]+(?:\.[0-9a-z-]+)*)?$/i;

function dropLastZeros(segments: readonly string[]): readonly string[] {
  return segments.slice(0, segments.findLastIndex((segment) => segment !== '0') + 1);
}

function parse(text: string): GemVersion | undefined {
  if (!GEM.test(text)) return undefined;
  const segments = (text.replaceAll('-', '.pre.').match(/[0-9]+|[a-z]+/gi) ?? []).map((segment) =>
    isDigits(segment) ? stripZeros(segment) : segment,
  );
  const letters = segments.findIndex((segment) => !isDigits(segment));
  const numbers = letters < 0 ? segments : segments.slice(0, letters);
  return [...dropLastZeros(numbers), ...dropLastZeros(segments.slice(numbers.length))];
}

// What is missing counts as zero, and letters come before every number: `1.0.rc1` is before `1.0`.
function compareSegments(left = '0', right = '0'): Sign {
  const [isNumberLeft, isNumberRight] = [isDigits(left), isDigits(right)];
  if (isNumberLeft && isNumberRight) return compareDigits(left, right);
  return isNumberLeft === isNumberRight ? compareTexts(left, right) : isNumberLeft ? 1 : -1;
}

/**
 * RubyGems' versions; a hyphen starts a prerelease, so a platform after the version (`1.16.2-java`) is not told from one.
 * @see Gem::Version
 */
export const gemVersions: VersionOrder<GemVersion> = {
  parse,
  compare: (left, right) => compareLists(left, right, compareSegments),
  key: (version) => JSON.stringify(version),
  branch: (version) =>
    version.slice(
      0,
      version.concat('end').findIndex((segment) => !isDigits(segment)),
    ),
};
