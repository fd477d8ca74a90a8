import { spdxException, spdxId } from './spdx-list.ts';

/** One licence of an expression, with what stands beside it: `GPL-2.0-or-later WITH Classpath-exception-2.0`. */
export type LicenceTerm = {
  /** As it is shown: in SPDX's own spelling where SPDX lists it, deprecated ids by what replaced them. */
  readonly text: string;
  /** What is compared: lower case, without `-only`, `-or-later` and `+`. */
  readonly base: string;
  readonly isOrLater: boolean;
  /** Lower case. */
  readonly exception?: string;
  /** `spdx`: listed; `reference`: a `LicenseRef-…` of somebody's own; `unknown`: neither. */
  readonly kind: 'spdx' | 'reference' | 'unknown';
};

// What SPDX once gave an id of its own. It does not say whether later versions are meant, so they are not.
const REPLACED: Readonly<Record<string, readonly [id: string, exception?: string]>> = {
  'gpl-2.0-with-gcc-exception': ['GPL-2.0-only', 'GCC-exception-2.0'],
  'gpl-2.0-with-autoconf-exception': ['GPL-2.0-only', 'Autoconf-exception-2.0'],
  'gpl-2.0-with-bison-exception': ['GPL-2.0-only', 'Bison-exception-2.2'],
  'gpl-2.0-with-classpath-exception': ['GPL-2.0-only', 'Classpath-exception-2.0'],
  'gpl-2.0-with-font-exception': ['GPL-2.0-only', 'Font-exception-2.0'],
  'gpl-3.0-with-gcc-exception': ['GPL-3.0-only', 'GCC-exception-3.1'],
  'gpl-3.0-with-autoconf-exception': ['GPL-3.0-only', 'Autoconf-exception-3.0'],
  'bsd-2-clause-freebsd': ['BSD-2-Clause-Views'],
  'bsd-2-clause-netbsd': ['BSD-2-Clause'],
  'standardml-nj': ['SMLNJ'],
  'bzip2-1.0.5': ['bzip2-1.0.6'],
};

const REFERENCE = /^(?:DocumentRef-[a-z0-9.-]+:)?LicenseRef-[a-z0-9.-]+$/i;
const ADDITION = /^(?:DocumentRef-[a-z0-9.-]+:)?AdditionRef-[a-z0-9.-]+$/i;

/**
 * The licence that an id means. `GPL-2.0` is `GPL-2.0-only` and `GPL-2.0+` is `GPL-2.0-or-later`, ids are compared
 * without regard to case, and an id that nobody lists is of the kind `unknown`.
 * @see https://spdx.github.io/spdx-spec/v2.3/SPDX-license-expressions/
 */
export function licenceTerm(id: string, exception?: string): LicenceTerm {
  const [replacement, itsException] = replacementOf(id.toLowerCase()) ?? [id];
  const licence = licenceOf(replacement);
  const added = itsException ?? exception;
  if (added === undefined) return licence;
  const listed = spdxException(added);
  const isKnown = (listed !== undefined || ADDITION.test(added)) && added === (exception ?? added);
  return {
    ...licence,
    text: `${licence.text} WITH ${listed ?? added}`,
    kind: isKnown ? licence.kind : 'unknown',
    exception: (listed ?? added).toLowerCase(),
  };
}

/** Of the table's own ids: `constructor` is a word in every object. */
function replacementOf(id: string) {
  return Object.hasOwn(REPLACED, id) ? REPLACED[id] : undefined;
}

function licenceOf(id: string): LicenceTerm {
  if (REFERENCE.test(id)) return { text: id, base: id.toLowerCase(), isOrLater: false, kind: 'reference' };
  const hasPlus = id.endsWith('+');
  const listed = spdxId(hasPlus ? id.slice(0, -1) : id);
  if (listed === undefined) return { text: id, base: id.toLowerCase(), isOrLater: false, kind: 'unknown' };
  const base = listed.replace(/-(?:only|or-later)$/, '');
  const isOrLater = hasPlus || listed.endsWith('-or-later');
  const text = isOrLater ? (spdxId(`${base}-or-later`) ?? `${base}+`) : (spdxId(`${base}-only`) ?? base);
  return { text, base: base.toLowerCase(), isOrLater, kind: 'spdx' };
}

/** Whether an entry of an allow list allows the licence: read narrowly, an entry allows what it says. */
export function allowsTerm(entry: LicenceTerm, term: LicenceTerm): boolean {
  if (entry.kind === 'unknown' || term.kind === 'unknown' || entry.exception !== term.exception) return false;
  if (entry.base === term.base && entry.isOrLater === term.isOrLater) return true;
  // Who gets `GPL-2.0-or-later` may choose 2.0 or 3.0, so either on the list will do.
  return term.isOrLater && isSameOrLater(entry.base, term.base);
}

/** Whether an entry of a deny list denies the licence: read widely, with any exception and as only or later. */
export function deniesTerm(entry: LicenceTerm, term: LicenceTerm): boolean {
  if (entry.exception !== undefined && entry.exception !== term.exception) return false;
  return entry.base === term.base || (entry.isOrLater && isSameOrLater(term.base, entry.base));
}

/** Whether `base` is the same licence as `earlier`, in its version or a later one. */
function isSameOrLater(base: string, earlier: string): boolean {
  if (base === earlier) return true;
  const [left, right] = [versioned(base), versioned(earlier)];
  if (left === undefined || right === undefined || left.family !== right.family) return false;
  for (let part = 0; part < Math.max(left.version.length, right.version.length); part++) {
    const difference = (left.version[part] ?? 0) - (right.version[part] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function versioned(base: string): { family: string; version: number[] } | undefined {
  const [, family, version] = /^(.+)-(\d+(?:\.\d+)*)$/.exec(base) ?? [];
  return family === undefined ? undefined : { family, version: version!.split('.').map(Number) };
}
