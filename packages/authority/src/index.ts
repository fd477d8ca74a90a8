export {
  type Authority,
  type AuthorityOptions,
  type AuthorityTrust,
  createAuthority,
  DEFAULT_AUDIENCE,
} from './authority/authority.ts';
export { AuthorityError, type AuthorityErrorCode } from './authority-error/authority-error.ts';
export { CERTIFICATE_LIFETIME_SECONDS, type IssuedCertificate, type KeyProof } from './ca/certificate-authority.ts';
export { type LogReport, verifyLogs } from './log-verification/log-verification.ts';
export { BODY_READERS, type ReadBody } from './rekor-api/body-readers.ts';
export { type LogEntry, LogEntryExists } from './transparency-log/transparency-log.ts';
