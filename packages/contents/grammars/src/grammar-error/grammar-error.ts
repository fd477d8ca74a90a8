import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** The text is longer than a source file that people write. */
  'grammar.too_large': 'refused',
  /** Reading the text took too long: it is no program of this language, or made to be slow. */
  'grammar.too_slow': 'refused',
  /** The grammar or the parser itself is not where it was installed. */
  'grammar.unavailable': 'machine',
} as const;

/** What every operation of this package throws. */
export const GrammarError = declareErrors('GrammarError', KINDS);
export type GrammarError = InstanceType<typeof GrammarError>;
