import type { Statement } from '@colophon/records';
import {
  alsoHaving,
  bundleLogEntry,
  certificateIdentity,
  check,
  digest,
  documentOf,
  fieldBasis,
  flag,
  having,
  issue,
  listOf,
  type ResultOf,
  resultOf,
  string,
} from '@colophon/records/result';

const facts = {
  artifact: string('the file, the image or the digest that it is about'),
  trusted_root: string('file of the trusted root, or of the key where no log was looked at'),
  basis: fieldBasis,
  checks: listOf('what was checked, in order', check),
} as const;
const ofSome = {
  certificate_identity: certificateIdentity,
  log_entry: bundleLogEntry,
  statement: documentOf('the in-toto statement'),
} as const;

/** `colophon verify-blob`, `verify-blob-attestation`: what was checked of one signature. */
export const verifiedResult = resultOf('one signature that verified', facts, ofSome);
export type VerifiedResult = ResultOf<typeof verifiedResult> & { readonly statement?: Statement };

/** `colophon verify`, `verify-attestation`: what counts of all that is attached to an image. */
export const verifiedImageResult = resultOf('the signatures of an image that verified', {
  image: string('as it was asked for'),
  digest,
  signatures: listOf(
    'those that count',
    alsoHaving(having('one that verified', { ok: flag('true: it verified'), ...facts }), ofSome),
  ),
  rejected_signatures: listOf(
    'those that were found and do not count',
    alsoHaving(issue, { predicate_type: string('which the signature claims to have') }),
  ),
});
export type VerifiedImageResult = Omit<ResultOf<typeof verifiedImageResult>, 'signatures'> & {
  readonly signatures: readonly VerifiedResult[];
};
