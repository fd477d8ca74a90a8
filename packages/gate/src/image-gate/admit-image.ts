import {
  type AdmissionDecision,
  type AdmissionProfile,
  coveringPolicies,
  decideAdmission,
  type NegativesSource,
  type NegativesView,
  type Policy,
  refuseOvercrowded,
  refuseUncovered,
} from '@colophon/admission';
import {
  assessImage,
  ImageSignatureError,
  imageToFetch,
  manifestDigests,
  type RegistryClient,
  type ResolvedImage,
  type TrustMaterial,
} from '@colophon/sigstore';
import type { SequencePins } from '../sequence-pin/sequence-pins.ts';
import { readStandingNegatives } from '../standing-negatives/read-standing-negatives.ts';

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

/** A decision, and the digest that it holds for; without one no registry was asked. */
export type ImageVerdict = AdmissionDecision & { readonly digest?: string };

/**
 * Resolves an image once, verifies everything that is attached to it, reads the lists of standing rejections that its
 * policies name, and decides. An image that no policy covers is refused before any registry is asked.
 * @throws RegistryError `registry.reference_invalid`; where the registry fails nothing is decided
 * @see contract §5.3, §5.4
 */
export async function admitImage(options: AdmitImageOptions): Promise<ImageVerdict> {
  const { reference, trust, registry, profile } = options;
  const parsed = imageToFetch(reference);
  const policies = coveringPolicies(reference, options.policies);
  if (policies.length === 0) return refuseUncovered(reference);
  const image = await registry.resolve(parsed);
  options.onResolved?.(image);
  const [assessment, manifests, negatives] = await Promise.all([
    assess(registry, image, trust),
    manifestDigests(registry, image),
    viewsOf(policies, options),
  ]);
  if (typeof assessment === 'string') return { ...refuseOvercrowded(assessment), digest: image.digest };
  const decision = decideAdmission({
    image: { reference, digest: image.digest, manifests },
    signatures: assessment.verified,
    rejected: assessment.rejected,
    incomplete: assessment.incomplete,
    policies,
    ...(profile === undefined ? {} : { profile }),
    negatives: (policy) => negatives.get(policy) as NegativesView,
  });
  return { ...decision, digest: image.digest };
}

/** What is attached to the image, verified; in place of it the message of an image with more than is looked at. */
async function assess(client: RegistryClient, image: ResolvedImage, trust: TrustMaterial) {
  try {
    // Which identities count is what the policies say.
    return await assessImage({ client, image, trust, policy: 'gated-elsewhere' });
  } catch (error) {
    if (error instanceof ImageSignatureError && error.code === 'image.too_many_signatures') return error.message;
    throw error;
  }
}

async function viewsOf(
  policies: readonly Policy[],
  { defaultNegatives, trust, pins, now, fetch }: AdmitImageOptions,
): Promise<ReadonlyMap<Policy, NegativesView>> {
  const read = new Map<string, Promise<NegativesView>>();
  const views = policies.map(async (policy): Promise<readonly [Policy, NegativesView]> => {
    const source = policy.negatives ?? defaultNegatives;
    if (source === undefined || source === 'none') return [policy, { kind: 'registry-only' }];
    const key = JSON.stringify(source);
    const view = read.get(key) ?? readStandingNegatives({ source, trust, pins, now, fetch });
    read.set(key, view);
    return [policy, await view];
  });
  return new Map(await Promise.all(views));
}
