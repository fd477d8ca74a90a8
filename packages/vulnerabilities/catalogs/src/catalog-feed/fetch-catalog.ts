import { createReadStream } from 'node:fs';
import { MAX_CATALOG_BYTES } from '@colophon/findings';
import { askPeer, NoAnswer, type PeerAnswer, shownAddress } from '@colophon/peer';
import { CatalogError, type CatalogErrorCode } from '../catalog-error/catalog-error.ts';
import { parseFeedAddress } from './feed-address.ts';

/** What a server said of the bytes that it gave, to be asked with the next time. */
export type CatalogValidators = { readonly etag?: string; readonly lastModified?: string };

export type CatalogFetchOptions = {
  /** An https address, or the name of a file; plain http on this machine. */
  readonly feed: string;
  /** Of the copy that is kept of this very feed: then an answer may be that nothing changed. */
  readonly previous?: CatalogValidators | undefined;
  /** Read over plain http from another machine too. */
  readonly allowHttp?: boolean | undefined;
  /** Of one attempt, whole; 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Decompressed; 64 MiB. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
};

/** A feed as it was answered; its bytes are not looked at. */
export type FetchedCatalog =
  | { readonly isUnchanged: true }
  | ({ readonly isUnchanged: false; readonly bytes: Uint8Array } & CatalogValidators);

const TIMEOUT_MS = 60_000;
const MOST_REDIRECTS = 3;
const PASSING = new Set([429, 500, 502, 503, 504]);
/** A timeout is not waited for twice, and a server that names a time is not asked before it. */
const RETRY = {
  times: 2,
  firstPauseMs: 100,
  isPassing: (outcome: PeerAnswer | NoAnswer) =>
    outcome instanceof NoAnswer
      ? outcome.kind === 'network' || outcome.kind === 'bad-port'
      : PASSING.has(outcome.status) && waitOf(outcome.headers) === undefined,
};
/** OpenSSL's words for a certificate of an authority that is not known. */
const UNKNOWN_AUTHORITY = /SELF_SIGNED_CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/;
/** What is sent back as a header: printable, and no essay. */
const VALIDATOR = /^[\x20-\x7e]{1,512}$/;

/**
 * Reads a known-exploited catalog from its feed (contract §4.3): bounded in size after decompression, in time and in
 * redirects, which lead nowhere but to the same host. Nothing of an answer that is no catalog is repeated.
 *
 * @throws CatalogError `feeds.catalog_*`
 */
export async function fetchCatalog(options: CatalogFetchOptions): Promise<FetchedCatalog> {
  const { feed, allowHttp, maxBytes = MAX_CATALOG_BYTES, signal } = options;
  const address = parseFeedAddress(feed, allowHttp);
  if (address.file !== undefined) {
    return { isUnchanged: false, bytes: await readFeedFile(address.file, maxBytes, signal) };
  }
  return ask(address.url, options);
}

async function ask(first: URL, options: CatalogFetchOptions): Promise<FetchedCatalog> {
  const { fetch, signal, previous, timeoutMs = TIMEOUT_MS, maxBytes = MAX_CATALOG_BYTES } = options;
  const question = { headers: (url: URL) => ({ accept: 'application/json', ...conditionsOf(url, previous) }) };
  const answer = await askPeer(first, question, {
    fetch,
    signal,
    timeoutMs,
    mostBytes: maxBytes,
    retry: RETRY,
    redirect: ({ from, location, count }) => redirected(from, location, count, first),
    reads: ({ status }) => status === 200,
  }).catch((error: unknown) => {
    throw error instanceof NoAnswer ? silence(error, maxBytes) : error;
  });
  const { status, url, body, headers } = answer;
  if (status === 200) return { isUnchanged: false, bytes: body, ...validatorsOf(headers) };
  if (status === 304 && Object.keys(conditionsOf(url, previous)).length > 0) return { isUnchanged: true };
  throw statusFailure(answer);
}

function silence({ kind, message, url }: NoAnswer, maxBytes: number): CatalogError {
  if (kind === 'too-large') {
    return failure(
      'feeds.catalog_too_large',
      url,
      'the feed is larger than is read here',
      `more than ${maxBytes} bytes`,
    );
  }
  return new CatalogError('feeds.catalog_unreachable', 'the feed does not answer', {
    checked: shownAddress(url),
    found: message,
    next: UNKNOWN_AUTHORITY.test(message)
      ? 'the certificate of an authority of your own goes into the store of this machine, or into NODE_EXTRA_CA_CERTS'
      : 'again later; without a network, --kev takes a file that was fetched elsewhere',
  });
}

/** Validators are of one address: one with a query is kept under a name that others share. */
function conditionsOf(url: URL, { etag, lastModified }: CatalogValidators = {}): Record<string, string> {
  if (url.search !== '') return {};
  return {
    ...(etag !== undefined && VALIDATOR.test(etag) && { 'if-none-match': etag }),
    ...(lastModified !== undefined && VALIDATOR.test(lastModified) && { 'if-modified-since': lastModified }),
  };
}

function validatorsOf(headers: Headers): CatalogValidators {
  const [etag, lastModified] = ['etag', 'last-modified'].map((name) => headers.get(name) ?? '');
  return {
    ...(VALIDATOR.test(etag!) && { etag: etag! }),
    ...(VALIDATOR.test(lastModified!) && { lastModified: lastModified! }),
  };
}

function redirected(from: URL, location: string, count: number, first: URL): URL | undefined {
  if (!URL.canParse(location, from)) return undefined;
  const to = assertSameHost(from, new URL(location, from));
  if (count <= MOST_REDIRECTS) return to;
  throw failure('feeds.catalog_redirect_refused', first, `the feed redirects more than ${MOST_REDIRECTS} times`);
}

function assertSameHost(from: URL, to: URL): URL {
  const isSame = to.protocol === from.protocol && to.host === from.host;
  // To the port of https alone: behind another one is another service.
  const isUpgrade = from.protocol === 'http:' && to.protocol === 'https:' && from.hostname === to.host;
  if ((isSame || isUpgrade) && to.username === '' && to.password === '') return to;
  throw new CatalogError('feeds.catalog_redirect_refused', 'the feed sends to another host', {
    checked: shownAddress(from),
    found: to.protocol === 'https:' || to.protocol === 'http:' ? shownAddress(to) : `an address of ${to.protocol}`,
    expected: 'the address of the catalog itself',
  });
}

function statusFailure({ status, headers, url }: PeerAnswer): CatalogError {
  const found = `HTTP ${status}`;
  if (status === 401 || status === 403) return failure('feeds.catalog_refused', url, 'the feed denies access', found);
  if (status === 404 || status === 410) return failure('feeds.catalog_not_found', url, 'there is no feed', found);
  if (PASSING.has(status)) {
    const wait = waitOf(headers);
    return new CatalogError('feeds.catalog_unreachable', 'the feed fails', {
      checked: shownAddress(url),
      found,
      ...(wait !== undefined && { expected: `a retry after ${wait}` }),
    });
  }
  return failure('feeds.catalog_answer_invalid', url, 'the feed did not return a catalog', found);
}

/** RFC 9110, 10.2.3: seconds, or a date. */
function waitOf(headers: Headers): string | undefined {
  const retryAfter = headers.get('retry-after') ?? '';
  if (/^[1-9]\d{0,6}$/.test(retryAfter)) return `${retryAfter} s`;
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(retryAfter) ? retryAfter : undefined;
}

function failure(code: CatalogErrorCode, url: URL, message: string, found?: string): CatalogError {
  return new CatalogError(code, message, { checked: shownAddress(url), ...(found === undefined ? {} : { found }) });
}

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'it is not readable for you',
};

async function readFeedFile(file: string, maxBytes: number, signal?: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of createReadStream(file, { signal })) {
      length += chunk.length;
      if (length > maxBytes) break;
      chunks.push(chunk);
    }
  } catch (error) {
    signal?.throwIfAborted();
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const reason = UNREADABLE[code] ?? code;
    throw new CatalogError('feeds.catalog_file_unreadable', `the file of the feed cannot be read: ${reason}`, {
      checked: file,
    });
  }
  if (length <= maxBytes) return Buffer.concat(chunks, length);
  throw new CatalogError('feeds.catalog_too_large', 'the feed is larger than is read here', {
    checked: file,
    found: `more than ${maxBytes} bytes`,
  });
}
