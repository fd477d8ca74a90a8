import { isLoopback } from '@colophon/peer';
import { contentTypeOf, isPointerFile, WELL_KNOWN_PATH } from '../publication-rules/publication-name.ts';
import { PublishingError } from '../publication-rules/publishing-error.ts';
import {
  type Ask,
  createExchange,
  type Exchange,
  type ExchangeOptions,
  readOnly,
  refused,
  storedFile,
} from './exchange.ts';
import type { FileTerms, PublishingSource, PublishingTarget, StoredFile } from './publishing-target.ts';

/** What differs between stores that speak HTTP. */
export type WebStore = {
  readonly place: string;
  /** Where the files lie, with a slash at its end. */
  readonly folder: URL;
  readonly exchange: Exchange;
  /** Headers that a store wants beside those of every PUT. */
  readonly putHeaders?: (bytes: Uint8Array, terms: FileTerms) => Record<string, string>;
  readonly locksObjects?: boolean;
};

export type WebOptions = ExchangeOptions & {
  /** The whole header, e.g. `Bearer …`; sent to no other origin. */
  readonly authorization?: string | undefined;
};

/** Files of a web server that the caller may read. @throws PublishingError `publishing.target_invalid` */
export function httpSource(url: string, options: WebOptions = {}): PublishingSource {
  const { folder, exchange } = openServer(url, options);
  return webTarget({ place: url, folder, exchange });
}

/**
 * Files on a server that takes PUT: WebDAV, or a static host with uploads.
 * @throws PublishingError `publishing.target_invalid`, `publishing.target_refused` and what the server says
 */
export async function httpTarget(url: string, options: WebOptions = {}): Promise<PublishingTarget> {
  const { folder, exchange } = openServer(url, options);
  await assertTakesFiles(folder, exchange);
  return webTarget({ place: url, folder, exchange });
}

function openServer(url: string, { authorization, ...options }: WebOptions) {
  const folder = wellKnownFolder(url);
  if (authorization === undefined) return { folder, exchange: createExchange(options) };
  if (folder.protocol !== 'https:' && !isLoopback(folder)) {
    throw new PublishingError('publishing.target_invalid', 'a login is not sent over plain http', {
      expected: 'https://, or this machine',
      found: folder.origin,
    });
  }
  const authorize = async ({ headers }: Ask) => ({ ...headers, authorization });
  return { folder, exchange: createExchange({ ...options, authorize }) };
}

/** A server that says that it takes no files is believed, before anything is signed for it. */
async function assertTakesFiles(folder: URL, exchange: Exchange): Promise<void> {
  const { headers } = await exchange.send('OPTIONS', folder);
  const allowed = headers.get('allow');
  if (allowed === null || allowed.trim() === '' || /\bPUT\b/i.test(allowed)) return;
  throw readOnly(`${folder.origin} allows ${allowed.slice(0, 100)}`);
}

/** The folder below a base address; an address that ends with it is one, too. */
function wellKnownFolder(url: string): URL {
  const base = url.replace(/\/+$/, '').replace(new RegExp(`/${WELL_KNOWN_PATH.replace('.', '\\.')}$`), '');
  return new URL(`${base}/${WELL_KNOWN_PATH}/`);
}

/** Files below one URL. Two publishers are kept apart by conditional requests (RFC 9110 §13.1), not by a lock. */
export function webTarget({ place, folder, exchange, putHeaders, locksObjects = false }: WebStore): PublishingTarget {
  const urlOf = (file: string) => new URL(encodeURIComponent(file), folder);
  let ignoresConditions = false;

  const read = async (file: string, maxBytes: number): Promise<StoredFile | undefined> => {
    return storedFile(await exchange.send('GET', urlOf(file), { mostBytes: maxBytes }));
  };

  const exists = async (file: string): Promise<boolean> => {
    const answer = await exchange.send('HEAD', urlOf(file));
    if (answer.status === 404 || answer.status === 410) return false;
    if (answer.isOk) return true;
    throw refused(answer);
  };

  /** @returns whether the condition held */
  const put = async (
    file: string,
    bytes: Uint8Array,
    terms: FileTerms,
    condition: Record<string, string>,
  ): Promise<boolean> => {
    const headers = { ...servingHeaders(file), ...putHeaders?.(bytes, terms), ...condition };
    const answer = await exchange.send('PUT', urlOf(file), { headers, body: bytes });
    if (answer.isOk) return true;
    if (answer.status === 412 || answer.status === 409) return false;
    const isRefusedCondition = answer.status === 501 && Object.keys(condition).length > 0;
    if (!isRefusedCondition) throw refused(answer);
    ignoresConditions = true;
    return put(file, bytes, terms, {});
  };

  return {
    place,
    locksObjects,
    read,
    async create(file, bytes, terms = {}) {
      // A store that knows no conditions is asked first, which is all that can be done there.
      if (await exists(file)) return false;
      return put(file, bytes, terms, { 'if-none-match': '*' });
    },
    async replace(file, bytes, before, terms = {}) {
      const condition: Record<string, string> =
        before === undefined ? { 'if-none-match': '*' } : before.tag === undefined ? {} : { 'if-match': before.tag };
      return put(file, bytes, terms, condition);
    },
    async remove(file) {
      const answer = await exchange.send('DELETE', urlOf(file));
      if (!answer.isOk && answer.status !== 404 && answer.status !== 410) throw refused(answer);
    },
    exclusively: (work) => work(),
    clearDrafts: async () => {},
    // The same bytes once more: a store that keeps conditions says no, and in one that does not nothing changes.
    async weakness(file, bytes) {
      ignoresConditions ||= await put(file, bytes, {}, { 'if-none-match': '*' });
      if (!ignoresConditions) return undefined;
      return `${place} ignores If-None-Match: two publishers at the same time could overwrite each other there`;
    },
  };
}

/** How a file is to be served: versions never change, what points to them always may. */
function servingHeaders(file: string): Record<string, string> {
  return {
    'content-type': contentTypeOf(file),
    'cache-control': isPointerFile(file) ? 'no-cache' : 'public, max-age=31536000, immutable',
  };
}
