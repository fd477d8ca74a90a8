import type { Issue } from '@colophon/json';
import { TRANSITION_CODES } from './transition/transition.ts';

/** Every code of {@link VexError}. */
export const VEX_ERROR_CODES = [
  ...TRANSITION_CODES,
  /** The document holds proposals of a machine, and nobody has said that they are right. */
  'vex.draft_undecided',
  /** A draft was changed so that nobody can tell what it proposes. */
  'vex.draft_unreadable',
  /** Only a person turns what a machine proposed into a statement. */
  'vex.draft_by_machine',
  /** The vulnerable code, or too much of it, is in the vendored code: nothing to draft. */
  'vex.draft_code_present',
  /** Code that is too little, or of another language, to tell whether it is the vulnerable one. */
  'vex.draft_cannot_tell',
  /** No vendored component of the SBOM is made from the package. */
  'vex.draft_nothing_vendored',
  /** A statement is added to OpenVEX v0.2.0 alone: other shapes are converted first. */
  'vex.not_openvex',
  /** A new statement that is not later than the one that counts would not count. */
  'vex.statement_not_later',
  /** Package URLs of statements and findings that were made to be compared with each other without end. */
  'vex.too_many_comparisons',
] as const;

/** One of {@link VEX_ERROR_CODES}. */
export type VexErrorCode = (typeof VEX_ERROR_CODES)[number];

/** What a person needs to see beside the code. */
type Facts = {
  readonly checked?: string;
  readonly expected?: string;
  readonly found?: string;
  readonly next?: string;
  readonly issues?: readonly Issue[];
};

/** Something that must not be said of a vulnerability, and why. */
export class VexError extends Error {
  override readonly name = 'VexError';
  readonly code: VexErrorCode;
  readonly facts: Facts;

  constructor(code: VexErrorCode, message: string, facts: Facts = {}) {
    super(message);
    this.code = code;
    this.facts = facts;
  }
}
