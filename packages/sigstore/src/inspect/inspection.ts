import type { JsonValue } from '@colophon/json';

/** What inspect recognises. */
export type InspectionKind =
  | 'identity-token'
  | 'certificate'
  | 'trusted-root'
  | 'bundle'
  | 'log-entry'
  | 'dsse-envelope'
  | 'statement';

/** What stands in a document, decoded. Nothing of it is verified. */
export type Inspection = {
  readonly kind: InspectionKind;
  readonly verified: false;
  /** What a person must know before anything else, e.g. that this is a credential. */
  readonly warnings: readonly string[];
  readonly content: { readonly [field: string]: JsonValue };
};

export const INSPECTION_ERROR_CODES = ['inspect.unrecognized', 'inspect.malformed'] as const;
export type InspectionErrorCode = (typeof INSPECTION_ERROR_CODES)[number];

/** The document is of no kind that we know, or not what it looks like. */
export class InspectionError extends Error {
  override readonly name = 'InspectionError';
  readonly code: InspectionErrorCode;

  constructor(code: InspectionErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
