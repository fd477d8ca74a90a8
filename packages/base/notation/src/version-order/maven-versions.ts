import { compareTexts } from '../text-order/compare-texts.ts';
import { compareDigits, isDigits, leadingNumbers, stripZeros } from './digit-string.ts';
import { compareLists, type Sign, signOf, type VersionOrder } from './version-order.ts';

/** Digits, a qualifier, or a list that a hyphen or a change between digits and letters began. */
type Item = string | Item[];
type MavenVersion = { readonly items: readonly Item[]; readonly numbers: readonly string[] };

const MAVEN = /^[0-9a-z][0-9a-z._+~-]*$/i;
const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp'];
const RELEASE = QUALIFIERS.indexOf('');
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['ga', ''],
  ['final', ''],
  ['release', ''],
  ['cr', 'rc'],
]);
const SHORT_BEFORE_DIGITS: ReadonlyMap<string, string> = new Map([
  ['a', 'alpha'],
  ['b', 'beta'],
  ['m', 'milestone'],
]);

const readRun = (run: string): string => (isDigits(run) ? stripZeros(run) : (ALIASES.get(run) ?? run));
const isNull = (item: Item): boolean => (typeof item === 'string' ? item === '' || item === '0' : item.length === 0);

/** Takes out the zeros and empty parts at the end, and before each list. */
function normalize(list: Item[]): void {
  for (let index = list.length - 1; index >= 0; index -= 1) {
    const item = list[index] as Item;
    if (isNull(item)) list.splice(index, 1);
    else if (typeof item === 'string') return;
  }
}

function parseItems(text: string): Item[] {
  const lists: Item[][] = [[]];
  let list = lists[0] as Item[];
  const open = (): void => {
    const inner: Item[] = [];
    list.push(inner);
    lists.push(inner);
    list = inner;
  };
  let run = '';
  for (const [token] of text.matchAll(/[0-9]+|[.-]|[^0-9.-]+/g)) {
    if (token === '.' || token === '-') {
      list.push(run === '' ? '0' : readRun(run));
      run = '';
      if (token === '-') open();
      continue;
    }
    if (run !== '') {
      // `.X1` is read as `-X1`, and both as `-X-1`.
      if (!isDigits(run) && list.length > 0) open();
      list.push(isDigits(run) ? stripZeros(run) : readRun(SHORT_BEFORE_DIGITS.get(run) ?? run));
      open();
    }
    run = token;
  }
  if (run !== '') {
    if (!isDigits(run) && list.length > 0) open();
    list.push(readRun(run));
  }
  for (const inner of lists.reverse()) normalize(inner);
  return lists.at(-1) as Item[];
}

function rankQualifier(qualifier: string): number {
  const place = QUALIFIERS.indexOf(qualifier);
  return place < 0 ? QUALIFIERS.length : place;
}

function compareToNothing(item: Item): Sign {
  if (typeof item !== 'string') return compareLists(item, [], compareItems);
  return isDigits(item) ? compareDigits(item, '0') : signOf(rankQualifier(item) - RELEASE);
}

/** Qualifiers come before lists, lists before numbers. */
function rank(item: Item): number {
  if (typeof item !== 'string') return 1;
  return isDigits(item) ? 2 : 0;
}

function compareItems(left: Item | undefined, right: Item | undefined): Sign {
  if (left === undefined) return right === undefined ? 0 : signOf(-compareToNothing(right));
  if (right === undefined) return compareToNothing(left);
  if (typeof left !== 'string' && typeof right !== 'string') return compareLists(left, right, compareItems);
  if (rank(left) !== rank(right) || typeof left !== 'string' || typeof right !== 'string') {
    return signOf(rank(left) - rank(right));
  }
  if (isDigits(left)) return compareDigits(left, right);
  const byRank = signOf(rankQualifier(left) - rankQualifier(right));
  return byRank || (rankQualifier(left) === QUALIFIERS.length ? compareTexts(left, right) : 0);
}

/**
 * Maven's versions, without regard to case, as Maven 3.9 compares them.
 * @see Maven POM Reference, version order specification
 */
export const mavenVersions: VersionOrder<MavenVersion> = {
  parse: (text) =>
    MAVEN.test(text) ? { items: parseItems(text.toLowerCase()), numbers: leadingNumbers(text) } : undefined,
  compare: (left, right) => compareLists(left.items, right.items, compareItems),
  key: ({ items }) => JSON.stringify(items),
  branch: ({ numbers }) => numbers,
};
