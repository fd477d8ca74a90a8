/** `error` makes a document invalid, `warning` does on request, `note` never does. */
export type Severity = 'error' | 'warning' | 'note';

/** One thing to know about a document, before anybody has looked for its line. */
export type Finding = {
  /** JSON Pointer (RFC 6901), exact; '' for the whole document. */
  readonly path: string;
  /** Stable; listed in docs/errors.md. */
  readonly code: string;
  readonly severity: Severity;
  /** One sentence for a person. */
  readonly message: string;
  readonly expected?: string;
};

/** A finding and its place in the text, from 1. */
export type BomIssue = Finding & { readonly line?: number; readonly column?: number };
