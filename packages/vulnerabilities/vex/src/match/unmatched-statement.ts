import type { VexSubject } from '../vex-document/vex-document.ts';
import { type Difference, identifiersOf } from './identifier-index.ts';

/** Why a statement speaks of nothing that was found; listed in docs/errors.md. */
export const UNMATCHED_CODES = [
  /** Nobody found the vulnerability: nothing to say anything about. */
  'vex.unmatched_vulnerability',
  /** What it is about is neither what was scanned nor a component with this vulnerability. */
  'vex.unmatched_product',
  /** The scanned artifact, and no component in it that has this vulnerability. */
  'vex.unmatched_component',
  /** The right package in another version. */
  'vex.unmatched_version',
  /** The right package and version, and a qualifier or a subpath that is another, or is not there. */
  'vex.unmatched_qualifiers',
  /** Its author is none of those who may speak for the product. */
  'vex.unmatched_author',
  /** It names no product. */
  'vex.unmatched_no_product',
  /** It names a range of versions, which nobody compares. */
  'vex.unmatched_range',
  /** It is dated later than now. */
  'vex.unmatched_future',
] as const;
export type UnmatchedCode = (typeof UNMATCHED_CODES)[number];

/** Each reason for people. */
export const UNMATCHED_MESSAGES: Readonly<Record<UnmatchedCode, string>> = {
  'vex.unmatched_vulnerability': 'no finding has this vulnerability',
  'vex.unmatched_product': 'the product is neither what was scanned nor a component that has the vulnerability',
  'vex.unmatched_component': 'no such component has the vulnerability',
  'vex.unmatched_version': 'it is found in another version',
  'vex.unmatched_qualifiers': 'it is found with another qualifier or subpath',
  'vex.unmatched_author': 'its author may not speak for this product',
  'vex.unmatched_no_product': 'it names no product',
  'vex.unmatched_range': 'it names a range of versions, which is not compared',
  'vex.unmatched_future': 'it is dated later than now',
};

export type UnmatchedReason = {
  readonly code: UnmatchedCode;
  /** What the statement calls it. */
  readonly expected?: string;
  /** What comes nearest to it, as the scan calls it. */
  readonly found?: string;
};

/** A statement that nothing was matched by, by the numbers of its document and its own. */
export type Unmatched = UnmatchedReason & { readonly document: number; readonly statement: number };

/** From what says the least to what says the most. */
const NEARNESS: readonly UnmatchedCode[] = [
  'vex.unmatched_product',
  'vex.unmatched_component',
  'vex.unmatched_range',
  'vex.unmatched_version',
  'vex.unmatched_qualifiers',
  'vex.unmatched_author',
];

/** Of several reasons the one that was nearest to a match: it says what to change. */
export function nearest(reasons: Iterable<UnmatchedReason>): UnmatchedReason | undefined {
  let best: UnmatchedReason | undefined;
  for (const next of reasons) {
    if (best === undefined || NEARNESS.indexOf(next.code) > NEARNESS.indexOf(best.code)) best = next;
  }
  return best;
}

/** The reason for a subject that is not found: a product, or a component inside one. */
export function reasonOf(
  subject: VexSubject,
  { what, found }: Difference,
  kind: 'product' | 'component',
): UnmatchedReason {
  const identifiers = identifiersOf(subject);
  const expected = identifiers[0] ?? subject.name;
  const isRange =
    subject.versions !== undefined || (what === 'qualifiers' && identifiers.some((one) => RANGE.test(one)));
  const code = isRange ? 'vex.unmatched_range' : what === 'name' ? NAMES[kind] : (`vex.unmatched_${what}` as const);
  return { code, ...(expected === undefined ? {} : { expected }), ...(found === undefined ? {} : { found }) };
}

/** A package URL has a place for a range of versions among its qualifiers. */
const RANGE = /^pkg:[^#]*[?&]vers=/i;
const NAMES = { product: 'vex.unmatched_product', component: 'vex.unmatched_component' } as const;
