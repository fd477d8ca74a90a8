import type { VerifiedDocument } from './verified-document-result.ts';

/** Verifies one signature, a bundle or an OpenPGP signature, over the very bytes of a document. */
export type DocumentVerifier<V extends VerifiedDocument = VerifiedDocument> = (
  document: Uint8Array,
  signature: Uint8Array,
) => Promise<V>;

/** The check of a signature in a file of several that does not hold, or is by nobody who was named. */
export const NOT_COUNTED = 'not counted';
