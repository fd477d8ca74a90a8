import { declareErrors } from '@colophon/fault';
import type { RejectedSignature } from '@colophon/records';

const KINDS = {
  'image.no_signatures': 'nothing',
  'image.no_attestations': 'nothing',
  'image.no_valid_signatures': 'mismatch',
  'image.no_valid_attestations': 'mismatch',
  'image.too_many_signatures': 'untrusted',
  'image.not_a_signature': 'mismatch',
  'image.not_an_attestation': 'mismatch',
  'image.attachment_too_large': 'untrusted',
  'image.attachment_malformed': 'untrusted',
  'image.attachment_unreadable': 'untrusted',
  'image.no_room': 'untrusted',
  'image.referrers_incomplete': 'untrusted',
  'image.payload_malformed': 'untrusted',
  'image.payload_mismatch': 'mismatch',
  'image.predicate_invalid': 'mismatch',
  'image.statement_about_other': 'usage',
  'image.promise_missing': 'untrusted',
  'image.envelope_not_logged': 'untrusted',
} as const;

/** One of {@link ImageSignatureError.codes}. */
export type ImageSignatureErrorCode = keyof typeof KINDS;

/** An image has no signature or attestation that counts, or cannot be given one. */
export const ImageSignatureError = declareErrors(
  'ImageSignatureError',
  KINDS,
  ({ rejected = [] }: { readonly rejected?: readonly RejectedSignature[] }) => ({ rejected }),
);
export type ImageSignatureError = InstanceType<typeof ImageSignatureError>;
