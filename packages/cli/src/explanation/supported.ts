import type { EvidenceExplanation } from '@colophon/gate';

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
    logged.some(({ signers }) => signers.some(({ trusted }) => trusted))
  );
}
