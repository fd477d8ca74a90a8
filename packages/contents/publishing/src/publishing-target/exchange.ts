import { type AskOptions, askPeer, NoAnswer, type PeerAnswer } from '@colophon/peer';
import { PublishingError } from '../publication-rules/publishing-error.ts';
import type { StoredFile } from './publishing-target.ts';

/** For one request, whole. */
const REQUEST_TIMEOUT_MS = 60_000;
const MOST_REDIRECTS = 5;
/** Of an answer that is no file. */
export const MOST_ANSWER_BYTES = 64 * 1024;
const RETRY: AskOptions['retry'] = {
  times: 2,
  firstPauseMs: 300,
  // 501 says that the store will never do this.
  isPassing: (outcome) =>
    outcome instanceof NoAnswer
      ? outcome.isPassing
      : (outcome.status >= 500 && outcome.status !== 501) || outcome.status === 429,
};

/** A request to a store. */
export type Exchange = {
  /**
   * Sends a request as often as nobody answers or the store is overloaded; redirects within one origin are followed.
   * @param options `mostBytes` of the body of a success, which is not read where that is absent
   * @throws PublishingError `publishing.target_unavailable`, `publishing.target_refused`, `publishing.too_large`
   */
  send(
    method: string,
    url: URL,
    options?: { headers?: Record<string, string>; body?: Uint8Array; mostBytes?: number },
  ): Promise<PeerAnswer>;
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
  return {
    async send(method, url, { headers = {}, body, mostBytes } = {}) {
      const ask = { method, headers, ...(body === undefined ? {} : { body }) };
      const question = { method, body, headers: (target: URL) => authorize({ ...ask, url: target }) };
      const answer = await askPeer(url, question, {
        timeoutMs,
        mostBytes: mostBytes ?? MOST_ANSWER_BYTES,
        reads: ({ isOk }) => !isOk || mostBytes !== undefined,
        signal,
        retry: RETRY,
        redirect: ({ from, location, count }) => redirected(from, location, method, count),
      }).catch((error: unknown) => {
        throw error instanceof NoAnswer ? silence(error, mostBytes ?? MOST_ANSWER_BYTES) : error;
      });
      if (!isFailure(answer)) return answer;
      throw new PublishingError('publishing.target_unavailable', `${answer.url.origin} answered ${answer.status}`);
    },
  };
}

function isFailure(answer: PeerAnswer): boolean {
  return RETRY?.isPassing(answer) ?? false;
}

function silence({ kind, url, message, cause }: NoAnswer, mostBytes: number): PublishingError {
  if (kind === 'too-large') {
    return new PublishingError('publishing.too_large', `${url.href} is too large to be read`, {
      expected: `at most ${mostBytes} bytes`,
    });
  }
  return new PublishingError('publishing.target_unavailable', `cannot reach ${url.origin}: ${message}`, { cause });
}

/** A file out of the answer to a GET, or undefined where there is none. @throws PublishingError as {@link refused} */
export function storedFile({ status, url, headers, body }: PeerAnswer): StoredFile | undefined {
  if (status === 404 || status === 410) return undefined;
  if (status !== 200) throw refused({ status, url, body });
  const tag = headers.get('etag');
  const modified = Date.parse(headers.get('last-modified') ?? '');
  return {
    bytes: body,
    // A weak tag is no promise about bytes.
    ...(tag === null || tag.startsWith('W/') ? {} : { tag }),
    ...(Number.isNaN(modified) ? {} : { modifiedAt: new Date(modified) }),
  };
}

/** What an answer that is neither yes nor no means. */
export function refused({ status, url, body }: Pick<PeerAnswer, 'status' | 'url' | 'body'>): PublishingError {
  const said = reasonIn(body);
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
function reasonIn(body: Uint8Array): string {
  const text = Buffer.from(body).toString();
  return /<Code>([A-Za-z0-9.]{1,64})<\/Code>/.exec(text)?.[1] ?? /"code":"([a-z_.]{1,64})"/.exec(text)?.[1] ?? '';
}

/** Another host may be anybody's, and the login is not for it. */
function redirected(from: URL, location: string, method: string, count: number): URL {
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
