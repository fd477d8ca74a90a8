import { createPublicKey, type KeyObject } from 'node:crypto';
import { RFC3161Timestamp } from '@sigstore/core';
import type { ParsedBundle } from '../bundle/parse-bundle.ts';
import type { Certificate } from '../certificate/certificate.ts';
import type { PinnedRoot, TrustMaterial } from '../trusted-root/trust-material.ts';
import { VerificationError } from './verification-error.ts';

/** A time that somebody beside the signer vouches for. */
export type SignedTime =
  | { readonly by: 'log'; readonly time: Date; readonly entry: ParsedBundle['logEntries'][number] }
  | { readonly by: 'timestamp-authority'; readonly time: Date; readonly timestamp: RFC3161Timestamp };

/** The times of log entries that come with a signed promise; without one, nobody vouches for the time. */
export function logTimesOf(entries: ParsedBundle['logEntries']): readonly SignedTime[] {
  return entries
    .filter(({ inclusionPromise, integratedTime }) => inclusionPromise !== undefined && integratedTime !== '0')
    .map((entry) => ({ by: 'log', time: new Date(Number(entry.integratedTime) * 1000), entry }));
}

/**
 * The timestamps that a pinned authority made of this signature. Any other is left aside, whatever is wrong with it:
 * who could add it to the bundle could as well have left it out, and an authority that it names did not say so.
 */
export function timestampsOf(
  { timestamps }: ParsedBundle,
  signature: Buffer,
  { library: { timestampAuthorities } }: PinnedRoot,
): readonly SignedTime[] {
  return timestamps.flatMap((bytes) => {
    const timestamp = readTimestamp(bytes);
    const isPinned = timestampAuthorities.some((authority) => timestamp && isMadeBy(authority, timestamp, signature));
    return timestamp && isPinned
      ? [{ by: 'timestamp-authority', time: timestamp.signingTime, timestamp } as const]
      : [];
  });
}

/** Every time that a bundle says, whoever says it: for its maker, who may have no roots to verify it with. */
export function statedTimesOf({ logEntries, timestamps }: ParsedBundle): readonly SignedTime[] {
  const stamped = timestamps.flatMap((bytes) => readTimestamp(bytes) ?? []);
  return [
    ...logTimesOf(logEntries),
    ...stamped.map((timestamp) => ({ by: 'timestamp-authority', time: timestamp.signingTime, timestamp }) as const),
  ];
}

/** What a timestamp says, and whether an authority of any root made it over this signature. */
export function timestampTime(
  bytes: Uint8Array,
  signature: Buffer,
  { roots }: TrustMaterial,
): { readonly time: Date | undefined; readonly isPinned: boolean } {
  const timestamp = readTimestamp(bytes);
  const authorities = roots.flatMap(({ library }) => library.timestampAuthorities);
  const isPinned = timestamp !== undefined && authorities.some((one) => isMadeBy(one, timestamp, signature));
  return { time: timestamp?.signingTime, isPinned };
}

function readTimestamp(bytes: Uint8Array): RFC3161Timestamp | undefined {
  try {
    const timestamp = RFC3161Timestamp.parse(Buffer.from(bytes));
    // RFC 3161 §2.4.2: 0 is granted, 1 granted with changes; anything else carries no timestamp.
    return timestamp.status === 0n || timestamp.status === 1n ? verifiedOnce(timestamp) : undefined;
  } catch {
    return undefined;
  }
}

/** Remembers what it was verified for: the library asks again, by the same key over the same signature. */
function verifiedOnce(timestamp: RFC3161Timestamp): RFC3161Timestamp {
  const verify = timestamp.verify.bind(timestamp);
  let held: { readonly signature: Buffer; readonly key: KeyObject } | undefined;
  timestamp.verify = (signature, key) => {
    if (held?.key.equals(key) && held.signature.equals(signature)) return;
    verify(signature, key);
    held = { signature: Buffer.from(signature), key };
  };
  return timestamp;
}

/** Its signature comes first: until it holds, the time is anybody's claim. */
function isMadeBy(
  { certChain, validFor }: PinnedRoot['library']['timestampAuthorities'][number],
  timestamp: RFC3161Timestamp,
  signature: Buffer,
): boolean {
  const [signer] = certChain;
  try {
    const isNamed =
      signer?.serialNumber.equals(timestamp.signerSerialNumber) && signer.issuer.equals(timestamp.signerIssuer);
    if (signer === undefined || !isNamed) return false;
    timestamp.verify(signature, createPublicKey({ key: signer.publicKey, format: 'der', type: 'spki' }));
    const time = timestamp.signingTime;
    return validFor.start <= time && time <= validFor.end && certChain.every((one) => one.validForDate(time));
  } catch {
    return false;
  }
}

/**
 * Holds when the certificate was valid at every one of the times.
 * @throws VerificationError `timestamp.missing`, `certificate.expired`, `timestamp.outside_certificate`
 */
export function assertValidAt(certificate: Certificate, times: readonly SignedTime[]): void {
  if (times.length === 0) {
    throw new VerificationError(
      'timestamp.missing',
      'the time of signing is not confirmed, neither by a log nor by a timestamp',
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
