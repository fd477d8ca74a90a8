import type { JsonValue } from '@colophon/json';
import { documentOf, flag, having, listOf, oneOf, type ResultOf, resultOf, string } from '@colophon/records/result';

/** What inspect recognises. */
const KINDS = [
  'identity-token',
  'certificate',
  'trusted-root',
  'bundle',
  'log-entry',
  'dsse-envelope',
  'statement',
] as const;

/** What a person must know of a document before anything else. */
export const INSPECTION_WARNING_CODES = ['inspect.not_verified', 'inspect.credential'] as const;

const warning = having('one warning', {
  code: oneOf('stable', INSPECTION_WARNING_CODES),
  message: string('for people'),
});

/** `colophon inspect`. */
export const inspectionResult = resultOf('what stands in a document', {
  kind: oneOf('what the document is', KINDS),
  verified: flag('always false: nothing of it is verified'),
  warnings: listOf('what a person must know before anything else', warning),
  content: documentOf('what stands in the document, decoded; its members are those of the kind'),
});
export type InspectionResult = ResultOf<typeof inspectionResult> & {
  readonly content: { readonly [field: string]: JsonValue };
};
