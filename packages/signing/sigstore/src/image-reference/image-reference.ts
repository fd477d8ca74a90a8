import { faultOfImageReference, parseImageReference } from '@colophon/notation';
import { RegistryError } from '../registry/registry-error.ts';

/** Where an image lies: registry host (with its port) and repository. */
export type ImageRepository = {
  /** E.g. `localhost:5000`, `ghcr.io`; Docker Hub is `index.docker.io`. */
  readonly registry: string;
  /** E.g. `acme/app`. */
  readonly repository: string;
};

/** An image as a person names it. Where neither tag nor digest is given, the tag is `latest`. */
export type ImageReference = ImageRepository & { readonly tag?: string; readonly digest?: string };

/**
 * Reads the name of an image that is to be fetched: the registry stays as the user wrote it.
 * @throws RegistryError `registry.reference_invalid`
 */
export function imageToFetch(text: string): ImageReference {
  const image = parseImageReference(text);
  if (image === undefined) {
    const message = `this is no image reference: ${faultOfImageReference(text)}`;
    throw new RegistryError('registry.reference_invalid', message);
  }
  const { host, repository, tag, digest } = image;
  if (digest === undefined) return { registry: host, repository, tag: tag ?? 'latest' };
  return { registry: host, repository, ...(tag === undefined ? {} : { tag }), digest };
}

/** `registry/repository`: what the older signature format calls `docker-reference`. */
export function formatRepository({ registry, repository }: ImageRepository): string {
  return `${registry}/${repository}`;
}

/** The reference by digest where there is one: the tag beside it says nothing that can be relied on. */
export function formatImageReference(reference: ImageReference): string {
  const { tag, digest } = reference;
  return `${formatRepository(reference)}${digest === undefined ? `:${tag ?? 'latest'}` : `@${digest}`}`;
}

/** Whether the registry is this machine, where plain HTTP is what registries speak. */
export function isLoopbackRegistry(registry: string): boolean {
  const host = registry.replace(/:\d{1,5}$/, '').toLowerCase();
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
