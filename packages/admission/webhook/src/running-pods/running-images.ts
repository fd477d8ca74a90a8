import { isJsonObject, type JsonObject } from '@colophon/json';
import { imagePlaces } from '@colophon/kubernetes';

/** An image of a Pod, and the digests by which it may be known. */
export type RunningImage = {
  /** e.g. `spec.containers[web]`. */
  readonly place: string;
  /** As it stands in the Pod's specification. */
  readonly image: string;
  /**
   * `sha256:<hex>`, each once: the one that the image is pinned to, and the one that the container runtime names. They differ
   * where an index is pinned and the runtime names the manifest of its platform. Those of a repository, else bare ones; none
   * where the runtime says nothing.
   */
  readonly digests: readonly string[];
  /** Whether they are those of a repository. A bare one may be that of a configuration, by which nothing is reviewed. */
  readonly isKnown: boolean;
};

const STATUS_LISTS = {
  containers: 'containerStatuses',
  initContainers: 'initContainerStatuses',
  ephemeralContainers: 'ephemeralContainerStatuses',
} as const;

/**
 * Every image of a Pod, of containers of each kind and of volumes, begun or not. An object that is no Pod of the expected
 * shape has those that can be read.
 * @see Kubernetes API, ContainerStatus.imageID
 */
export function runningImages(pod: unknown): RunningImage[] {
  // Entries of a list have no kind of their own.
  const found = imagePlaces(isJsonObject(pod) ? { ...pod, apiVersion: 'v1', kind: 'Pod' } : pod);
  if (found.outcome === 'unknown') return [];
  const status = isJsonObject(pod) && isJsonObject(pod['status']) ? pod['status'] : {};
  return found.places.flatMap(({ part, name, place, image }): RunningImage[] => {
    if (image === undefined) return [];
    const named = part === 'volumes' ? undefined : statusOf(status, STATUS_LISTS[part], name);
    const texts = [image, named?.['imageID'], named?.['image']].filter((text) => typeof text === 'string');
    const inRepository = texts.filter((text) => text.includes('@') && digestIn(text) !== undefined);
    const isKnown = inRepository.length > 0;
    const digests = new Set((isKnown ? inRepository : texts).flatMap((text) => digestIn(text) ?? []));
    return [{ place, image, digests: [...digests], isKnown }];
  });
}

function statusOf(status: JsonObject, list: string, name: string | undefined): JsonObject | undefined {
  const statuses = status[list];
  if (name === undefined || !Array.isArray(statuses)) return undefined;
  return statuses.filter(isJsonObject).find((one) => one['name'] === name);
}

/** Of `docker-pullable://repository@sha256:…`, `repository@sha256:…` and `sha256:…` alike. */
function digestIn(text: string): string | undefined {
  return /(?:^|@|\/\/)(sha256:[0-9a-f]{64})$/.exec(text)?.[1];
}
