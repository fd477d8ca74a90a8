import type { RejectedSignature } from '@colophon/records';

/**
 * Exit code of the command line for each way in which an image has no signature that counts: 10 nothing to verify,
 * 12 it does not match, 13 not to be relied on, 1 the caller's mistake.
 */
export const IMAGE_EXIT_CODES = {
  'image.no_signatures': 10,
  'image.no_attestations': 10,
  'image.no_valid_signatures': 12,
  'image.no_valid_attestations': 12,
  'image.too_many_signatures': 13,
  'image.not_a_signature': 12,
  'image.not_an_attestation': 12,
  'image.attachment_too_large': 13,
  'image.attachment_malformed': 13,
  'image.attachment_unreadable': 13,
  'image.referrers_incomplete': 13,
  'image.payload_malformed': 13,
  'image.payload_mismatch': 12,
  'image.predicate_invalid': 12,
  'image.statement_about_other': 1,
  'image.promise_missing': 13,
  'image.envelope_not_logged': 13,
} as const;

export type ImageSignatureErrorCode = keyof typeof IMAGE_EXIT_CODES;

/** Every code of ImageSignatureError and of what is rejected on an image before its cryptography is looked at. */
export const IMAGE_SIGNATURE_ERROR_CODES = Object.keys(IMAGE_EXIT_CODES) as readonly ImageSignatureErrorCode[];

/** An image has no signature or attestation that counts, or cannot be given one. */
export class ImageSignatureError extends Error {
  override readonly name = 'ImageSignatureError';
  readonly code: ImageSignatureErrorCode;
  /** What was found and does not count, each with its reason. */
  readonly rejected: readonly RejectedSignature[];

  constructor(
    code: ImageSignatureErrorCode,
    message: string,
    details: { readonly rejected?: readonly RejectedSignature[]; readonly cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.rejected = details.rejected ?? [];
  }

  /** For the command line. */
  get exitCode(): 1 | 10 | 12 | 13 {
    return IMAGE_EXIT_CODES[this.code];
  }
}
