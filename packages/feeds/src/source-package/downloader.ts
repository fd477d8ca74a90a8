import { setTimeout as pause } from 'node:timers/promises';
import { FeedsError } from '../feeds-error/feeds-error.ts';
import { isLoopback, isObject, parseJson, readBounded, shown, silenceReason } from '../peer/peer.ts';
import { isPrivateAddress } from '../peer/private-address.ts';
import type { Registry } from './source-context.ts';

export type DownloadOptions = {
  readonly fetch?: typeof globalThis.fetch | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Of one request with its body; 60,000. */
  readonly timeoutMs?: number | undefined;
};

/** One thing to get from a registry. */
export type DownloadRequest = {
  readonly maxBytes: number;
  readonly accept?: string;
  /** Who is asked, or who named the address; its login is looked up again after every redirect. */
  readonly registry: Registry;
};

const DEFAULT_TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 5;
const RETRIES = 2;
const FIRST_PAUSE_MS = 200;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const PASSING = new Set([429, 500, 502, 503, 504]);

/** Reads from registries: bounded, with timeouts, over https or from the very origin that was configured. */
export class Downloader {
  readonly #options: DownloadOptions;

  constructor(options: DownloadOptions = {}) {
    this.#options = options;
  }

  /**
   * The bytes at an address, or undefined where there is nothing (404, 410). What may pass is asked for again.
   * @throws FeedsError `feeds.registry_unreachable`, `feeds.registry_refused`, `feeds.registry_answer_invalid`,
   * `feeds.address_refused`, `feeds.package_too_large`
   */
  async get(url: URL, request: DownloadRequest): Promise<Uint8Array | undefined> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#follow(url, request);
      } catch (error) {
        const isPassing = error instanceof FeedsError && error.code === 'feeds.registry_unreachable';
        if (!isPassing || attempt >= RETRIES) throw error;
        await pause(FIRST_PAUSE_MS * 2 ** attempt, undefined, { signal: this.#options.signal });
      }
    }
  }

  /** The JSON object at an address, or undefined where there is nothing. @throws FeedsError as get */
  async getJson(url: URL, request: DownloadRequest): Promise<Record<string, unknown> | undefined> {
    const bytes = await this.get(url, request);
    if (bytes === undefined) return undefined;
    const value = parseJson(bytes);
    if (isObject(value)) return value;
    throw new FeedsError('feeds.registry_answer_invalid', 'the registry answers with something else than JSON', {
      checked: shown(url),
    });
  }

  async #follow(first: URL, request: DownloadRequest): Promise<Uint8Array | undefined> {
    let url = first;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      assertAllowed(url, request.registry);
      const answer = await this.#ask(url, request);
      if (!(answer instanceof URL)) return answer.bytes;
      url = answer;
    }
    throw new FeedsError('feeds.address_refused', `more than ${MAX_REDIRECTS} redirects`, { checked: shown(first) });
  }

  /** The body, or the address that a redirect names. */
  async #ask(url: URL, request: DownloadRequest): Promise<URL | { readonly bytes: Uint8Array | undefined }> {
    const { fetch = globalThis.fetch, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = this.#options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const authorization = request.registry.authorizationFor(url);
    if (authorization !== undefined) assertPrivate(url);
    try {
      const response = await fetch(url, {
        headers: {
          accept: request.accept ?? '*/*',
          // Some servers declare a .tgz as a compressed .tar, and then the hash is of something else.
          'accept-encoding': 'identity',
          ...(authorization === undefined ? {} : { authorization }),
        },
        redirect: 'manual',
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      });
      if (response.ok) {
        const bytes = await readBounded(response, request.maxBytes);
        if (bytes !== undefined) return { bytes };
        throw new FeedsError(
          'feeds.package_too_large',
          `${url.host} answers with more than ${request.maxBytes} bytes`,
          {
            checked: shown(url),
          },
        );
      }
      await response.body?.cancel();
      const location = response.headers.get('location');
      if (REDIRECTS.has(response.status) && location !== null && URL.canParse(location, url)) {
        return new URL(location, url);
      }
      if (response.status === 404 || response.status === 410) return { bytes: undefined };
      throw failure(response.status, url, authorization !== undefined);
    } catch (error) {
      if (error instanceof FeedsError) throw error;
      signal?.throwIfAborted();
      throw new FeedsError('feeds.registry_unreachable', `${url.host} does not answer: ${silenceReason(error)}`, {
        checked: shown(url),
      });
    }
  }
}

function failure(status: number, url: URL, isAuthorized: boolean): FeedsError {
  const checked = shown(url);
  if (status === 401 || status === 403) {
    return new FeedsError('feeds.registry_refused', `${url.host} refuses us (HTTP ${status})`, {
      checked,
      found: isAuthorized ? 'the configured credential was sent' : 'no credential is configured for this address',
    });
  }
  if (PASSING.has(status)) {
    return new FeedsError('feeds.registry_unreachable', `${url.host} fails (HTTP ${status})`, { checked });
  }
  return new FeedsError('feeds.registry_answer_invalid', `${url.host} answers with HTTP ${status}`, { checked });
}

/**
 * Everything comes from the very origin that was configured, or over TLS from a public place: what a registry answers
 * is no reason to knock at the doors of this network.
 */
function assertAllowed(url: URL, { base }: Registry): void {
  const isConfigured = url.origin === base.origin;
  const isPublic = url.protocol === 'https:' && !isPrivateAddress(url);
  if ((isConfigured || isPublic) && url.username === '' && url.password === '') return;
  throw new FeedsError('feeds.address_refused', 'the registry sends us to an address that is not used', {
    checked: shown(base),
    expected: `${base.origin}, or https:// and no address of a private network`,
    found: shown(url),
  });
}

function assertPrivate(url: URL): void {
  if (url.protocol === 'https:' || isLoopback(url)) return;
  throw new FeedsError('feeds.address_refused', 'a credential is not sent over plain http', {
    checked: shown(url),
    expected: 'https://',
  });
}
