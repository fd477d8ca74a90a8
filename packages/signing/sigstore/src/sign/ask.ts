import { isJsonObject, type JsonObject, parseStrictJson } from '@colophon/json';
import { type FinalAnswer, type PeerAnswer, peerReason, shownAddress } from '@colophon/peer';
import { askService, type ServiceMedia, type ServiceOptions, silenceOf } from '../service/ask-service.ts';
import { SigningError, type SigningErrorCode } from './signing-error.ts';

/** Whom we ask while signing; names the codes of what can go wrong. */
export type SigningPeer = 'ca' | 'log' | 'timestamp';

const NAMES: Readonly<Record<SigningPeer, string>> = {
  ca: 'the certificate authority',
  log: 'the transparency log',
  timestamp: 'the timestamp authority',
};

/**
 * Asks a peer, and turns everything but success into a SigningError with its URL and status.
 * @param how `accepts`: statuses that the caller deals with, beside 2xx. `media`: JSON where absent.
 * @throws SigningError `signing.<peer>_unavailable` (no answer, 429, 5xx), `signing.<peer>_refused`
 */
export async function ask(
  peer: SigningPeer,
  url: string,
  body: unknown,
  options: ServiceOptions,
  { accepts = [], media }: { readonly accepts?: readonly number[]; readonly media?: ServiceMedia } = {},
): Promise<FinalAnswer> {
  let answer: FinalAnswer;
  try {
    answer = await askService(url, body, options, media);
  } catch (error) {
    throw new SigningError(
      `signing.${peer}_unavailable`,
      `${NAMES[peer]} cannot be reached: ${silenceOf(url, error)}`,
      { url: shownAddress(url) },
    );
  }
  if (answer.isOk || accepts.includes(answer.status)) return answer;
  const isDown = answer.status >= 500 || answer.status === 429 || answer.status === 408;
  throw refusedBy(peer, url, peerReason(answer.body), { isDown, status: answer.status, attempts: answer.attempts });
}

/**
 * What is thrown when a peer answers, but does not do what it was asked.
 * @param reason the peer's own words, fit to be shown.
 * @returns SigningError `signing.<peer>_unavailable` where it is down, `signing.<peer>_refused`
 */
export function refusedBy(
  peer: SigningPeer,
  url: string,
  reason: string,
  { isDown, status, attempts }: { readonly isDown: boolean; readonly status: number; readonly attempts: number },
): SigningError {
  const code: SigningErrorCode = isDown ? `signing.${peer}_unavailable` : `signing.${peer}_refused`;
  const said = `${isDown ? 'is out of order' : 'refused'} (${shownAddress(url)}, ${status})`;
  const details = { url: shownAddress(url), status, attempts };
  return new SigningError(code, `${NAMES[peer]} ${said}: ${reason}`, details);
}

/** The JSON object in an answer. @throws SigningError `signing.<peer>_answer_invalid` */
export function jsonOf(peer: SigningPeer, url: string, answer: PeerAnswer): JsonObject {
  const parsed = parseStrictJson(answer.body, { maxBytes: answer.body.length, maxDepth: 32 });
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw invalidAnswer(peer, url, 'no JSON object');
}

export function invalidAnswer(peer: SigningPeer, url: string, reason: string, cause?: unknown): SigningError {
  return new SigningError(`signing.${peer}_answer_invalid`, `${NAMES[peer]} answered with something else: ${reason}`, {
    url: shownAddress(url),
    cause,
  });
}
