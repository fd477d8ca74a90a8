export type { CertificatesResult } from './certificates/certificates-result.ts';
