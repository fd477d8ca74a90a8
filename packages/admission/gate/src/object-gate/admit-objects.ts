import type { NegativesSource, NegativesView } from '@colophon/admission';
import {
  type KubernetesReason,
  type ManifestObject,
  MOST_IMAGES,
  malformedReason,
  tooManyImagesReason,
  uncoveredKindReason,
} from '@colophon/kubernetes';
import { RegistryError } from '@colophon/sigstore';
import type { ImageAdmission } from '../image-gate/admission-result.ts';
import { type AdmitImageOptions, admitImage } from '../image-gate/admit-image.ts';
import { withBasis } from '../image-gate/with-basis.ts';
import { decideWithoutEvidence } from '../image-gate/without-evidence.ts';
import { fetchNegatives } from '../standing-negatives/fetch-negatives.ts';
import { NegativesViews } from '../standing-negatives/negatives-views.ts';
import type { ObjectAdmission } from './object-admission-result.ts';

export type AdmitObjectsOptions = Omit<AdmitImageOptions, 'reference' | 'negatives' | 'onResolved'> & {
  readonly objects: readonly ManifestObject[];
  /** Images that are decided at once; 8. */
  readonly mostAtOnce?: number | undefined;
  /** Is told once, for each image, what its name means. */
  readonly onResolved?:
    | ((reference: string, image: Parameters<NonNullable<AdmitImageOptions['onResolved']>>[0]) => void)
    | undefined;
};

const MOST_AT_ONCE = 8;

/**
 * Decides about Kubernetes objects: each image as `admitImage` decides about it, each different one once, so that a tag
 * means the same wherever it stands. Lists of rejections are fetched once. An object of which nobody can say what its
 * images are, or which has more than `MOST_IMAGES`, is refused; what a template leaves open is left to its Pods. An image
 * that the registry does not give is decided without evidence, with the registry's code, and the others are decided all the
 * same.
 * @returns what is decided about each object, in their order
 * @see contract §5.3
 */
export async function admitObjects(options: AdmitObjectsOptions): Promise<readonly ObjectAdmission[]> {
  const { objects, mostAtOnce = MOST_AT_ONCE } = options;
  const found = objects.map(placesOf);
  const references = [...new Set(found.flatMap(({ places }) => places.map(({ image }) => image)))];
  const negatives = listsOnce(options);
  const decided = new Map<string, ImageAdmission>();
  const waiting = references.values();
  const decide = async () => {
    for (const reference of waiting) decided.set(reference, await decideOne(reference, { ...options, negatives }));
  };
  await Promise.all(Array.from({ length: mostAtOnce }, decide));
  return objects.map(({ apiVersion, kind, namespace, name }, index) => {
    const { places = [], reasons = [] } = found[index] ?? {};
    const images = places.map(({ place, image }) => ({ place, image, ...(decided.get(image) as ImageAdmission) }));
    return {
      ...(apiVersion !== undefined && { api_version: apiVersion }),
      ...(kind !== undefined && { kind }),
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
      admitted: reasons.length === 0 && images.every(({ admitted }) => admitted),
      reasons,
      images,
    };
  });
}

type Found = {
  readonly places: ReadonlyArray<{ readonly place: string; readonly image: string }>;
  readonly reasons: readonly KubernetesReason[];
};

/** The images of an object, or why nobody can say what they are. */
function placesOf({ apiVersion = '', kind = '', images }: ManifestObject): Found {
  if (images.outcome === 'no-images') return { places: [], reasons: [] };
  if (images.outcome === 'unknown')
    return { places: [], reasons: [uncoveredKindReason(apiVersion, kind, images.fields)] };
  if (images.outcome === 'malformed') {
    return { places: [], reasons: [malformedReason('kubernetes.object_malformed', images.issues, images.expected)] };
  }
  if (images.places.length > MOST_IMAGES) return { places: [], reasons: [tooManyImagesReason(images.places.length)] };
  return {
    places: images.places.flatMap(({ place, image }) => (image === undefined ? [] : [{ place, image }])),
    reasons: [],
  };
}

type DecideOptions = Omit<AdmitObjectsOptions, 'objects'> & Pick<AdmitImageOptions, 'negatives'>;

async function decideOne(reference: string, { onResolved, ...options }: DecideOptions): Promise<ImageAdmission> {
  try {
    const verdict = await admitImage({
      ...options,
      reference,
      onResolved: onResolved && ((image) => onResolved(reference, image)),
    });
    return withBasis(verdict);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    const reason = { code: error.code, message: error.message };
    return { ...decideWithoutEvidence(reference, options.policies, reason), verdicts: [] };
  }
}

/** What each list says, asked for once. */
function listsOnce({ trust, pins, now, fetch }: AdmitObjectsOptions): NonNullable<AdmitImageOptions['negatives']> {
  const known = new Map<string | undefined, Promise<NegativesView>>();
  const read = async (source: NegativesSource | undefined) => {
    const lists = source === undefined ? [] : [await fetchNegatives(source.from, { fetch })];
    return new NegativesViews(lists, { trust, pins, now }).of(source);
  };
  return (source) => {
    const key = JSON.stringify(source);
    const view = known.get(key) ?? read(source);
    known.set(key, view);
    return view;
  };
}
