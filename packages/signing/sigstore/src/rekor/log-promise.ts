import { verify } from 'node:crypto';
import { canonicalJson } from '@colophon/json';
import type { TransparencyLogEntry } from '@sigstore/protobuf-specs';
import type { TrustedLog } from '../trusted-root/trust-material.ts';

/** Whether the log signed its promise to include this body, at this index and time (Rekor v1's signed entry timestamp). */
export function isPromised(entry: TransparencyLogEntry, log: TrustedLog): boolean {
  const promise = canonicalJson({
    body: entry.canonicalizedBody.toString('base64'),
    integratedTime: Number(entry.integratedTime),
    logIndex: Number(entry.logIndex),
    logID: entry.logId?.keyId.toString('hex') ?? '',
  });
  const algorithm = log.publicKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  return verify(algorithm, promise, log.publicKey, entry.inclusionPromise?.signedEntryTimestamp ?? Buffer.alloc(0));
}
