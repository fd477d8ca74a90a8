import { isJsonObject, type JsonObject, type JsonValue, type Place, pointerOf } from '@colophon/json';

/**
 * The API groups of Kubernetes 1.36 itself. Of these it is known where images stand, so that `image` elsewhere is
 * something else: a block device, a key of a ConfigMap.
 */
const OWN_GROUPS: ReadonlySet<string> = new Set([
  '',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'apps',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'events.k8s.io',
  'extensions',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'resource.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'storagemigration.k8s.io',
]);

const CONTAINERS = /containers?$/i;
const IMAGE_NAME = /^image|images?$/i;

/** A hostile document must not buy an answer larger than itself. */
const MOST_FIELDS = 20;

type Member = { readonly value: JsonValue; readonly place: Place | undefined; readonly isOfContainers: boolean };

/**
 * JSON Pointers to the fields of an object of no covered kind that seem to name images, in its order, at most 20: in a
 * custom resource every member `image` or `images` that holds a text, an object with a repository or reference, or a list
 * with a text or with an object with a name, and every other member whose name begins or ends with `image`, such as
 * `proxyImage`, and whose text reads like a reference; in an object of Kubernetes' own groups the former below a list of
 * containers, and image volumes.
 */
export function unknownImages(object: JsonObject, apiVersion: string): readonly string[] {
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  const fields: string[] = [];
  // No recursion: how deep a manifest goes is its writer's choice.
  const open: Member[] = [{ value: object, place: undefined, isOfContainers: !OWN_GROUPS.has(group) }];
  for (let next = open.pop(); next !== undefined && fields.length < MOST_FIELDS; next = open.pop()) {
    const { value, place, isOfContainers } = next;
    if (namesImage(place?.name, value, isOfContainers)) fields.push(pointerOf(place));
    else if (Array.isArray(value)) {
      for (const [name, item] of [...value.entries()].reverse())
        open.push({ value: item, place: { above: place, name }, isOfContainers });
    } else if (isJsonObject(value)) {
      for (const [name, member] of Object.entries(value).reverse())
        open.push({
          value: member,
          place: { above: place, name },
          isOfContainers: isOfContainers || CONTAINERS.test(name),
        });
    }
  }
  return fields;
}

function namesImage(name: string | number | undefined, value: JsonValue, isOfContainers: boolean): boolean {
  if (name !== 'image' && name !== 'images') {
    return isOfContainers && typeof name === 'string' && IMAGE_NAME.test(name) && readsLikeReference(value);
  }
  if (isJsonObject(value)) return isText(value.reference) || (isOfContainers && isText(value.repository));
  return isOfContainers && (Array.isArray(value) ? value.some(isTextOrNamed) : isText(value));
}

function isTextOrNamed(value: JsonValue): boolean {
  return isText(value) || (isJsonObject(value) && isText(value['name']));
}

/** Beside `nginx`, which any word is: with a path, a tag or a digest, and no address of another kind. */
function readsLikeReference(value: JsonValue): boolean {
  return typeof value === 'string' && /^[^\s:/@]+(?::\d+)?[/:@][^\s]+$/.test(value) && !value.includes('://');
}

function isText(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value !== '';
}
