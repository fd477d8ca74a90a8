import { isJsonObject } from '@colophon/json';
import { askPeer, isLoopback, isPrivateAddress, jsonIn, NoAnswer, type PeerAnswer, shownAddress } from '@colophon/peer';
import { SourceError } from '../source-error/source-error.ts';
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
const PASSING = new Set([429, 500, 502, 503, 504]);
const RETRY = {
  times: 2,
  firstPauseMs: 200,
  isPassing: (outcome: PeerAnswer | NoAnswer) =>
    outcome instanceof NoAnswer ? outcome.isPassing : PASSING.has(outcome.status),
};

/** Reads from registries: bounded, with timeouts, over https or from the very origin that was configured. */
export class Downloader {
  readonly #options: DownloadOptions;

  constructor(options: DownloadOptions = {}) {
    this.#options = options;
  }

  /**
   * The bytes at an address, or undefined where there is nothing (404, 410). What may pass is asked for again.
   * @throws SourceError `feeds.registry_unreachable`, `feeds.registry_refused`, `feeds.registry_answer_invalid`,
   * `feeds.address_refused`, `feeds.package_too_large`
   */
  async get(first: URL, request: DownloadRequest): Promise<Uint8Array | undefined> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS, ...options } = this.#options;
    assertAllowed(first, request.registry);
    const question = { headers: (url: URL) => headersFor(url, request) };
    const answer = await askPeer(first, question, {
      ...options,
      timeoutMs,
      mostBytes: request.maxBytes,
      retry: RETRY,
      redirect: ({ from, location, count }) => redirected(from, location, count, request.registry, first),
      reads: ({ isOk }) => isOk,
    }).catch((error: unknown) => {
      throw error instanceof NoAnswer ? silence(error, request) : error;
    });
    if (answer.isOk) return answer.body;
    if (answer.status === 404 || answer.status === 410) return undefined;
    throw failure(answer, request);
  }

  /** The JSON object at an address, or undefined where there is nothing. @throws SourceError as get */
  async getJson(url: URL, request: DownloadRequest): Promise<Record<string, unknown> | undefined> {
    const bytes = await this.get(url, request);
    if (bytes === undefined) return undefined;
    const value = jsonIn(bytes);
    if (isJsonObject(value)) return value;
    throw new SourceError('feeds.registry_answer_invalid', 'the registry answers with something else than JSON', {
      checked: shownAddress(url),
    });
  }
}

function headersFor(url: URL, { accept = '*/*', registry }: DownloadRequest): Record<string, string> {
  const authorization = registry.authorizationFor(url);
  if (authorization !== undefined) assertPrivate(url);
  return {
    accept,
    // Some servers declare a .tgz as a compressed .tar, and then the hash is of something else.
    'accept-encoding': 'identity',
    ...(authorization === undefined ? {} : { authorization }),
  };
}

function redirected(from: URL, location: string, count: number, registry: Registry, first: URL): URL | undefined {
  if (!URL.canParse(location, from)) return undefined;
  if (count > MAX_REDIRECTS) {
    throw new SourceError('feeds.address_refused', `more than ${MAX_REDIRECTS} redirects`, {
      checked: shownAddress(first),
    });
  }
  const to = new URL(location, from);
  assertAllowed(to, registry);
  return to;
}

function silence({ kind, message, url }: NoAnswer, { maxBytes }: DownloadRequest): SourceError {
  const checked = shownAddress(url);
  if (kind === 'too-large') {
    return new SourceError('feeds.package_too_large', `${url.host} answers with more than ${maxBytes} bytes`, {
      checked,
    });
  }
  return new SourceError('feeds.registry_unreachable', `${url.host} does not answer: ${message}`, { checked });
}

function failure({ status, url }: PeerAnswer, { registry }: DownloadRequest): SourceError {
  const isAuthorized = registry.authorizationFor(url) !== undefined;
  const checked = shownAddress(url);
  if (status === 401 || status === 403) {
    return new SourceError('feeds.registry_refused', `${url.host} denies access (HTTP ${status})`, {
      checked,
      found: isAuthorized ? 'the configured credential was sent' : 'no credential is configured for this address',
    });
  }
  if (PASSING.has(status)) {
    return new SourceError('feeds.registry_unreachable', `${url.host} fails (HTTP ${status})`, { checked });
  }
  return new SourceError('feeds.registry_answer_invalid', `${url.host} answers with HTTP ${status}`, { checked });
}

/**
 * Everything comes from the very origin that was configured, or over TLS from a public place: what a registry answers
 * is no reason to knock at the doors of this network.
 */
function assertAllowed(url: URL, { base }: Registry): void {
  const isConfigured = url.origin === base.origin;
  const isPublic = url.protocol === 'https:' && !isPrivateAddress(url);
  if ((isConfigured || isPublic) && url.username === '' && url.password === '') return;
  throw new SourceError('feeds.address_refused', 'the registry refers to an address that is not allowed', {
    checked: shownAddress(base),
    expected: `${base.origin}, or https:// and no address of a private network`,
    found: shownAddress(url),
  });
}

function assertPrivate(url: URL): void {
  if (url.protocol === 'https:' || isLoopback(url)) return;
  throw new SourceError('feeds.address_refused', 'a credential is not sent over plain http', {
    checked: shownAddress(url),
    expected: 'https://',
  });
}
