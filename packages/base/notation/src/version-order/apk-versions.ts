import { compareTexts } from '../text-order/compare-texts.ts';
import { compareDigits, isDigits, stripZeros } from './digit-string.ts';
import { compareLists, type Sign, signOf, type VersionOrder } from './version-order.ts';

const KINDS = ['first', 'number', 'letter', 'suffix', 'suffixNumber', 'hash', 'revision', 'end'] as const;
type Token = { readonly kind: (typeof KINDS)[number]; readonly text: string };

const APK =
  /^([0-9]+)((?:\.[0-9]+)*)([a-z]?)((?:_(?:alpha|beta|pre|rc|cvs|svn|git|hg|p)[0-9]*)*)((?:~[0-9a-f]+)?)((?:-r[0-9]+)?)$/;
const BEFORE_RELEASE = ['alpha', 'beta', 'pre', 'rc'];
const SUFFIXES = [...BEFORE_RELEASE, 'cvs', 'svn', 'git', 'hg', 'p'];

function parse(text: string): readonly Token[] | undefined {
  const [whole, first = '', numbers = '', letter = '', suffixes = '', hash = '', revision = ''] = APK.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const tokens: Token[] = [
    { kind: 'first', text: first },
    ...(numbers.match(/[0-9]+/g) ?? []).map((number): Token => ({ kind: 'number', text: number })),
    { kind: 'letter', text: letter },
    ...(suffixes.match(/[a-z]+|[0-9]+/g) ?? []).map(
      (part): Token => ({ kind: isDigits(part) ? 'suffixNumber' : 'suffix', text: part }),
    ),
    { kind: 'hash', text: hash },
    { kind: 'revision', text: revision.slice('-r'.length) },
  ];
  return tokens.filter((token) => token.text !== '');
}

const END: Token = { kind: 'end', text: '' };

function isBeforeRelease({ kind, text }: Token): boolean {
  return kind === 'suffix' && BEFORE_RELEASE.includes(text);
}

function compareTokens(left = END, right = END): Sign {
  if (left.kind !== right.kind) {
    if (isBeforeRelease(left)) return -1;
    if (isBeforeRelease(right)) return 1;
    // What goes on longer is newer, and so is what goes on with the earlier kind: 1.2.1, 1.2a, 1.2_p1, 1.2-r1, 1.2.
    return signOf(KINDS.indexOf(right.kind) - KINDS.indexOf(left.kind));
  }
  if (left.kind === 'suffix') return signOf(SUFFIXES.indexOf(left.text) - SUFFIXES.indexOf(right.text));
  // A number with a leading zero is read as decimals: 1.05 is before 1.1.
  const isText = left.kind === 'number' && (left.text.startsWith('0') || right.text.startsWith('0'));
  if (isText || left.kind === 'letter' || left.kind === 'hash') return compareTexts(left.text, right.text);
  return compareDigits(left.text, right.text);
}

/**
 * Alpine's versions, as apk-tools 3 reads them.
 * @see apk-package(5), package info metadata
 */
export const apkVersions: VersionOrder<readonly Token[]> = {
  parse,
  compare: (left, right) => compareLists(left, right, compareTokens),
  key: (tokens) => JSON.stringify(tokens),
  branch: (tokens) => tokens.map(({ text }) => (isDigits(text) ? stripZeros(text) : text)),
};
