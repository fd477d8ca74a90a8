import {
  type AdmissionProfile,
  coveringPolicies,
  hasException,
  type NegativesSource,
  type NegativesView,
  type Policy,
  refuseUncovered,
} from '@colophon/admission';
import { parseImageReference } from '@colophon/notation';
import {
  type AttachmentRoom,
  imageToFetch,
  type RegistryClient,
  RegistryError,
  type ResolvedImage,
  type TrustMaterial,
} from '@colophon/sigstore';
import type { SequencePins } from '../sequence-pin/sequence-pins.ts';
import { type FetchedList, fetchNegatives } from '../standing-negatives/fetch-negatives.ts';
import { NegativesViews, sourceOf } from '../standing-negatives/negatives-views.ts';
import { asksForManifests, assessMaterial, gatherImage, keysOf } from './image-material.ts';
import { type ImageVerdict, judgeImage } from './judge-image.ts';
import { judgeUnread } from './judge-unread.ts';

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
  /** What a list says, where somebody else keeps lists at hand: then none is fetched. */
  readonly negatives?: ((source: NegativesSource | undefined) => Promise<NegativesView>) | undefined;
  readonly pins: SequencePins;
  readonly now: Date;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** What is attached to all images that are decided at the same time; without it, to each as much as is read. */
  readonly room?: AttachmentRoom | undefined;
  /** Of whose share of the room. */
  readonly asker?: string | undefined;
  /** Is told once what the reference means, before anything is assessed. */
  readonly onResolved?: ((image: ResolvedImage) => void) | undefined;
};

/**
 * Resolves an image once, verifies everything that is attached to it, reads the lists of standing rejections that its
 * policies name, and decides. An image that no policy covers is refused before any registry is asked.
 * @throws RegistryError `registry.reference_invalid`; where the registry fails nothing is decided, unless an exception of
 * each policy that enforces is in force for the very digest
 * @see contract §5.3, §5.4
 */
export async function admitImage(options: AdmitImageOptions): Promise<ImageVerdict> {
  const { reference, trust, registry, profile, fetch, onResolved, now } = options;
  imageToFetch(reference);
  const policies = coveringPolicies(reference, options.policies);
  if (policies.length === 0) return refuseUncovered(reference);
  const keys = keysOf(policies);
  const lists = listsFor(policies, options);
  const share = options.room?.share(options.asker);
  try {
    const byKey = keys.length > 0;
    const withManifests = asksForManifests(policies);
    const gathered = { reference, registry, sources: lists.sources, byKey, withManifests, fetch, onResolved, share };
    const material = await gatherImage(gathered);
    const negatives = await lists.read(material.lists);
    const assertInTime = () => registry.assertInTime();
    const assessed = await assessMaterial(material, trust, { keys, share, assertInTime });
    return judgeImage(assessed, { policies, profile, negatives, now });
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return decideUnread(error, policies, options);
  } finally {
    share?.end();
  }
}

type ListsFor = {
  readonly sources: readonly NegativesSource[];
  read(fetched: readonly FetchedList[]): Promise<(policy: Policy) => NegativesView>;
};

function listsFor(policies: readonly Policy[], options: AdmitImageOptions): ListsFor {
  const { trust, pins, now, defaultNegatives, negatives } = options;
  const sourceFor = (policy: Policy) => sourceOf(policy, defaultNegatives);
  return {
    sources: negatives === undefined ? policies.flatMap((policy) => sourceFor(policy) ?? []) : [],
    async read(fetched) {
      const views = new NegativesViews(fetched, { trust, pins, now });
      const known = new Map<Policy, NegativesView>();
      for (const policy of policies) {
        const source = sourceFor(policy);
        known.set(policy, await (negatives?.(source) ?? views.of(source)));
      }
      return (policy) => known.get(policy) as NegativesView;
    },
  };
}

/**
 * What is decided where the registry fails: nothing, unless every policy that decides has an exception in force for the very
 * digest; one in audit mode decides only where all are. Then what the registry did not serve is missing evidence like any
 * other, and the list of rejections still counts.
 */
async function decideUnread(
  error: RegistryError,
  policies: readonly Policy[],
  options: AdmitImageOptions,
): Promise<ImageVerdict> {
  const { reference, profile, now, fetch } = options;
  const nowSeconds = now.getTime() / 1000;
  const digest = parseImageReference(reference)?.digest;
  const enforcing = policies.filter(({ mode }) => mode === 'enforce');
  const deciding = enforcing.length > 0 ? enforcing : policies;
  if (digest === undefined || !deciding.every((policy) => hasException(policy, digest, nowSeconds))) throw error;
  const lists = listsFor(policies, options);
  const fetched = await Promise.all(lists.sources.map(({ from }) => fetchNegatives(from, { fetch })));
  const incomplete = [{ code: error.code, message: error.message }];
  const negatives = await lists.read(fetched);
  return judgeUnread({ reference, digest, incomplete }, { policies, profile, negatives, now });
}
