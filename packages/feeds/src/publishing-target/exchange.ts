import { PublishingError } from '@colophon/sbom';
import { readBounded, silenceReason } from '../peer/peer.ts';
import type { StoredFile } from './publishing-target.ts';

/** For one request, whole. */
const REQUEST_TIMEOUT_MS = 60_000;
const RETRIES = 2;
const FIRST_PAUSE_MS = 300;
const MOST_REDIRECTS = 5;

/** What a store answered; the body is read when it is wanted. */
export type Exchange = {
  /** Sends a request as often as nobody answers or the store is overloaded; redirects within one origin are followed. */
  send(method: string, url: URL, options?: { headers?: Record<string, string>; body?: Uint8Array }): Promise<Response>;
};

/** What is asked of a store. */
export type Ask = {
  readonly method: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body?: Uint8Array;
};

export type ExchangeOptions = {
  /** The headers with which a request is sent: a login, or a signature over it, made just before. */
  readonly authorize?: (ask: Ask) => Promise<Headers | Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
};

export function createExchange({
  authorize = async ({ headers }) => headers,
  timeoutMs = REQUEST_TIMEOUT_MS,
  signal,
}: ExchangeOptions = {}): Exchange {
  const attempt = async (ask: Ask) => {
    const limits = [AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])];
    return fetch(ask.url, {
      method: ask.method,
      headers: await authorize(ask),
      redirect: 'manual',
      signal: AbortSignal.any(limits),
      ...(ask.body === undefined ? {} : { body: new Uint8Array(ask.body) }),
    });
  };
  return {
    async send(method, url, { headers = {}, body } = {}) {
      let target = url;
      let redirects = 0;
      for (let tries = 0; ; tries++) {
        let response: Response | undefined;
        let cause: unknown;
        try {
          response = await attempt({ method, url: target, headers, ...(body === undefined ? {} : { body }) });
        } catch (error) {
          signal?.throwIfAborted();
          cause = error;
        }
        if (response !== undefined && isRedirect(response)) {
          await response.body?.cancel();
          redirects += 1;
          target = redirected(response, target, method, redirects);
          tries -= 1;
          continue;
        }
        if (response !== undefined && response.status < 500 && response.status !== 429) return response;
        // 501 says that the store will never do this.
        if (response?.status === 501) return response;
        if (tries >= RETRIES) throw unavailable(target, response, cause);
        await response?.body?.cancel();
        await new Promise((resolve) => setTimeout(resolve, FIRST_PAUSE_MS * 2 ** tries));
      }
    },
  };
}

/**
 * The body of an answer, at most `maxBytes`: what is declared or sent beyond is not read.
 * @throws PublishingError `publishing.too_large`, `publishing.target_unavailable`
 */
export async function readBody(response: Response, url: URL, maxBytes: number): Promise<Uint8Array> {
  const bytes = await readBounded(response, maxBytes).catch((error: unknown) => {
    throw unavailable(url, undefined, error);
  });
  if (bytes !== undefined) return bytes;
  throw new PublishingError('publishing.too_large', `${url.href} is too large to be read`, {
    expected: `at most ${maxBytes} bytes`,
  });
}

/** A file out of the answer to a GET, or undefined where there is none. */
export async function storedFile(response: Response, url: URL, maxBytes: number): Promise<StoredFile | undefined> {
  if (response.status === 404 || response.status === 410) {
    await response.body?.cancel();
    return undefined;
  }
  if (response.status !== 200) throw await refused(response, url);
  const bytes = await readBody(response, url, maxBytes);
  const tag = response.headers.get('etag');
  const modified = Date.parse(response.headers.get('last-modified') ?? '');
  return {
    bytes,
    // A weak tag is no promise about bytes.
    ...(tag === null || tag.startsWith('W/') ? {} : { tag }),
    ...(Number.isNaN(modified) ? {} : { modifiedAt: new Date(modified) }),
  };
}

/** What an answer that is neither yes nor no means. */
export async function refused(response: Response, url: URL): Promise<PublishingError> {
  const { status } = response;
  const said = await reasonOf(response, url);
  const where = `${url.origin} answered ${status}${said === '' ? '' : ` (${said})`}`;
  if (status === 401 || status === 403) return new PublishingError('publishing.target_unauthorized', where);
  if (status === 404) return new PublishingError('publishing.target_refused', `${where}: there is no such place`);
  if (status === 405) return readOnly(where);
  return new PublishingError('publishing.target_refused', where);
}

/** @param said what the server answered */
export function readOnly(said: string): PublishingError {
  return new PublishingError('publishing.target_refused', `${said}: it takes no files by PUT`, {
    expected: 'the folder that it serves, an s3:// address, or a server that takes PUT',
  });
}

/** The code in an S3 error, or in a problem document: never more of what a stranger wrote. */
async function reasonOf(response: Response, url: URL): Promise<string> {
  try {
    const text = Buffer.from(await readBody(response, url, 64 * 1024)).toString();
    return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(text)?.[1] ?? /"code":"([a-z_.]{1,64})"/.exec(text)?.[1] ?? '';
  } catch {
    return '';
  }
}

function isRedirect({ status, headers }: Response): boolean {
  return [301, 302, 303, 307, 308].includes(status) && headers.get('location') !== null;
}

/** Another host may be anybody's, and the login is not for it. */
function redirected(response: Response, from: URL, method: string, count: number): URL {
  const location = response.headers.get('location') ?? '';
  const to = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (to?.origin === from.origin && method === 'GET' && count <= MOST_REDIRECTS) return to;
  throw new PublishingError(
    'publishing.target_refused',
    `${from.origin} sends on to another place, which is not followed`,
    {
      expected: 'an answer from the address itself',
      found: (to?.origin ?? location).slice(0, 200),
    },
  );
}

function unavailable(url: URL, response: Response | undefined, cause: unknown): PublishingError {
  const why =
    response === undefined
      ? `cannot reach ${url.origin}: ${silenceReason(cause)}`
      : `${url.origin} answered ${response.status}`;
  return new PublishingError('publishing.target_unavailable', why, { cause });
}
