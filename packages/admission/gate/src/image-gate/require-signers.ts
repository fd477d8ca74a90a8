import { decideRequiredSigners, type RequiredSigners, type RequireRule } from '@colophon/admission';
import type { RejectedSignature } from '@colophon/records';
import {
  type AssessImageOptions,
  assessImage,
  ImageSignatureError,
  manifestDigests,
  type VerifiedImageSignature,
} from '@colophon/sigstore';

/** What is signed of an image, and which rules it meets. */
export type ImageSigners = RequiredSigners & {
  /** As they were verified: those of `required` are among them. */
  readonly verified: readonly VerifiedImageSignature[];
  readonly rejected: readonly RejectedSignature[];
};

/**
 * Verifies everything that is attached to an image and holds it against rules, as `require` of a policy has them.
 * @throws ImageSignatureError `image.no_signatures` where nothing is attached; `image.too_many_signatures`
 * @throws RegistryError
 * @see contract §5.4
 */
export async function requireSigners(
  rules: readonly RequireRule[],
  { client, image, trust }: Pick<AssessImageOptions, 'client' | 'image' | 'trust'>,
): Promise<ImageSigners> {
  const [assessment, manifests] = await Promise.all([
    // Which identities count is what the rules say.
    assessImage({ client, image, trust, policy: 'gated-elsewhere' }),
    manifestDigests(client, image),
  ]);
  const { verified, rejected, incomplete } = assessment;
  if (verified.length + rejected.length + incomplete.length === 0) {
    throw new ImageSignatureError('image.no_signatures', 'the image has no signature');
  }
  const found = { image: { digest: image.digest, manifests }, signatures: verified, rejected, incomplete };
  return { ...decideRequiredSigners(rules, found), verified, rejected };
}
