import type { JsonValue } from '@colophon/json';
import { documentOf, flag, listOf, oneOf, type ResultOf, resultOf, string } from '@colophon/records/result';

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

/** `colophon inspect`. */
export const inspectionResult = resultOf('what stands in a document', {
  kind: oneOf('what the document is', KINDS),
  verified: flag('always false: nothing of it is verified'),
  notes: listOf(
    'what a person must know before anything else, such as that this is a credential',
    string('one sentence'),
  ),
  content: documentOf('what stands in the document, decoded; its members are those of the kind'),
});
export type InspectionResult = ResultOf<typeof inspectionResult> & {
  readonly content: { readonly [field: string]: JsonValue };
};
