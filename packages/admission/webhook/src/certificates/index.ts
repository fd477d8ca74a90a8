export { type CertificateWish, type KeptCertificates, keepCertificates } from './keep-certificates.ts';
