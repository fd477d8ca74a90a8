/** Why a comment is proposed and not written. */
export const UNFIXED_CODES = [
  /** Nowhere near the block a comment would be one. */
  'comment.no_place',
  /** A comment beside it says it right; which of the two goes is for a person to say. */
  'comment.right_beside',
  /** No parser of the language is here, so nothing proves that the place is in no text. */
  'comment.no_parser',
  /** The parser cannot read the file as a whole, or reads it otherwise than the language does. */
  'comment.unparsed',
  /** With the comment, the file would be another program. */
  'comment.changes_program',
  /** The file is not what was looked at: somebody writes it, or git keeps it in another form. */
  'comment.file_changed',
  /** The file may not be written. */
  'comment.read_only',
] as const;

/** One of {@link UNFIXED_CODES}, with its reason in words. */
export type Unfixed = { readonly code: (typeof UNFIXED_CODES)[number]; readonly reason: string };
