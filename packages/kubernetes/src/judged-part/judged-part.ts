import { isJsonObject, type JsonObject, type JsonValue } from '@colophon/json';
import type { AdmissionRequest } from '../admission-review/admission-review.ts';
import { type FoundImages, type ImagePlace, imagesOf } from '../image-places/image-places.ts';
import { apiVersionOf, type PodKind, podKindOf } from '../image-places/pod-kind.ts';
import type { KubernetesReason } from '../reason/kubernetes-reason.ts';

/** What has to be judged of a request. */
export type JudgedPart =
  /** Nothing that runs comes in by it. */
  | { readonly kind: 'pass'; readonly because: 'delete' | 'terminating' | 'no-new-image' }
  | { readonly kind: 'refuse'; readonly reason: KubernetesReason }
  /** These images are new. */
  | { readonly kind: 'judge'; readonly isPod: boolean; readonly images: readonly ImagePlace[] };

/** Subresources of a kind by which images come in. */
const IMAGE_SUBRESOURCES: Readonly<Record<string, readonly string[]>> = { Pod: ['ephemeralcontainers'] };

/**
 * Which images of a request are new to the cluster. An update that brings none passes, and so does any update of an object
 * that is being deleted: finalizers have to be removable from what would be refused today. Whether it is being deleted is
 * read from the object as it is stored; in the new one the user may write anything.
 */
export function judgedPart(request: AdmissionRequest): JudgedPart {
  const { operation, object, oldObject, subResource } = request;
  if (operation === 'DELETE') return { kind: 'pass', because: 'delete' };
  if (operation !== 'CREATE' && operation !== 'UPDATE') {
    return refuse('kubernetes.operation_not_covered', 'The webhook does not judge this operation.', operation);
  }
  const kind = podKindOf(apiVersionOf(request.kind), request.kind.kind);
  const isCovered = kind !== undefined && (subResource === '' || IMAGE_SUBRESOURCES[kind.kind]?.includes(subResource));
  if (!isCovered) {
    const found = [request.kind.group, request.kind.version, request.kind.kind, subResource].filter(
      (part) => part !== '',
    );
    return refuse('kubernetes.kind_not_covered', 'The webhook does not know the images of this kind.', found.join('/'));
  }
  if (!isJsonObject(object) || object['kind'] !== kind.kind || object['apiVersion'] !== apiVersionOf(kind)) {
    return refuse('kubernetes.object_malformed', 'The object is of another kind than the request.', 'kind');
  }
  if (operation === 'UPDATE' && isTerminating(oldObject)) return { kind: 'pass', because: 'terminating' };
  const found = imagesOf(kind, object);
  if (!found.ok) return refuse('kubernetes.object_malformed', 'The images of the object cannot be found.', found.found);
  const known = operation === 'UPDATE' ? knownImages(kind, oldObject) : new Set<string>();
  const images = found.images.filter((image) => !known.has(markOf(image)));
  if (images.length === 0 && found.images.length > 0) return { kind: 'pass', because: 'no-new-image' };
  return { kind: 'judge', isPod: kind.kind === 'Pod', images };
}

function refuse(code: KubernetesReason['code'], message: string, found: string): JudgedPart {
  return { kind: 'refuse', reason: { code, message, found } };
}

function isTerminating(object: JsonValue | undefined): boolean {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  return isJsonObject(metadata) && typeof metadata['deletionTimestamp'] === 'string';
}

/** Images of the object as it is stored; of a place that stands there twice, none is known. */
function knownImages(kind: PodKind, object: JsonValue | undefined): ReadonlySet<string> {
  const found: FoundImages = imagesOf(kind, object);
  if (!found.ok) return new Set();
  const places = found.images.map(({ place }) => place);
  return new Set(found.images.filter(({ place }) => places.indexOf(place) === places.lastIndexOf(place)).map(markOf));
}

function markOf({ place, image }: ImagePlace): string {
  return JSON.stringify([place, image]);
}

/** `Kind/name` of the controller that makes an object; undefined where none does. Text from outside. */
export function ownerOf(
  object: JsonValue | undefined,
): { kind: string; name: string; apiVersion: string; uid: string } | undefined {
  const owners = metadataOf(object)['ownerReferences'];
  const owner = Array.isArray(owners)
    ? owners.filter(isJsonObject).find(({ controller }) => controller === true)
    : undefined;
  if (owner === undefined) return undefined;
  const { kind, name, apiVersion, uid } = owner;
  const isWhole = [kind, name, apiVersion, uid].every((value) => typeof value === 'string' && value.length <= 512);
  return isWhole
    ? ({ kind, name, apiVersion, uid } as { kind: string; name: string; apiVersion: string; uid: string })
    : undefined;
}

/** The name of an object, or what its name will begin with; empty where neither is said. */
export function nameOf(object: JsonValue | undefined): string {
  const { name, generateName } = metadataOf(object);
  return [name, generateName].find((text): text is string => typeof text === 'string' && text !== '') ?? '';
}

/** Names of the Secrets by which a Pod's images are pulled. */
export function pullSecretsOf(pod: JsonValue | undefined): string[] {
  const spec = isJsonObject(pod) ? pod['spec'] : undefined;
  const secrets = isJsonObject(spec) ? spec['imagePullSecrets'] : undefined;
  if (!Array.isArray(secrets)) return [];
  return secrets.flatMap((one) => (isJsonObject(one) && typeof one['name'] === 'string' ? [one['name']] : []));
}

function metadataOf(object: JsonValue | undefined): JsonObject {
  const metadata = isJsonObject(object) ? object['metadata'] : undefined;
  return isJsonObject(metadata) ? metadata : {};
}
