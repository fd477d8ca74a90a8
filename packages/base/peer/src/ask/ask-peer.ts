import { setTimeout as pause } from 'node:timers/promises';
import { reachDirectly, trustMachineStore } from '../network/machine-network.ts';
import { declaresMoreThan, readUpTo } from './bounded-body.ts';
import { NoAnswer } from './no-answer.ts';

/** Names and values of a request's headers. */
export type HeadersOf = Headers | Readonly<Record<string, string>>;

/** What is asked. */
export type Question = {
  /** GET where absent. */
  readonly method?: string | undefined;
  /** A function is called for every address that is asked, redirects included: a credential is for one origin. */
  readonly headers?: HeadersOf | ((url: URL) => HeadersOf | Promise<HeadersOf>) | undefined;
  readonly body?: Uint8Array | Blob | URLSearchParams | undefined;
};

/** The limits of a question, and what happens where the answer is another than the one hoped for. */
export type AskOptions = {
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Of one attempt: redirects and body included. */
  readonly timeoutMs: number;
  /** Of the body, decompressed. Of an answer that is no success only the first 64 KiB are read. */
  readonly mostBytes: number;
  /** The caller's own: its reason is thrown as it is. */
  readonly signal?: AbortSignal | undefined;
  /** Nothing is asked twice where absent. */
  readonly retry?: Retry | undefined;
  /** No redirect is followed where absent: it is the answer. `refused`: it is no answer. */
  readonly redirect?: RedirectRule | 'refused' | undefined;
  /** Whether the body is read; of every answer but a redirect where absent. */
  readonly reads?: ((head: AnswerHead) => boolean) | undefined;
};

/** When a question is asked again, and after which pause; the pause doubles each time. */
export type Retry = {
  readonly times: number;
  readonly firstPauseMs: number;
  readonly isPassing: (outcome: PeerAnswer | NoAnswer) => boolean;
};

/** One redirect: the address that answered, what its Location header holds, and the how manieth it is. */
export type Redirect = { readonly from: URL; readonly location: string; readonly count: number };

/**
 * Where a redirect leads: an address that is asked next, with the same method, or undefined where the redirect itself
 * is the answer. Throws where it leads to an address that must not be asked.
 */
export type RedirectRule = (redirect: Redirect) => URL | undefined;

/** Status and headers of an answer. */
export type AnswerHead = { readonly status: number; readonly isOk: boolean; readonly headers: Headers };

/** What a peer answered, whatever its status. */
export type PeerAnswer = AnswerHead & {
  /** Who answered, after redirects. */
  readonly url: URL;
  /** Empty where it was not read. */
  readonly body: Uint8Array;
};

/** The answer that counts, and how often the question was asked until it came. */
export type FinalAnswer = PeerAnswer & { readonly attempts: number };

/** Bytes of an answer that is no success: enough for every reason that a peer gives. */
export const MOST_REASON_BYTES = 64 * 1024;

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

/**
 * Asks another machine one thing over HTTP: within a time, a number of bytes and a number of attempts.
 * @throws NoAnswer where nobody answers, or not within the limits; never with anything that was sent
 * @throws TypeError for an address that cannot be read
 */
export async function askPeer(url: string | URL, question: Question, options: AskOptions): Promise<FinalAnswer> {
  const { retry, signal } = options;
  for (let attempt = 0; ; attempt++) {
    const outcome = await attemptAt(new URL(url), question, options);
    if (retry === undefined || attempt >= retry.times || !retry.isPassing(outcome)) {
      if (outcome instanceof NoAnswer) throw outcome;
      return { ...outcome, attempts: attempt + 1 };
    }
    await pause(retry.firstPauseMs * 2 ** attempt, undefined, signal && { signal }).catch((error: unknown) => {
      throw signal?.reason ?? error;
    });
  }
}

async function attemptAt(first: URL, question: Question, options: AskOptions): Promise<PeerAnswer | NoAnswer> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
  let url = first;
  for (let count = 1; ; count++) {
    const headers = await headersFor(url, question);
    const answer = await exchange(url, { ...question, headers }, options, signal);
    if (answer instanceof NoAnswer) return answer;
    if (options.redirect === 'refused' && isRedirect(answer)) {
      return new NoAnswer('redirect', `HTTP ${answer.status}, a redirect, which is not followed`, url);
    }
    const next = redirected(answer, count, options.redirect);
    if (next === undefined) return answer;
    url = next;
  }
}

async function exchange(
  url: URL,
  { method = 'GET', headers, body }: Omit<Question, 'headers'> & { readonly headers: HeadersOf },
  { fetch = globalThis.fetch, mostBytes, reads = (head) => !isRedirect(head), signal: callers }: AskOptions,
  signal: AbortSignal,
): Promise<PeerAnswer | NoAnswer> {
  if (url.protocol === 'https:') trustMachineStore();
  reachDirectly(url);
  try {
    const response = await fetch(url, {
      method,
      headers,
      ...(body !== undefined && { body: body instanceof Uint8Array ? new Uint8Array(body) : body }),
      redirect: 'manual',
      signal,
    });
    const head = { status: response.status, isOk: response.ok, headers: response.headers };
    // The answer to HEAD says how long a body would be, and has none.
    const read = await bodyOf(response, method !== 'HEAD' && reads(head), mostBytes);
    return read === undefined
      ? new NoAnswer('too-large', `an answer of more than ${mostBytes} bytes`, url)
      : { ...head, url, body: read };
  } catch (error) {
    callers?.throwIfAborted();
    return NoAnswer.from(error, url);
  }
}

/** Undefined where it is a success and larger than is read. */
async function bodyOf(response: Response, isRead: boolean, mostBytes: number): Promise<Uint8Array | undefined> {
  const isTooLarge = isRead && response.ok && declaresMoreThan(response, mostBytes);
  if (!isRead || isTooLarge) {
    await response.body?.cancel();
    return isTooLarge ? undefined : new Uint8Array();
  }
  if (!response.ok) return (await readUpTo(response, Math.min(mostBytes, MOST_REASON_BYTES))).bytes;
  const { bytes, isCut } = await readUpTo(response, mostBytes);
  return isCut ? undefined : bytes;
}

function isRedirect({ status }: AnswerHead): boolean {
  return status >= 300 && status < 400;
}

function redirected(answer: PeerAnswer, count: number, rule: AskOptions['redirect']): URL | undefined {
  const location = answer.headers.get('location');
  if (typeof rule !== 'function' || location === null || !REDIRECTS.includes(answer.status)) return undefined;
  return rule({ from: answer.url, location, count });
}

async function headersFor(url: URL, { headers = {} }: Question): Promise<HeadersOf> {
  return typeof headers === 'function' ? headers(url) : headers;
}
