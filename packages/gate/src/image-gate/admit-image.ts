import {
  type AdmissionProfile,
  coveringPolicies,
  type NegativesSource,
  type NegativesView,
  type Policy,
  refuseUncovered,
} from '@colophon/admission';
import { imageToFetch, type RegistryClient, type ResolvedImage, type TrustMaterial } from '@colophon/sigstore';
import type { SequencePins } from '../sequence-pin/sequence-pins.ts';
import { NegativesViews, sourceOf } from '../standing-negatives/negatives-views.ts';
import { assessMaterial, gatherImage } from './image-material.ts';
import { type ImageVerdict, judgeImage } from './judge-image.ts';

export type AdmitImageOptions = {
  /** As somebody wrote it, e.g. `ghcr.io/acme/app:v1`. */
  readonly reference: string;
  readonly policies: readonly Policy[];
  /** Takes the place of every policy's own profile. */
  readonly profile?: AdmissionProfile | undefined;
  readonly trust: TrustMaterial;
  readonly registry: RegistryClient;
  /** The list for policies that name none; without it they look for rejections in the registry only. */
  readonly defaultNegatives?: NegativesSource | undefined;
  readonly pins: SequencePins;
  readonly now: Date;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Is told once what the reference means, before anything is assessed. */
  readonly onResolved?: ((image: ResolvedImage) => void) | undefined;
};

/**
 * Resolves an image once, verifies everything that is attached to it, reads the lists of standing rejections that its
 * policies name, and decides. An image that no policy covers is refused before any registry is asked.
 * @throws RegistryError `registry.reference_invalid`; where the registry fails nothing is decided
 * @see contract §5.3, §5.4
 */
export async function admitImage(options: AdmitImageOptions): Promise<ImageVerdict> {
  const { reference, trust, registry, profile, fetch, onResolved, defaultNegatives, pins, now } = options;
  imageToFetch(reference);
  const policies = coveringPolicies(reference, options.policies);
  if (policies.length === 0) return refuseUncovered(reference);
  const sources = policies.flatMap((policy) => sourceOf(policy, defaultNegatives) ?? []);
  const material = await gatherImage({ reference, registry, sources, fetch, onResolved });
  const views = new NegativesViews(material.lists, { trust, pins, now });
  const negatives = new Map<Policy, NegativesView>();
  for (const policy of policies) negatives.set(policy, await views.of(sourceOf(policy, defaultNegatives)));
  const assessed = await assessMaterial(material, trust);
  return judgeImage(assessed, { policies, profile, negatives: (policy) => negatives.get(policy) as NegativesView });
}
