import { isSha256 } from '../digest/digest.ts';
import { DEFAULT_REGISTRY, isRegistry, normaliseRegistry } from './registry-name.ts';

const REPOSITORY = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/;
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/;
const LONGEST_REFERENCE = 512;
const LONGEST_REPOSITORY = 255;

/** An image's name, written out in full. */
export type ImageReference = {
  /** For comparing: as {@link normaliseRegistry} names it; `index.docker.io` where the name had none. */
  readonly registry: string;
  /** For asking: the registry as it was written, e.g. `127.0.0.1:5000`; Docker Hub is `index.docker.io` here too. */
  readonly host: string;
  /** E.g. `acme/app`; `library/nginx` for the short name `nginx`. */
  readonly repository: string;
  readonly tag?: string;
  /** `sha256:<64 hex>`. */
  readonly digest?: string;
};

/**
 * Reads `[registry/]repository[:tag][@sha256:<hex>]` as docker and crane do: the first part is a registry where it has
 * a dot or a port or is `localhost`; else the image is on Docker Hub, where a name of one part is below `library/`.
 * Undefined for anything else; {@link faultOfImageReference} says why.
 * @see the distribution specification, "Pulling manifests"
 */
export function parseImageReference(text: string): ImageReference | undefined {
  const { written, name, repository, tag, digest, fault } = split(text);
  if (fault !== undefined || name === undefined) return undefined;
  return {
    registry: name,
    host: name === DEFAULT_REGISTRY ? name : written,
    repository,
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

/** Why a text is no image reference, as half a sentence; undefined where it is one. */
export function faultOfImageReference(text: string): string | undefined {
  return split(text).fault;
}

/** Whether a registry may hold a repository of this name, e.g. `acme/app`. */
export function isRepositoryName(text: string): boolean {
  return text.length <= LONGEST_REPOSITORY && REPOSITORY.test(text);
}

/** Whether a manifest may be tagged so. */
export function isImageTag(text: string): boolean {
  return TAG.test(text);
}

function split(text: string) {
  const [named = '', digest, ...more] = text.length > LONGEST_REFERENCE ? [] : text.split('@');
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  const tag = hasTag ? named.slice(colon + 1) : undefined;
  const path = hasTag ? named.slice(0, colon) : named;
  const slash = path.indexOf('/');
  const first = path.slice(0, Math.max(0, slash));
  const written = isRegistry(first) ? first : DEFAULT_REGISTRY;
  const name = normaliseRegistry(written);
  const rest = isRegistry(first) ? path.slice(slash + 1) : path;
  const repository = name === DEFAULT_REGISTRY && !rest.includes('/') ? `library/${rest}` : rest;

  let fault: string | undefined;
  if (text.length > LONGEST_REFERENCE) fault = 'the reference is too long';
  else if (more.length > 0 || (digest !== undefined && !isSha256(digest)))
    fault = 'a digest is @sha256: and 64 lower-case hex digits, at the end';
  else if (tag !== undefined && !isImageTag(tag)) fault = 'a tag has at most 128 letters, digits, dots, dashes and _';
  else if (name === undefined) fault = 'the registry is no host name, or its port no port';
  else if (!isRepositoryName(repository))
    fault = 'a repository is lower-case letters and digits, with single separators, in parts joined by /';
  return { written, name, repository, tag, digest, fault };
}
