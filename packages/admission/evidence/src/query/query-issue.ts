import type { Issue } from '@colophon/json';

/** Everything that can be wrong with a question. */
export const QUERY_ISSUE_CODES = [
  'query.too_long',
  'query.too_complex',
  'query.syntax',
  'query.unknown_set',
  'query.set_not_available',
  'query.unknown_field',
  'query.operator_not_allowed',
  'query.value_invalid',
  'query.pattern_invalid',
  'query.limit_invalid',
] as const;
export type QueryIssueCode = (typeof QUERY_ISSUE_CODES)[number];

/** What is wrong with a question, and where. */
export type QueryIssue = Issue & {
  readonly code: QueryIssueCode;
  /** Of the first character of what is wrong, counted from 1; one past the end where something is missing there. */
  readonly position: number;
  /** A name that was probably meant. */
  readonly didYouMean?: string;
};

/** Ends the reading of a question. */
export class QueryRefusal extends Error {
  readonly issue: QueryIssue;

  constructor(
    code: QueryIssueCode,
    position: number,
    message: string,
    more: { readonly expected?: string; readonly didYouMean?: string | undefined } = {},
  ) {
    super(message);
    const { expected, didYouMean } = more;
    this.issue = {
      path: '',
      code,
      message,
      position,
      ...(expected === undefined ? {} : { expected }),
      ...(didYouMean === undefined ? {} : { didYouMean }),
    };
  }
}
