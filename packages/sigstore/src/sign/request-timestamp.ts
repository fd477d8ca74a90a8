import { createHash } from 'node:crypto';
import type { PeerOptions } from '../peer/peer.ts';
import { ask } from './ask.ts';

/**
 * Has a timestamp authority vouch for the time of a signature.
 * @param tsaUrl its full address, or only its origin.
 * @returns the response of RFC 3161, which is not verified here.
 * @throws SigningError `signing.timestamp_unavailable`, `signing.timestamp_refused`
 */
export async function requestTimestamp(tsaUrl: string, signature: Buffer, options: PeerOptions): Promise<Buffer> {
  const url = new URL(tsaUrl).pathname === '/' ? new URL('/api/v1/timestamp', tsaUrl).href : tsaUrl;
  const artifactHash = createHash('sha256').update(signature).digest('base64');
  const answer = await ask('timestamp', url, { artifactHash, hashAlgorithm: 'sha256' }, options);
  return Buffer.from(answer.body);
}
