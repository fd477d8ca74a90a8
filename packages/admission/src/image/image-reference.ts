import { DEFAULT_REGISTRY, isRegistry, isSha256, normaliseRegistry } from '@colophon/notation';

const REPOSITORY = /^[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/;
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const LONGEST_REFERENCE = 512;

/** An image's name, written out in full. */
export type ImageReference = {
  /** As {@link normaliseRegistry} names it; `index.docker.io` where the name had none. */
  readonly registry: string;
  /** `library/nginx` for the short name `nginx`. */
  readonly repository: string;
  readonly tag?: string;
  /** `sha256:<64 hex>`. */
  readonly digest?: string;
};

/**
 * Reads `[registry/]repository[:tag][@sha256:<hex>]`, as the distribution specification writes references; undefined
 * for anything else. Short names are Docker Hub's: `nginx` is `index.docker.io/library/nginx`.
 */
export function parseImageReference(reference: string): ImageReference | undefined {
  if (reference.length > LONGEST_REFERENCE) return undefined;
  const [name = '', digest, ...more] = reference.split('@');
  if (more.length > 0 || (digest !== undefined && !isSha256(digest))) return undefined;
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  const hasRegistry = isRegistry(first);
  const path = hasRegistry ? name.slice(slash + 1) : name;
  const [repositoryPath = '', tag, ...extra] = path.split(':');
  if (extra.length > 0 || (tag !== undefined && !TAG.test(tag))) return undefined;
  const registry = hasRegistry ? normaliseRegistry(first) : DEFAULT_REGISTRY;
  const isOfficial = registry === DEFAULT_REGISTRY && !repositoryPath.includes('/');
  const repository = isOfficial ? `library/${repositoryPath}` : repositoryPath;
  if (registry === undefined || !REPOSITORY.test(repository)) return undefined;
  return {
    registry,
    repository,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}
