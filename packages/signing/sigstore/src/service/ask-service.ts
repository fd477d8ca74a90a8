import { type AskOptions, askPeer, type FinalAnswer, isPassing, NoAnswer, shownAddress } from '@colophon/peer';

/** How the services (certificate authority, log, timestamp authority) are asked. */
export type ServiceOptions = {
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Of one request; 20,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a request is repeated when nobody answered or the service was overloaded; 2. */
  readonly retries?: number | undefined;
};

const DEFAULT_TIMEOUT_MS = 20_000;
const DEFAULT_RETRIES = 2;
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

/** The wait before the first repetition; it doubles each time. */
const FIRST_PAUSE_MS = 200;

/** Media types: of what is sent, and of what is wanted back. */
export type ServiceMedia = { readonly contentType: string; readonly accept: string };

const JSON_MEDIA: ServiceMedia = { contentType: 'application/json', accept: 'application/json' };

/**
 * Sends bytes as they are and everything else as JSON, or asks with GET where `body` is undefined. Follows no redirect:
 * what stands in the request is a credential at times.
 * @throws NoAnswer
 */
export function askService(
  url: string,
  body: unknown,
  { fetch, timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES }: ServiceOptions = {},
  { contentType, accept }: ServiceMedia = JSON_MEDIA,
): Promise<FinalAnswer> {
  const retry: AskOptions['retry'] = {
    times: retries,
    firstPauseMs: FIRST_PAUSE_MS,
    isPassing,
  };
  const options = { fetch, timeoutMs, mostBytes: MOST_ANSWER_BYTES, retry };
  if (body === undefined) return askPeer(url, { headers: { accept } }, options);
  const bytes = body instanceof Uint8Array ? body : new TextEncoder().encode(JSON.stringify(body));
  return askPeer(url, { method: 'POST', headers: { accept, 'content-type': contentType }, body: bytes }, options);
}

/** Why there is no answer, for an error of ours. */
export function silenceOf(url: string, error: unknown): string {
  if (!(error instanceof NoAnswer)) throw error;
  return `${shownAddress(url)} did not answer: ${error.message}`;
}
