// What reads certificates out of others' logs needs beside the library's main entry.
export {
  type CertificateFields,
  parseCertificate,
  parseTbsCertificate,
  subjectAlternativeNames,
} from './certificate/certificate.ts';
export { claimsUnder, fulcioExtension } from './certificate/claim-mapping.ts';
