import { RFC3161Timestamp } from '@sigstore/core';
import type { ParsedBundle } from '../bundle/parse-bundle.ts';
import type { Certificate } from '../certificate/certificate.ts';
import { VerificationError } from './verification-error.ts';

/** A time that somebody beside the signer vouches for. */
export type SignedTime =
  | { readonly by: 'log'; readonly time: Date; readonly entry: ParsedBundle['logEntries'][number] }
  | { readonly by: 'timestamp-authority'; readonly time: Date; readonly timestamp: RFC3161Timestamp };

/**
 * The times in a bundle: of log entries that come with a signed promise (without one, nobody vouches for the time),
 * and of timestamps. Their signatures are not verified here.
 * @throws VerificationError `timestamp.invalid` for a timestamp that cannot be read
 */
export function signedTimesOf({ logEntries, timestamps }: ParsedBundle): readonly SignedTime[] {
  const times: SignedTime[] = [];
  for (const entry of logEntries) {
    if (entry.inclusionPromise === undefined || entry.integratedTime === '0') continue;
    times.push({ by: 'log', time: new Date(Number(entry.integratedTime) * 1000), entry });
  }
  for (const bytes of timestamps) times.push(readTimestamp(bytes));
  return times;
}

function readTimestamp(bytes: Uint8Array): SignedTime {
  try {
    const timestamp = RFC3161Timestamp.parse(Buffer.from(bytes));
    const time = timestamp.signingTime;
    // RFC 3161 §2.4.2: 0 is granted, 1 granted with changes; anything else carries no timestamp.
    if ((timestamp.status === 0n || timestamp.status === 1n) && !Number.isNaN(time.getTime())) {
      return { by: 'timestamp-authority', time, timestamp };
    }
  } catch (error) {
    throw new VerificationError('timestamp.invalid', 'a timestamp in the bundle cannot be read', { cause: error });
  }
  throw new VerificationError('timestamp.invalid', 'a timestamp in the bundle was not granted');
}

/**
 * Holds when the certificate was valid at every one of the times.
 * @throws VerificationError `timestamp.missing`, `certificate.expired`, `timestamp.outside_certificate`
 */
export function assertValidAt(certificate: Certificate, times: readonly SignedTime[]): void {
  if (times.length === 0) {
    throw new VerificationError(
      'timestamp.missing',
      'nobody vouches for the time of signing: neither log nor timestamp',
    );
  }
  for (const { by, time } of times) {
    if (certificate.notBefore <= time && time <= certificate.notAfter) continue;
    const code = by === 'log' ? 'certificate.expired' : 'timestamp.outside_certificate';
    throw new VerificationError(code, 'the certificate was not valid at the time of signing', {
      expected: `${certificate.notBefore.toISOString()} to ${certificate.notAfter.toISOString()}`,
      found: time.toISOString(),
    });
  }
}
