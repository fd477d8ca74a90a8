import { decideAdmission } from '@colophon/admission';
import type { RejectedSignature } from '@colophon/records';
import type { ImageVerdict, JudgeImageOptions } from './judge-image.ts';

/** An image of which its registry gave nothing. */
export type UnreadImage = {
  readonly reference: string;
  /** `sha256:<hex>` that the reference names. */
  readonly digest: string;
  /** Why nothing was read. */
  readonly incomplete: readonly RejectedSignature[];
};

/** Decides about an image by lists of rejections and exceptions alone. Asks nobody and reads no clock. */
export function judgeUnread(
  { reference, digest, incomplete }: UnreadImage,
  { policies, profile, negatives, now }: JudgeImageOptions,
): ImageVerdict {
  const decision = decideAdmission({
    image: { reference, digest },
    signatures: [],
    rejected: [],
    incomplete,
    policies,
    ...(profile === undefined ? {} : { profile }),
    negatives,
    ...(now === undefined ? {} : { nowSeconds: now.getTime() / 1000 }),
  });
  return { ...decision, digest };
}
