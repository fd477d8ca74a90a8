import { DER_TAG, type DerElement, readDerElements, readDerSequence, readUtf8 } from '@colophon/encoding';
import { RFC3161Timestamp } from '@sigstore/core';
import type { TimestampQuery } from './timestamp-query.ts';

/** A response with a chain of certificates has a few thousand bytes. */
export const MOST_REPLY_BYTES = 64 * 1024;

/** PKIStatus of answers with a timestamp: granted, and granted with changes. @see RFC 3161 §2.4.2 */
const GRANTED = [0, 1];

/** The bits of PKIFailureInfo. @see RFC 3161 §2.4.2 */
const FAILURES: ReadonlyMap<number, string> = new Map([
  [0, 'badAlg'],
  [2, 'badRequest'],
  [5, 'badDataFormat'],
  [14, 'timeNotAvailable'],
  [15, 'unacceptedPolicy'],
  [16, 'unacceptedExtension'],
  [17, 'addInfoNotAvailable'],
  [25, 'systemFailure'],
]);
/** With these the authority itself is out of order. */
const OUT_OF_ORDER = ['timeNotAvailable', 'systemFailure'];

/** What an authority said: that it timed exactly what was asked, or why it did not. */
export type TimestampReply =
  | { readonly is: 'granted' }
  /** `reason` is the authority's own text: it may hold anything. */
  | { readonly is: 'refused' | 'out of order'; readonly reason: string }
  | { readonly is: 'invalid'; readonly reason: string };

/**
 * Reads a TimeStampResp: granted, over the digest and with the nonce of the query. Whose signature it has is not
 * looked at here.
 * @see RFC 3161 §2.4.2
 */
export function readTimestampReply(bytes: Uint8Array, query: TimestampQuery): TimestampReply {
  if (bytes.length > MOST_REPLY_BYTES) return invalid('it is too long');
  try {
    const [info] = readDerSequence(bytes);
    if (info === undefined) return invalid('it has no status');
    const [status, ...reasons] = readDerSequence(info.bytes);
    if (status?.tag !== DER_TAG.integer) return invalid('it has no status');
    if (!GRANTED.includes(Buffer.from(status.content).readIntBE(0, status.content.length))) return refusal(reasons);
    return readToken(bytes, query);
  } catch {
    // The library throws whatever comes up when it meets another shape.
    return invalid('it is no RFC 3161 response');
  }
}

function readToken(bytes: Uint8Array, { digest, nonce }: TimestampQuery): TimestampReply {
  const { tstInfo, signingTime } = RFC3161Timestamp.parse(Buffer.from(bytes));
  const isOurs = tstInfo.messageImprintHashAlgorithm === 'sha256' && digest.equals(tstInfo.messageImprintHashedMessage);
  if (!isOurs) return invalid('it is about something else than the signature');
  // Of what may follow the time, only the nonce is an INTEGER.
  const found = readDerSequence(tstInfo.raw)
    .slice(5)
    .find(({ tag }) => tag === DER_TAG.integer);
  if (found === undefined || !nonce.equals(found.bytes)) return invalid('its nonce is not the one that was sent');
  if (Number.isNaN(signingTime.getTime())) return invalid('its time cannot be read');
  return { is: 'granted' };
}

/** PKIFreeText and PKIFailureInfo, both of which may be left out. */
function refusal(reasons: readonly DerElement[]): TimestampReply {
  const texts = reasons
    .filter(({ tag }) => tag === DER_TAG.sequence)
    .flatMap(({ content }) => readDerElements(content));
  const bits = reasons.find(({ tag }) => tag === DER_TAG.bitString)?.content.subarray(1) ?? [];
  const failures = [...FAILURES].filter(([bit]) => ((bits[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0);
  const names = failures.map(([, name]) => name);
  const reason = [...names, ...texts.map(({ content }) => readUtf8(content))].join(': ');
  return { is: names.some((name) => OUT_OF_ORDER.includes(name)) ? 'out of order' : 'refused', reason };
}

function invalid(reason: string): TimestampReply {
  return { is: 'invalid', reason };
}
