import {
  alsoHaving,
  bundleLogEntry,
  certificateIdentity,
  digest,
  having,
  listOf,
  type ResultOf,
  resultOf,
  string,
} from '@colophon/records/result';

/** One signature that was made. */
export const signed = alsoHaving(
  having('one signature', {
    artifact: string('what it is about: a file, an image, a commit'),
    log_entry: bundleLogEntry,
  }),
  {
    digest: { ...digest, description: 'of the file or image; absent where a statement is about several things' },
    bundle: string('file of the bundle; absent where it is attached to an image'),
    certificate_identity: { ...certificateIdentity, description: 'who signed; absent with a key of one’s own' },
  },
);
export type Signed = ResultOf<typeof signed>;

/** `colophon sign-blob`, `attest-blob`, `sign`, `attest`, `review approve`, `review reject`, `review withdraw`. */
export const signedResult = resultOf('what was signed', {
  signatures: listOf('one for each log entry: an image in two formats has two', signed),
});
export type SignedResult = ResultOf<typeof signedResult>;
