const TAG_OR_DIGEST =
  /^(?<path>[a-z0-9][a-z0-9._/:-]*?)(?::(?<tag>\w[\w.-]{0,127}))?(?:@(?<digest>sha256:[0-9a-f]{64}))?$/;
const HOST = /^(?:localhost(?::\d+)?|[^/]*[.:][^/]*)$/;
/** What begins so is named in another way. */
const OTHER_NAMES = /^(?:pkg|cpe|urn|https?|sha\d+):/;

/**
 * The package URL of an image that is named as it is pulled, `registry.example.com/shop:1.0@sha256:…`: scanners call it
 * that in what they say of it, and so do the statements of vendors. Undefined for a name without a tag or digest, which
 * could be anything, and for everything that is named otherwise.
 */
export function purlOfImage(reference: string): string | undefined {
  const { path, tag, digest } = OTHER_NAMES.test(reference) ? {} : (TAG_OR_DIGEST.exec(reference)?.groups ?? {});
  if (path === undefined || (tag === undefined && digest === undefined)) return undefined;
  const [first = '', ...rest] = path.split('/');
  const isHost = rest.length > 0 && HOST.test(first);
  const names = isHost ? rest : [first, ...rest];
  const name = names.at(-1);
  if (name === undefined || names.some((one) => one === '' || one.includes(':'))) return undefined;
  const host = !isHost || first === 'docker.io' ? 'index.docker.io' : first;
  const library = host === 'index.docker.io' && names.length === 1 ? ['library'] : [];
  const repository = encodeURIComponent([host, ...library, ...names].join('/'));
  const version = digest === undefined ? '' : `@${encodeURIComponent(digest)}`;
  return `pkg:oci/${name}${version}?repository_url=${repository}${tag === undefined ? '' : `&tag=${tag}`}`;
}
