import type { ParsedBundle } from '../bundle/parse-bundle.ts';
import type { PinnedRoot, TrustedLog } from '../trusted-root/trust-material.ts';
import { assertEntryKind } from './entry-kind.ts';
import { readLogEntryBody } from './log-entry-body.ts';
import { assertIncluded, assertLeadsToRoot } from './log-inclusion.ts';
import type { SignedContent } from './signed-content.ts';
import { logTimesOf, type SignedTime } from './signed-time.ts';
import { VerificationError } from './verification-error.ts';

type LogEntry = ParsedBundle['logEntries'][number];

/**
 * Holds when an entry is about exactly this signature, this content and this signer, and of a kind for such content. A
 * proof that something is in the log says nothing unless it is the same thing in every part.
 * @param verifier DER of the certificate, or of the public key, that made the signature.
 * @throws VerificationError `log_entry.malformed`, `log_entry.kind_mismatch`, `log_entry.mismatch`
 */
export function assertEntryMatches(entry: LogEntry, content: SignedContent, verifier: Uint8Array): void {
  const { kind, version } = entry.kindVersion ?? { kind: '', version: '' };
  const body = readLogEntryBody(`${kind}/${version}`, entry.canonicalizedBody);
  assertEntryKind(`${kind}/${version}`, content.envelope === undefined ? 'message' : 'envelope');
  const digest = body.digestOf === 'signed' ? content.signedDigest : content.envelope?.payloadDigest;
  if (!body.signature.equals(content.signature)) throw mismatch('another signature');
  if (digest === undefined || !body.digest.equals(digest)) throw mismatch('another content');
  if (!body.verifier.equals(verifier)) throw mismatch('another certificate or key');
}

/**
 * The pinned log that an entry names, in force at all of the times.
 * @throws VerificationError `log_entry.untrusted_log`
 */
export function logOfEntry(entry: LogEntry, root: PinnedRoot, times: readonly SignedTime[]): TrustedLog {
  const logId = entry.logId?.keyId ?? Buffer.alloc(0);
  const logs = root.logs.filter((log) => Buffer.compare(log.logId, logId) === 0);
  const inForce = logs.find(({ validFrom, validUntil }) =>
    times.every(({ time }) => validFrom <= time && time <= validUntil),
  );
  if (inForce !== undefined) return inForce;
  const reason = logs.length === 0 ? 'is not in the trusted root' : 'was not in force at that time';
  throw new VerificationError('log_entry.untrusted_log', `the log of the entry ${reason}`, {
    found: logId.toString('hex'),
  });
}

/**
 * The entries of pinned logs, each with its log. One of another log is left aside: who could add it to the bundle could
 * as well have left it out.
 * @param timestamps at which, beside the entry's own time, the log must have been in force.
 * @throws VerificationError `log_entry.untrusted_log` where there are entries and all of them are of other logs
 */
export function entriesOfPinnedLogs(
  entries: readonly LogEntry[],
  root: PinnedRoot,
  timestamps: readonly SignedTime[],
): readonly { readonly entry: LogEntry; readonly log: TrustedLog }[] {
  const pinned: { entry: LogEntry; log: TrustedLog }[] = [];
  let refusal: unknown;
  for (const entry of entries) {
    try {
      pinned.push({ entry, log: logOfEntry(entry, root, [...logTimesOf([entry]), ...timestamps]) });
    } catch (error) {
      refusal ??= error;
    }
  }
  if (pinned.length === 0 && refusal !== undefined) throw refusal;
  return pinned;
}

/**
 * Holds when the entry is in the log by proof (versions 0.2 and 0.3), or by the log's promise (0.1, whose proofs need
 * no checkpoint).
 * @param requiresProof whether the promise of 0.1 is too little.
 * @returns the entry as it may be handed on: without a proof that proves nothing.
 * @throws VerificationError `log_entry.inclusion_proof_missing`, `log_entry.set_missing`, and those of assertIncluded
 */
export function assertLogged(
  entry: LogEntry,
  log: TrustedLog,
  version: ParsedBundle['version'],
  requiresProof = false,
): LogEntry {
  const { inclusionProof, inclusionPromise } = entry;
  if (version === '0.1') {
    if (inclusionPromise === undefined) {
      throw new VerificationError('log_entry.set_missing', 'the log entry has no signed promise');
    }
    if (inclusionProof?.checkpoint === undefined && !requiresProof) {
      // Nobody vouches for its root, so it proves nothing; one that contradicts itself was put together by somebody.
      if (inclusionProof !== undefined) assertLeadsToRoot(entry.canonicalizedBody, inclusionProof);
      return { ...entry, inclusionProof: undefined };
    }
  }
  if (inclusionProof?.checkpoint === undefined) {
    throw new VerificationError('log_entry.inclusion_proof_missing', 'the log entry has no proof with a checkpoint');
  }
  // The promise covers the index; where there is none, only the proof's own index is vouched for.
  if (inclusionPromise === undefined && entry.logIndex !== inclusionProof.logIndex) {
    throw mismatch('another index than its proof');
  }
  assertIncluded(entry.canonicalizedBody, inclusionProof, log);
  return entry;
}

/**
 * Holds when as many different logs as demanded have the signature. One log twice is one log.
 * @throws VerificationError `log_entry.missing`, `log_entry.duplicate`
 */
export function assertEnoughLogs(entries: readonly LogEntry[], atLeast: number): void {
  const bodies = new Set(
    entries.map(({ logId, canonicalizedBody }) => `${hex(logId?.keyId)} ${hex(canonicalizedBody)}`),
  );
  if (bodies.size < entries.length) {
    throw new VerificationError('log_entry.duplicate', 'the bundle holds one log entry several times');
  }
  const logs = new Set(entries.map(({ logId }) => hex(logId?.keyId)));
  if (logs.size >= atLeast) return;
  throw new VerificationError('log_entry.missing', 'the signature is not in as many logs as it must be', {
    expected: `${atLeast}`,
    found: `${logs.size}`,
  });
}

function hex(bytes: Buffer | undefined): string {
  return bytes?.toString('hex') ?? '';
}

function mismatch(what: string): VerificationError {
  return new VerificationError('log_entry.mismatch', `the log entry is about ${what}`);
}
