import { declareErrors } from '@colophon/fault';
import type { Issue } from '@colophon/json';
import { TRANSITION_KINDS } from '../transition/transition.ts';

const KINDS = {
  ...TRANSITION_KINDS,
  /** The document holds proposals of a machine, and nobody has said that they are right. */
  'vex.draft_undecided': 'refused',
  /** A draft was changed so that nobody can tell what it proposes. */
  'vex.draft_unreadable': 'refused',
  /** Only a person turns what a machine proposed into a statement. */
  'vex.draft_by_machine': 'refused',
  /** The vulnerable code, or too much of it, is in the vendored code: nothing to draft. */
  'vex.draft_code_present': 'refused',
  /** Code that is too little, or of another language, to tell whether it is the vulnerable one. */
  'vex.draft_cannot_tell': 'refused',
  /** No vendored component of the SBOM is made from the package. */
  'vex.draft_nothing_vendored': 'not-found',
  /** A statement is added to OpenVEX v0.2.0 alone: other shapes are converted first. */
  'vex.not_openvex': 'refused',
  /** A new statement that is not later than the one that counts would not count. */
  'vex.statement_not_later': 'refused',
  /** Package URLs of statements and findings that were made to be compared with each other without end. */
  'vex.too_many_comparisons': 'refused',
} as const;

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
  readonly issues?: readonly Issue[];
};

/** Something that must not be said of a vulnerability, and why. */
export const VexError = declareErrors('VexError', KINDS, (facts: Facts) => ({ facts }));
export type VexError = InstanceType<typeof VexError>;
