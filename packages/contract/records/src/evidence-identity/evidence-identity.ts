/** A certificate identity of this form is an evidence store's, which signs the list of standing negatives. */
export const EVIDENCE_PREFIX = 'evidence:';

/**
 * `evidence:<host>`, with the port where the URL has one: the identity of the evidence store that belongs to an issuer.
 * @throws TypeError for what is no URL
 */
export function evidenceSubject(issuerUrl: string): string {
  return `${EVIDENCE_PREFIX}${new URL(issuerUrl).host}`;
}
