import { oneLine } from '@colophon/peer';
import type { ServiceOptions } from '../service/ask-service.ts';
import { ask, invalidAnswer, refusedBy } from '../sign/ask.ts';
import { createTimestampQuery } from './timestamp-query.ts';
import { readTimestampReply } from './timestamp-reply.ts';

const MEDIA = { contentType: 'application/timestamp-query', accept: 'application/timestamp-reply' };

/**
 * Has a timestamp authority vouch for the time of a signature, in the protocol that every authority speaks.
 * @param tsaUrl the address to which queries are sent, as signing configs and cosign give it.
 * @returns the DER of its response: granted, over this signature, with our nonce. Its signature is not verified here.
 * @throws SigningError `signing.timestamp_unavailable`, `signing.timestamp_refused`, `signing.timestamp_answer_invalid`
 * @see RFC 3161 §3.4
 */
export async function requestTimestamp(tsaUrl: string, signature: Buffer, options: ServiceOptions): Promise<Buffer> {
  const query = createTimestampQuery(signature);
  const send = (url: string, accepts: readonly number[]) =>
    ask('timestamp', url, query.bytes, options, { accepts, media: MEDIA });
  let url = tsaUrl;
  // sigstore-js names a timestamp-server by its origin; DigiCert's authority answers at its own.
  const isOrigin = new URL(tsaUrl).pathname === '/';
  let answer = await send(url, isOrigin ? [404, 405] : []);
  if (!answer.isOk) {
    url = new URL('/api/v1/timestamp', tsaUrl).href;
    answer = await send(url, []);
  }
  const reply = readTimestampReply(answer.body, query);
  if (reply.is === 'granted') return Buffer.from(answer.body);
  if (reply.is === 'invalid') throw invalidAnswer('timestamp', url, reply.reason);
  const reason = oneLine(reply.reason) || 'no reason given';
  const { status, attempts } = answer;
  throw refusedBy('timestamp', url, reason, { isDown: reply.is === 'out of order', status, attempts });
}
