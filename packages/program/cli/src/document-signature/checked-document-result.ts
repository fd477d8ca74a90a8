import { alsoHaving, type ResultOf, string } from '@colophon/records/result';
import { verifiedDocument } from '@colophon/signers/result';

/** A verified signature, and the file of the roots that it was verified with. */
export const checkedDocument = alsoHaving(verifiedDocument, {
  trusted_root: string('the file of the roots that it was verified with'),
});
export type CheckedDocument = ResultOf<typeof checkedDocument>;
