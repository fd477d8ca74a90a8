import type { AuthorityTrust, RestoredLogs } from '../authority/authority.ts';
import { hasCaCertificates, openCaCertificates } from '../ca/ca-certificates.ts';

/**
 * What a verifier must know of logs that were begun while no authority runs; undefined where the folder has no certificate authority.
 * @throws AuthorityError `authority.ca_certificate_mismatch`; KeyError
 */
export function logTrust({
  dataDir,
  logSpki,
  ctSpki,
  logs,
}: {
  readonly dataDir: string;
  /** SubjectPublicKeyInfo, DER. */
  readonly logSpki: Uint8Array;
  /** SubjectPublicKeyInfo, DER. */
  readonly ctSpki: Uint8Array;
  readonly logs: RestoredLogs;
}): Omit<AuthorityTrust, 'baseUrl' | 'rekorBaseUrl' | 'rekorOrigin'> | undefined {
  if (!hasCaCertificates(dataDir)) return undefined;
  const { chainPem, validFrom } = openCaCertificates(dataDir, { now: () => new Date() });
  return {
    caCertificates: chainPem,
    rekorPublicKey: logSpki,
    ctPublicKey: ctSpki,
    validFrom,
    logsValidFrom: logs.validFrom,
    endedLogs: logs.ended,
  };
}
