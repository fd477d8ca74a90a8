import { DEFAULT_REGISTRY, normaliseRegistry } from '@colophon/admission';
import { isSha256 } from '@colophon/notation';
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

const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;

/**
 * Reads `[registry/]repository[:tag][@digest]` as docker and crane do: the first part is a registry where it has a dot
 * or a port or is `localhost`; else the image is on Docker Hub, where a name of one part is below `library/`.
 * @throws RegistryError `registry.reference_invalid`
 */
export function parseImageReference(text: string): ImageReference {
  if (text.length > 512) throw invalid('the reference is too long');
  const [named, digest, ...more] = text.split('@') as [string, string | undefined, ...string[]];
  if (more.length > 0 || (digest !== undefined && !isSha256(digest))) {
    throw invalid('a digest is @sha256: and 64 lower-case hex digits, at the end');
  }
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  const tag = hasTag ? named.slice(colon + 1) : undefined;
  const name = hasTag ? named.slice(0, colon) : named;
  if (tag !== undefined && !TAG.test(tag)) throw invalid('a tag has at most 128 letters, digits, dots, dashes and _');

  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(0, slash));
  const hasRegistry = first === 'localhost' || /[.:]/.test(first);
  const registry = hasRegistry ? asWritten(first) : DEFAULT_REGISTRY;
  const path = hasRegistry ? name.slice(slash + 1) : name;
  const repository = registry === DEFAULT_REGISTRY && !path.includes('/') ? `library/${path}` : path;
  if (repository.length > 255 || !REPOSITORY.test(repository)) {
    throw invalid('a repository is lower-case letters and digits, with single separators, in parts joined by /');
  }
  return {
    registry,
    repository,
    ...(digest === undefined ? { tag: tag ?? 'latest' } : tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
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

/** The registry as it is asked for: what the user wrote, but Docker Hub has one name, by which its credentials are kept. */
function asWritten(host: string): string {
  const name = normaliseRegistry(host);
  if (name === undefined) throw invalid('the registry is no host name, or its port no port');
  return name === DEFAULT_REGISTRY ? name : host;
}

function invalid(message: string): RegistryError {
  return new RegistryError('registry.reference_invalid', `this is no image reference: ${message}`);
}
