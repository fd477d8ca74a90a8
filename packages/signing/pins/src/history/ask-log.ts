import {
  type AskOptions,
  askPeer,
  isPassing,
  NoAnswer,
  type PeerAnswer,
  peerReason,
  shownAddress,
} from '@colophon/peer';
import { PinError } from '../pin-error/pin-error.ts';

/** How a log is asked. */
export type AskLogOptions = {
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Of one request; 20,000. */
  readonly timeoutMs?: number | undefined;
  /** How often a request is repeated when nobody answered or the log was overloaded; 2. */
  readonly retries?: number | undefined;
};

const DEFAULT_TIMEOUT_MS = 20_000;
const DEFAULT_RETRIES = 2;
const FIRST_PAUSE_MS = 200;
/** A checkpoint, a proof of 64 hashes, or a tile of 256. */
const MOST_ANSWER_BYTES = 1024 * 1024;

/**
 * The body of an answer that is a success. No redirect is followed: who answers is who was named.
 * @throws PinError `pin.log_unavailable`, `pin.log_refused`
 */
export async function askLog(url: string, options: AskLogOptions = {}): Promise<Uint8Array> {
  const retry: AskOptions['retry'] = {
    times: options.retries ?? DEFAULT_RETRIES,
    firstPauseMs: FIRST_PAUSE_MS,
    isPassing,
  };
  let answer: PeerAnswer;
  try {
    answer = await askPeer(
      url,
      {},
      {
        fetch: options.fetch,
        timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
        mostBytes: MOST_ANSWER_BYTES,
        retry,
        redirect: 'refused',
      },
    );
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    throw new PinError('pin.log_unavailable', `${shownAddress(url)} did not answer: ${error.message}`, {
      checked: shownAddress(url),
      cause: error,
    });
  }
  if (answer.isOk) return answer.body;
  const said = `${shownAddress(url)} answered HTTP ${answer.status}: ${peerReason(answer.body)}`;
  throw new PinError(isPassing(answer) ? 'pin.log_unavailable' : 'pin.log_refused', said, {
    checked: shownAddress(url),
  });
}

/** The error of an answer that is a success and makes no sense. */
export function senseless(url: string, expected: string): PinError {
  return new PinError('pin.log_refused', `${shownAddress(url)} did not answer with ${expected}`, {
    checked: shownAddress(url),
  });
}
