import {
  alsoHaving,
  bundleLogEntry,
  certificateIdentity,
  digest,
  having,
  type ResultOf,
} from '@colophon/records/result';

/** One signature that was made. */
export const madeSignature = alsoHaving(having('one signature', { log_entry: bundleLogEntry }), {
  digest: { ...digest, description: 'of the file or image; absent where a statement is about several things' },
  certificate_identity: { ...certificateIdentity, description: 'who signed; absent with a key of one’s own' },
});
export type MadeSignature = ResultOf<typeof madeSignature>;
