import { declareErrors } from '@colophon/fault';
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

const KINDS = {
  'inspect.unrecognized': 'usage',
  'inspect.malformed': 'usage',
} as const;

/** One of {@link InspectionError.codes}. */
export type InspectionErrorCode = keyof typeof KINDS;

/** The document is of no kind that we know, or not what it looks like. */
export const InspectionError = declareErrors('InspectionError', KINDS);
export type InspectionError = InstanceType<typeof InspectionError>;
