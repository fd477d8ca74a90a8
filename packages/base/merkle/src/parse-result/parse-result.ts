/** Every code that the parsers of this package give. */
export const MERKLE_ISSUE_CODES = [
  'note.too_large',
  'note.bad_text',
  'note.no_signature',
  'note.bad_signature_line',
  'note.too_many_signatures',
  'checkpoint.bad_form',
  'checkpoint.bad_origin',
  'checkpoint.bad_size',
  'checkpoint.bad_root',
  'checkpoint.bad_extension',
] as const;

/** One of {@link MERKLE_ISSUE_CODES}. */
export type MerkleIssueCode = (typeof MERKLE_ISSUE_CODES)[number];

/** One thing that is wrong with a text from outside; the shape of `Issue` in the records package. */
export type MerkleIssue = {
  /** `/line/<n>`, counted from 0, or '' for the whole text. */
  readonly path: string;
  readonly code: MerkleIssueCode;
  /** One sentence for a person. */
  readonly message: string;
  /** The standard that asks for it. */
  readonly source: string;
};

/** What a parser answers; fits `ParseResult` of the records package, which a package of the same layer cannot import. */
export type MerkleParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly MerkleIssue[] };
