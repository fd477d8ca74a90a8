/** One thing that is wrong with a document from outside. */
export type Issue = {
  /** JSON Pointer to the value, '' for the whole document. */
  readonly path: string;
  /** Stable, e.g. `request.field_missing`; listed in docs/errors.md. */
  readonly code: string;
  /** One sentence for a person; never contains the value of a secret. */
  readonly message: string;
  readonly expected?: string;
  /** The section of the contract or the standard that asks for it. */
  readonly source?: string;
};

/** What a parser answers: the value, or every issue at once. */
export type ParseResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly Issue[] };
