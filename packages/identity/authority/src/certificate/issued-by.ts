import type { X509Certificate } from 'node:crypto';

/** Whether `issuer` is a CA, has the name and the key that the certificate says, and signed it; times are not looked at. */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    return false;
  }
}
