import { DEFAULT_NEGATIVES_MAX_AGE_SECONDS, type NegativesSource } from '@colophon/admission';
import { underBase } from '@colophon/peer';
import { evidenceSubject } from '@colophon/records';

/** The list of standing rejections of the evidence store that stands beside an issuer: for policies that name none. */
export function negativesOfIssuer(issuer: string): NegativesSource {
  const signer = { issuer, subject: evidenceSubject(issuer) };
  return { from: underBase(issuer, '/negatives'), signer, maxAgeSeconds: DEFAULT_NEGATIVES_MAX_AGE_SECONDS };
}
