import { compareDigits, isDigits, leadingNumbers, stripZeros } from './digit-string.ts';
import { compareLists, type Sign, signOf, type VersionOrder } from './version-order.ts';

/** Numbers, then a stability with its numbers, then `dev`: `v1.2-beta3` is `['1', '2', '0', '0', 'beta', '3']`. */
type ComposerVersion = readonly string[];

const STABILITY = '[._-]?(?:(stable|beta|b|rc|alpha|a|patch|pl|p)((?:[.-]?[0-9]+)*))?([.-]?dev)?';
const CLASSICAL = new RegExp(`^v?([0-9]{1,5}(?:\\.[0-9]+){0,3})${STABILITY}$`, 'i');
const DATE = new RegExp(`^v?([0-9]{4}(?:[.:-]?[0-9]{2}){1,6}(?:[.:-]?[0-9]{1,3}){0,2})${STABILITY}$`, 'i');
const LONG_NAMES: ReadonlyMap<string, string> = new Map([
  ['a', 'alpha'],
  ['b', 'beta'],
  ['p', 'patch'],
  ['pl', 'patch'],
]);
/** By rank; a number, and nothing more, stand between `rc` and `patch`. */
const NAMES = ['dev', 'alpha', 'beta', 'rc', 'end', 'number', 'patch'];

function parse(text: string): ComposerVersion | undefined {
  const version = text.replace(/@(?:stable|rc|beta|alpha|dev)$/i, '').replace(/^([^+,]+)\+.+$/, '$1');
  const classical = CLASSICAL.exec(version);
  const [, numbers, stability = '', count = '', dev] = classical ?? DATE.exec(version) ?? [];
  if (numbers === undefined) return undefined;
  const release = numbers.split(/[^0-9]/);
  while (classical !== null && release.length < 4) release.push('0');
  const name = stability.toLowerCase();
  if (name === 'stable') return release;
  return [
    ...release,
    ...(name === '' ? [] : [LONG_NAMES.get(name) ?? name]),
    ...(count.match(/[0-9]+/g) ?? []),
    ...(dev === undefined ? [] : ['dev']),
  ];
}

function rank(part: string | undefined): number {
  return NAMES.indexOf(part === undefined ? 'end' : isDigits(part) ? 'number' : part);
}

function compareParts(left: string | undefined, right: string | undefined): Sign {
  return signOf(rank(left) - rank(right)) || (isDigits(left ?? '') ? compareDigits(left, right) : 0);
}

/**
 * Packagist's versions: normalised as Composer does it, then compared by the rules of PHP's `version_compare`. Branches
 * (`dev-main`, `2.x-dev`) are no versions.
 * @see composer/semver, VersionParser::normalize; PHP manual, version_compare
 */
export const composerVersions: VersionOrder<ComposerVersion> = {
  parse,
  compare: (left, right) => compareLists(left, right, compareParts),
  key: (version) => JSON.stringify(version.map((part) => (isDigits(part) ? stripZeros(part) : part))),
  branch: (version) => leadingNumbers(version.join('.')),
};
