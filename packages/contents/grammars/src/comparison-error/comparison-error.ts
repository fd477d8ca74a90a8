import { declareErrors } from '@colophon/fault';

const KINDS = {
  /** A file's name does not say its language. */
  'similarity.language_unknown': 'usage',
  /** Two files of languages that have no syntax in common. */
  'similarity.languages_differ': 'usage',
  /** Neither side has a source file of a language that the other has. */
  'similarity.nothing_to_compare': 'not-found',
} as const;

/** What a person needs to see beside the code. */
type Facts = { readonly checked?: string; readonly expected?: string; readonly found?: string };

/** What the comparison of source files throws beside `GrammarError`. */
export const ComparisonError = declareErrors<typeof KINDS, Facts, { readonly facts: Facts }>(
  'ComparisonError',
  KINDS,
  (facts) => ({ facts }),
);
export type ComparisonError = InstanceType<typeof ComparisonError>;
