import { compare, parse, valid } from '@renovatebot/pep440';
import { compareTexts } from '../text-order/compare-texts.ts';
import { compareDigits, isDigits, stripZeros } from './digit-string.ts';
import { compareLists, type Sign, signOf, type VersionOrder } from './version-order.ts';

type PythonVersion = { readonly public: string; readonly local: readonly string[] };

const LOCAL = /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/i;
/** The library computes with doubles: a longer number would be rounded. */
const TOO_LONG = /[0-9]{16}/;

function parseVersion(text: string): PythonVersion | undefined {
  const plus = text.indexOf('+');
  const [version, local] = plus < 0 ? [text, undefined] : [text.slice(0, plus), text.slice(plus + 1)];
  if (TOO_LONG.test(version) || valid(version) === null) return undefined;
  if (local !== undefined && !LOCAL.test(local)) return undefined;
  return { public: version, local: local?.toLowerCase().split(/[-_.]/) ?? [] };
}

// By ourselves: the library takes the local version `1e5`, a commit's beginning, for the number 100000.
function compareLocal(left: string | undefined, right: string | undefined): Sign {
  if (left === undefined || right === undefined) return left === right ? 0 : left === undefined ? -1 : 1;
  const [isNumberLeft, isNumberRight] = [isDigits(left), isDigits(right)];
  if (isNumberLeft && isNumberRight) return compareDigits(left, right);
  return isNumberLeft === isNumberRight ? compareTexts(left, right) : isNumberLeft ? 1 : -1;
}

/**
 * PyPI's versions. Those from before PEP 440 (`2004d`) are none.
 * @see PEP 440, now the version specifiers of the Python Packaging User Guide
 */
export const pythonVersions: VersionOrder<PythonVersion> = {
  parse: parseVersion,
  compare: (left, right) =>
    signOf(compare(left.public, right.public)) || compareLists(left.local, right.local, compareLocal),
  key: ({ public: text, local }) => {
    const { epoch = 0, release = [], pre, post, dev } = parse(text) ?? {};
    const numbers = release.slice(0, release.findLastIndex((number) => number !== 0) + 1);
    return JSON.stringify([
      epoch,
      numbers,
      pre,
      post,
      dev,
      local.map((part) => (isDigits(part) ? stripZeros(part) : part)),
    ]);
  },
  branch: (version) => {
    const { epoch = 0, release = [0] } = parse(version.public) ?? {};
    return release.map((number, place) => (place === 0 ? `${epoch}!${number}` : `${number}`));
  },
};
