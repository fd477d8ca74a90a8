import { createHash } from 'node:crypto';
import type { AnswerHead, PeerAnswer } from '@colophon/peer';
import type { ImageReference, ImageRepository } from '../image-reference/image-reference.ts';
import { Authorizations } from './authorizations.ts';
import { anonymous, type CredentialSource } from './credentials.ts';
import { RegistryError } from './registry-error.ts';
import { RegistrySession, type SessionOptions, type SessionRequest } from './registry-session.ts';

export const DEFAULT_REGISTRY_TIMEOUT_MS = 30_000;
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

const MANIFEST_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');

export type RegistryClientOptions = {
  readonly fetch?: typeof fetch;
  /** Whose credentials to use; dockerCredentials() for those of docker login. Without: nobody's. */
  readonly credentials?: CredentialSource;
  readonly timeoutMs?: number;
  /** Speak plain HTTP with registries that are not this machine. */
  readonly allowInsecure?: boolean;
  /** Milliseconds on a clock that is never set back, for the age of tokens; this process's own. */
  readonly nowMs?: () => number;
};

/** A manifest as it was served; its bytes have the digest. */
export type FetchedManifest = {
  readonly bytes: Uint8Array;
  readonly digest: string;
  readonly mediaType: string;
  /** For a conditional PUT; only where the registry gives one. */
  readonly etag?: string;
};

/** An image whose tag, if it had one, was resolved once: from here on the digest alone counts. */
export type ResolvedImage = ImageRepository & {
  readonly digest: string;
  readonly mediaType: string;
  /** Bytes of the manifest. */
  readonly size: number;
};

/** A list of referrers as a registry serves it, and whether that is all of it. */
export type ReferrerPages = { readonly pages: readonly Uint8Array[]; readonly isComplete: boolean };

/** Asks for a tag to be moved only from where it was seen. */
export type PutCondition = { readonly ifMatch: string } | { readonly ifAbsent: true };

/** OCI registries over their HTTP API; the digest of everything that is fetched is checked. */
export class RegistryClient {
  #options: SessionOptions;
  #signal: AbortSignal | undefined;

  constructor(options: RegistryClientOptions = {}) {
    this.#options = {
      fetch: options.fetch ?? fetch,
      credentials: options.credentials ?? anonymous,
      timeoutMs: options.timeoutMs ?? DEFAULT_REGISTRY_TIMEOUT_MS,
      allowInsecure: options.allowInsecure ?? false,
      authorizations: new Authorizations(options.nowMs ?? (() => performance.now())),
    };
  }

  /**
   * The same client, with its tokens, for work that has an end: once the signal is aborted, what is open fails
   * with `registry.timeout`, and so does whatever is asked later.
   */
  until(signal: AbortSignal): RegistryClient {
    const view = new RegistryClient();
    view.#options = this.#options;
    view.#signal = this.#signal === undefined ? signal : AbortSignal.any([this.#signal, signal]);
    return view;
  }

  /** Holds until the signal is aborted; for work between and after requests. @throws RegistryError `registry.timeout` */
  assertInTime(): void {
    if (!this.#signal?.aborted) return;
    const { reason: cause } = this.#signal;
    throw new RegistryError('registry.timeout', 'the time was over before the work was done', { cause });
  }

  /** Finds out what the reference means, once. @throws RegistryError `registry.not_found` and others */
  async resolve(reference: ImageReference): Promise<ResolvedImage> {
    const { registry, repository, digest, tag } = reference;
    const manifest = await this.getManifest(reference, digest ?? tag ?? 'latest');
    if (manifest === undefined) {
      throw new RegistryError('registry.not_found', `${registry}/${repository} has no such image`, { status: 404 });
    }
    return {
      registry,
      repository,
      digest: manifest.digest,
      mediaType: manifest.mediaType,
      size: manifest.bytes.length,
    };
  }

  /** The manifest of a tag or digest; undefined where there is none. @throws RegistryError */
  async getManifest(
    { registry, repository }: ImageRepository,
    reference: string,
    { maxBytes = MAX_MANIFEST_BYTES }: { maxBytes?: number } = {},
  ): Promise<FetchedManifest | undefined> {
    const answer = await this.#send(registry, {
      method: 'GET',
      url: `/v2/${repository}/manifests/${reference}`,
      scope: pullScope(repository),
      headers: { accept: MANIFEST_TYPES },
      mostBytes: maxBytes,
    });
    if (answer.status === 404) return undefined;
    requireStatus(answer, 200);
    const { body: bytes, headers, url } = answer;
    const digest = digestOf(bytes);
    const claimed = headers.get('docker-content-digest');
    const isNamed = reference.startsWith('sha256:');
    if ((isNamed && reference !== digest) || (claimed?.startsWith('sha256:') && claimed !== digest)) {
      throw new RegistryError('registry.digest_mismatch', 'the registry serves other content than was asked for', {
        url,
      });
    }
    const etag = headers.get('etag');
    const mediaType = headers.get('content-type')?.split(';')[0]?.trim() ?? '';
    return { bytes, digest, mediaType, ...(etag === null || etag.startsWith('W/') ? {} : { etag }) };
  }

  /**
   * The content of a digest.
   * @throws RegistryError `registry.not_found`, `registry.too_large`, `registry.digest_mismatch` and others
   */
  async getBlob({ registry, repository }: ImageRepository, digest: string, maxBytes: number): Promise<Uint8Array> {
    const answer = await this.#send(registry, {
      method: 'GET',
      url: `/v2/${repository}/blobs/${digest}`,
      scope: pullScope(repository),
      mostBytes: maxBytes,
    });
    requireStatus(answer, 200);
    if (digestOf(answer.body) !== digest) {
      throw new RegistryError('registry.digest_mismatch', 'the registry serves other content than was asked for', {
        url: answer.url,
      });
    }
    return answer.body;
  }

  /**
   * The referrers that the registry's own API lists, as JSON texts of image indexes, one a page; undefined where it
   * has no such API (distribution spec, "Unavailable Referrers API"). `isComplete` is false where there are more pages than
   * `maxPages`, or after `maxBytes` of them, or a next one that cannot be asked for.
   * @throws RegistryError `registry.too_large` for a page of more than 4 MiB, or `maxBytes`, and others
   */
  async getReferrers(
    { registry, repository }: ImageRepository,
    digest: string,
    { maxPages, maxBytes = Number.POSITIVE_INFINITY }: { maxPages: number; maxBytes?: number },
  ): Promise<ReferrerPages | undefined> {
    const pages: Uint8Array[] = [];
    let next: string | undefined = `/v2/${repository}/referrers/${digest}`;
    let bytes = 0;
    while (next !== undefined) {
      if (pages.length >= maxPages || bytes >= maxBytes) return { pages, isComplete: false };
      const isFirst = pages.length === 0;
      const answer: PeerAnswer = await this.#send(registry, {
        method: 'GET',
        url: next,
        scope: pullScope(repository),
        headers: { accept: 'application/vnd.oci.image.index.v1+json' },
        mostBytes: Math.min(MAX_MANIFEST_BYTES, maxBytes),
        reads: (head) => head.status === 200 && (!isFirst || isIndex(head)),
      });
      const { status, body } = answer;
      if (isFirst && !isIndex(answer) && [200, 400, 404, 405, 406].includes(status)) return undefined;
      requireStatus(answer, 200);
      pages.push(body);
      bytes += body.length;
      const link = answer.headers.get('link');
      next = nextPage(link, answer.url, this.#session(registry).origin);
      if (next === undefined && link !== null && NEXT.test(link)) return { pages, isComplete: false };
    }
    return { pages, isComplete: true };
  }

  /** Puts the content there unless it is there already; its digest. @throws RegistryError */
  async putBlob({ registry, repository }: ImageRepository, bytes: Uint8Array): Promise<string> {
    const digest = digestOf(bytes);
    const scope = pushScope(repository);
    const head = await this.#send(registry, { method: 'HEAD', url: `/v2/${repository}/blobs/${digest}`, scope });
    if (head.status === 200) return digest;
    const begun = await this.#send(registry, { method: 'POST', url: `/v2/${repository}/blobs/uploads/`, scope });
    requireStatus(begun, 202);
    const location = begun.headers.get('location');
    if (location === null || !URL.canParse(location, begun.url)) {
      throw new RegistryError('registry.answer_invalid', 'the registry does not say where to upload', {
        url: begun.url,
      });
    }
    const target = new URL(location, begun.url);
    // Appended, not set: the rest of the address is the registry's, to be given back letter by letter.
    target.search = `${target.search === '' ? '?' : `${target.search}&`}digest=${encodeURIComponent(digest)}`;
    const ended = await this.#send(registry, {
      method: 'PUT',
      url: target,
      scope,
      headers: { 'content-type': 'application/octet-stream' },
      body: bytes,
    });
    requireStatus(ended, 201);
    return digest;
  }

  /**
   * Puts a manifest under a tag or under its digest. `subject` is what the registry itself listed the manifest as a
   * referrer of, undefined where that is the client's work.
   * @throws RegistryError `registry.conflict` where the condition does not hold
   */
  async putManifest(
    { registry, repository }: ImageRepository,
    reference: string,
    { bytes, mediaType }: { bytes: Uint8Array; mediaType: string },
    condition?: PutCondition,
  ): Promise<{ digest: string; subject: string | undefined }> {
    const answer = await this.#send(registry, {
      method: 'PUT',
      url: `/v2/${repository}/manifests/${reference}`,
      scope: pushScope(repository),
      headers: { 'content-type': mediaType, ...conditionHeaders(condition) },
      body: bytes,
    });
    if (answer.status === 412) {
      throw new RegistryError('registry.conflict', 'somebody else moved the tag', { url: answer.url, status: 412 });
    }
    requireStatus(answer, 201);
    return { digest: digestOf(bytes), subject: answer.headers.get('oci-subject') ?? undefined };
  }

  #send(registry: string, request: SessionRequest): Promise<PeerAnswer> {
    return this.#session(registry).send(request, this.#signal);
  }

  #session(registry: string): RegistrySession {
    return new RegistrySession(registry, this.#options);
  }
}

/** `sha256:<hex>` of the bytes. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

const pullScope = (repository: string) => `repository:${repository}:pull`;
const pushScope = (repository: string) => `repository:${repository}:pull,push`;

function conditionHeaders(condition: PutCondition | undefined): Record<string, string> {
  if (condition === undefined) return {};
  return 'ifMatch' in condition ? { 'if-match': condition.ifMatch } : { 'if-none-match': '*' };
}

/** RFC 8288: says that there is a next page, in whatever order its parameters come. */
const NEXT = /\brel\s*=\s*"?(?:[^",;]*\s)?next\b/i;

/** Where the next page is; only within the registry. */
function nextPage(link: string | null, url: URL, origin: string): string | undefined {
  const target = (link ?? '').split(/,(?=\s*<)/).find((one) => NEXT.test(one));
  const address = /<([^>]+)>/.exec(target ?? '')?.[1];
  if (address === undefined || !URL.canParse(address, url)) return undefined;
  const next = new URL(address, url);
  return next.origin === origin ? next.href : undefined;
}

/** By another type of JSON it is a list all the same: a header is not what keeps a referrer from being seen. */
function isIndex({ status, headers }: AnswerHead): boolean {
  const type = headers.get('content-type')?.split(';')[0]?.trim();
  return status === 200 && /^application\/(?:[\w.+-]+\+)?json$/.test(type ?? '');
}

function requireStatus({ status, url }: PeerAnswer, expected: number): void {
  if (status === expected) return;
  // What the registry writes is not repeated: it can hold what was sent to it.
  if (status === 404)
    throw new RegistryError('registry.not_found', 'the registry has no such content', { url, status });
  if (status === 401 || status === 403) {
    throw new RegistryError('registry.denied', 'the registry does not allow this', { url, status });
  }
  if (status === 429 || status >= 500) {
    throw new RegistryError('registry.unavailable', `the registry answers ${status}`, { url, status });
  }
  throw new RegistryError('registry.refused', `the registry answers ${status}`, { url, status });
}
