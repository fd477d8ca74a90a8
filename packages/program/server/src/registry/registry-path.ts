import { isImageTag, isRepositoryName, isUuid } from '@colophon/notation';
import { isRegistryDigest } from './digest.ts';
import { OciError } from './oci-error.ts';

/** A manifest is named by a tag or by its digest. */
export type ManifestReference = { readonly tag: string } | { readonly digest: string };

/** What a request under /v2/ is about. */
export type RegistryPath =
  | { readonly kind: 'base' }
  | { readonly kind: 'blob'; readonly repository: string; readonly digest: string }
  | { readonly kind: 'uploads'; readonly repository: string }
  | { readonly kind: 'upload'; readonly repository: string; readonly id: string }
  | { readonly kind: 'manifest'; readonly repository: string; readonly reference: ManifestReference }
  | { readonly kind: 'tags'; readonly repository: string }
  | { readonly kind: 'referrers'; readonly repository: string; readonly digest: string };

// Clients allow 255 characters for host, "/" and name together; the host of this server is at most "localhost:65535".
const MAX_NAME_LENGTH = 239;

/**
 * Reads the path of a URL under /v2/, without its query.
 * The name is matched as it stands, undecoded: its grammar has no `%`, so nothing encoded can become a path.
 * @throws OciError NAME_INVALID, DIGEST_INVALID, MANIFEST_UNKNOWN, BLOB_UPLOAD_UNKNOWN, UNSUPPORTED (no such endpoint)
 */
export function parseRegistryPath(path: string): RegistryPath {
  if (!path.startsWith('/v2')) throw noSuchEndpoint();
  const tail = path.slice('/v2'.length);
  if (tail === '' || tail === '/') return { kind: 'base' };

  const upload = /^\/(.*)\/blobs\/uploads\/([^/]*)$/.exec(tail) ?? /^\/(.*)\/blobs\/uploads()$/.exec(tail);
  if (upload !== null) {
    const repository = parseRepositoryName(upload[1]!);
    const id = upload[2]!;
    if (id === '') return { kind: 'uploads', repository };
    if (!isUuid(id)) throw new OciError(404, 'BLOB_UPLOAD_UNKNOWN', 'there is no such upload');
    return { kind: 'upload', repository, id };
  }
  const tags = /^\/(.*)\/tags\/list$/.exec(tail);
  if (tags !== null) return { kind: 'tags', repository: parseRepositoryName(tags[1]!) };

  const content = /^\/(.*)\/(blobs|manifests|referrers)\/([^/]+)$/.exec(tail);
  if (content === null) throw noSuchEndpoint();
  const repository = parseRepositoryName(content[1]!);
  const last = decode(content[3]!);
  if (content[2] === 'manifests') return { kind: 'manifest', repository, reference: parseManifestReference(last) };
  const digest = parseRegistryDigest(last);
  return content[2] === 'blobs' ? { kind: 'blob', repository, digest } : { kind: 'referrers', repository, digest };
}

/** @throws OciError NAME_INVALID */
export function parseRepositoryName(text: string): string {
  if (text.length > MAX_NAME_LENGTH || !isRepositoryName(text)) {
    throw new OciError(400, 'NAME_INVALID', `a repository name is lower case, at most ${MAX_NAME_LENGTH} characters`);
  }
  return text;
}

/** @throws OciError DIGEST_INVALID */
export function parseRegistryDigest(text: string): string {
  if (isRegistryDigest(text)) return text;
  throw new OciError(400, 'DIGEST_INVALID', 'a digest is sha256: or sha512: with its lower-case hex digits');
}

function parseManifestReference(text: string): ManifestReference {
  if (text.includes(':')) return { digest: parseRegistryDigest(text) };
  // A name that no tag can have names nothing: the spec asks for 404, not for a syntax error.
  if (!isImageTag(text)) throw new OciError(404, 'MANIFEST_UNKNOWN', 'there is no such tag');
  return { tag: text };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new OciError(400, 'DIGEST_INVALID', 'the path is not valid percent-encoding');
  }
}

function noSuchEndpoint(): OciError {
  return new OciError(404, 'UNSUPPORTED', 'the registry has no such endpoint');
}
