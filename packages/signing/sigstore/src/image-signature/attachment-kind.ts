import { SIGN_PREDICATE_TYPE } from './attachment.ts';
import type { CollectedSignature } from './collect.ts';
import { ImageSignatureError } from './image-signature-error.ts';

/**
 * Holds when an attachment signs what its place is for. A bundle signs a statement, since a bare signature over the
 * bytes of a manifest is one over a file. Only the payload of the older signature format names an image without one. The
 * tag `.att` has attestations, and no signature of the image.
 * @param predicateType of the statement; undefined where none is signed.
 * @throws ImageSignatureError `image.not_a_signature`, `image.not_an_attestation`
 */
export function assertAttachmentKind(format: CollectedSignature['format'], predicateType: string | undefined): void {
  if (format !== 'older-signature' && predicateType === undefined) {
    throw new ImageSignatureError('image.not_a_signature', 'what is signed is a file, not the image');
  }
  if (format === 'older-attestation' && predicateType === SIGN_PREDICATE_TYPE) {
    throw new ImageSignatureError('image.not_an_attestation', 'a signature in the place of an attestation');
  }
}
