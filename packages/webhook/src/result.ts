export { type CertificatesResult, certificatesResult } from './certificates/certificates-result.ts';
