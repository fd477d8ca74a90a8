import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import { type FoundImages, imagesOf } from '../image-places/image-places.ts';
import { podKindOf } from '../image-places/pod-kind.ts';

/** An object of a manifest, and what is known of its images. */
export type ManifestObject = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
} & (
  | { readonly images: FoundImages }
  /** Of a kind that is not known, and something in it looks like a container: nobody knows what it runs. */
  | { readonly images: 'unknown' }
  | { readonly images: 'none' }
);

/** Nesting of lists in lists, and of objects that are looked through. */
const DEEPEST = 32;

/**
 * Every object of a manifest with its images, in order; lists are opened. Undefined for a document that is no object of
 * Kubernetes.
 */
export function manifestObjects(document: JsonValue, depth = 0): ManifestObject[] | undefined {
  if (!isJsonObject(document)) return undefined;
  const { apiVersion, kind } = document;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const items = Object.hasOwn(document, 'items') ? document['items'] : undefined;
  if (kind.endsWith('List') && Array.isArray(items) && depth < DEEPEST) {
    const objects = items.map((item) => manifestObjects(item, depth + 1));
    return objects.includes(undefined) ? undefined : objects.flatMap((one) => one ?? []);
  }
  const metadata = isJsonObject(document['metadata']) ? document['metadata'] : {};
  const { name, generateName, namespace } = metadata;
  const named = {
    apiVersion,
    kind,
    ...(typeof namespace === 'string' ? { namespace } : {}),
    name: typeof name === 'string' ? name : typeof generateName === 'string' ? generateName : '',
  };
  const podKind = podKindOf(apiVersion, kind);
  if (podKind !== undefined) return [{ ...named, images: imagesOf(podKind, document) }];
  return [{ ...named, images: looksLikeContainers(document, 0) ? 'unknown' : 'none' }];
}

/** Whether there is a list called containers, of any kind, with an image in it: as in a Rollout or a Knative Service. */
function looksLikeContainers(value: JsonValue, depth: number): boolean {
  if (depth > DEEPEST) return true;
  if (Array.isArray(value)) return value.some((item) => looksLikeContainers(item, depth + 1));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([member, inner]) => (/containers?$/i.test(member) && holdsImage(inner)) || looksLikeContainers(inner, depth + 1),
  );
}

function holdsImage(value: JsonValue): boolean {
  const holders: JsonObject[] = (Array.isArray(value) ? value : [value]).filter(isJsonObject);
  return holders.some((holder) => typeof holder['image'] === 'string');
}
