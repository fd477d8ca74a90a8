import type { Statement } from '@colophon/records';
import {
  bundleLogEntry,
  certificateIdentity,
  check,
  documentOf,
  fieldBasis,
  listOf,
  type ResultOf,
  resultOf,
  string,
} from '@colophon/records/result';

/** `colophon verify-blob`, `verify-blob-attestation`: what was checked of one signature. */
export const verifiedResult = resultOf(
  'one signature that verified',
  {
    artifact: string('the file, the image or the digest that it is about'),
    trusted_root: string('file of the trusted root, or of the key where no log was looked at'),
    basis: fieldBasis,
    checks: listOf('what was checked, in order', check),
  },
  {
    certificate_identity: certificateIdentity,
    log_entry: bundleLogEntry,
    statement: documentOf('the in-toto statement'),
  },
);
export type VerifiedResult = ResultOf<typeof verifiedResult> & { readonly statement?: Statement };
