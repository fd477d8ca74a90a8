import type { FastifyReply } from 'fastify';
import { OciError } from './oci-error.ts';
import type { ReferrerDescriptor, RegistryIndex } from './registry-index.ts';
import { parseRegistryDigest } from './registry-path.ts';

/** Entries of one answer; more follow by its Link header. */
export const MAX_PAGE_ENTRIES = 1000;
/** Annotations are the client's, so a page is bounded in bytes too. */
const MAX_PAGE_BYTES = 3 * 1024 * 1024;

/** What a repository holds: its tags, and what refers to a digest (distribution spec, "Content Discovery"). */
export class ListingEndpoint {
  readonly #index: RegistryIndex;

  constructor({ index }: { index: RegistryIndex }) {
    this.#index = index;
  }

  /** GET of the tags, in byte order. */
  async tags(reply: FastifyReply, repository: string, query: URLSearchParams) {
    if (!this.#index.hasRepository(repository)) {
      throw new OciError(404, 'NAME_UNKNOWN', 'nothing was ever pushed to this repository');
    }
    const wanted = parseCount(query.get('n'));
    const limit = Math.min(wanted ?? MAX_PAGE_ENTRIES, MAX_PAGE_ENTRIES);
    const found = this.#index.tags(repository, { last: query.get('last') ?? '', limit: limit + 1 });
    const tags = found.slice(0, limit);
    if (found.length > limit && limit > 0) {
      const next = new URLSearchParams({ n: String(limit), last: tags.at(-1)! });
      reply.header('link', `</v2/${repository}/tags/list?${next}>; rel="next"`);
    }
    return reply.type('application/json').send(JSON.stringify({ name: repository, tags }));
  }

  /** GET of the manifests whose subject is `subject`, as an image index; empty where there are none. */
  async referrers(reply: FastifyReply, repository: string, subject: string, query: URLSearchParams) {
    const artifactType = query.get('artifactType') ?? undefined;
    const after = query.get('last') ?? undefined;
    const found = this.#index.referrers(repository, subject, {
      artifactType,
      last: after === undefined ? undefined : parseRegistryDigest(after),
      limit: MAX_PAGE_ENTRIES + 1,
    });
    const manifests = firstPage(found);
    if (manifests.length < found.length) {
      const next = new URLSearchParams({
        last: manifests.at(-1)!.digest,
        ...(artifactType === undefined ? {} : { artifactType }),
      });
      reply.header('link', `</v2/${repository}/referrers/${subject}?${next}>; rel="next"`);
    }
    if (artifactType !== undefined) reply.header('oci-filters-applied', 'artifactType');
    const mediaType = 'application/vnd.oci.image.index.v1+json';
    // Bytes, because to a text Fastify adds a charset, and the spec gives the type without parameters.
    const index = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, manifests }));
    return reply.header('content-type', mediaType).send(index);
  }
}

function firstPage(found: readonly ReferrerDescriptor[]): ReferrerDescriptor[] {
  const page: ReferrerDescriptor[] = [];
  let bytes = 0;
  for (const descriptor of found.slice(0, MAX_PAGE_ENTRIES)) {
    bytes += JSON.stringify(descriptor).length;
    if (bytes > MAX_PAGE_BYTES && page.length > 0) break;
    page.push(descriptor);
  }
  return page;
}

function parseCount(text: string | null): number | undefined {
  if (text === null) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new OciError(400, 'UNSUPPORTED', 'n is a whole number');
  return Number(text);
}
