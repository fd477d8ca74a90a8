import type { EvidenceExplanation } from '@colophon/gate';

type LogEntry = EvidenceExplanation['log_entries'][number];

/**
 * Whether anything verifies that names the artifact: a signature, or a log entry of a certificate that the trusted root
 * vouches for. Anybody can have an entry logged about any digest, and attach a statement about something else.
 */
export function isSupported({
  signatures,
  log_entries: logged,
}: Pick<EvidenceExplanation, 'signatures' | 'log_entries'>): boolean {
  return (
    signatures.some(({ about }) => about === 'subject') ||
    logged.some((entry) => isOfArtifact(entry) && entry.signers.some(({ trusted }) => trusted))
  );
}

/**
 * Whether an entry itself has the digest of what was signed, which was held against the artifact's. Of an envelope the log
 * keeps the hash alone: that it is about the artifact, and what it says of it, is the word of the log's index, which nobody
 * signs.
 */
export function isOfArtifact({ kind }: Pick<LogEntry, 'kind'>): boolean {
  return kind === 'hashedrekord';
}
