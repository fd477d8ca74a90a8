import { findNo, type IdentityRule, type RequiredSigners } from '@colophon/admission';
import {
  type AssessImageOptions,
  assessCollected,
  type CollectedSignatures,
  manifestDigests,
} from '@colophon/sigstore';

/**
 * What stands against an image by whom a rule names, or may hide such a no, among all that is attached: in whatever spelling
 * of the signer, and of whatever type. Empty where nothing does.
 * @param collected what is attached to the image
 * @throws RegistryError where the image is an index that cannot be read
 */
export async function findNoOfSigner(
  rule: IdentityRule,
  collected: CollectedSignatures,
  { client, trust }: Pick<AssessImageOptions, 'client' | 'trust'>,
): Promise<RequiredSigners['findings']> {
  const { image } = collected;
  const [{ verified, rejected, incomplete }, manifests] = await Promise.all([
    // Whose no counts is what the rule says.
    assessCollected(collected, { trust, policy: 'gated-elsewhere', keys: rule.keys }),
    manifestDigests(client, image),
  ]);
  return findNo(rule, { image: { digest: image.digest, manifests }, signatures: verified, rejected, incomplete });
}
