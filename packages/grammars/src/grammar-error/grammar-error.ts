/** Every code of {@link GrammarError}. */
export const GRAMMAR_ERROR_CODES = [
  /** The text is longer than a source file that people write. */
  'grammar.too_large',
  /** Reading the text took too long: it is no program of this language, or made to be slow. */
  'grammar.too_slow',
  /** The grammar or the parser itself is not where it was installed. */
  'grammar.unavailable',
] as const;

/** One of {@link GRAMMAR_ERROR_CODES}. */
export type GrammarErrorCode = (typeof GRAMMAR_ERROR_CODES)[number];

/** What every operation of this package throws. */
export class GrammarError extends Error {
  readonly code: GrammarErrorCode;

  constructor(code: GrammarErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GrammarError';
    this.code = code;
  }
}
