export { type Authority, createAuthority } from './authority/authority.ts';
export { AuthorityError } from './authority-error/authority-error.ts';
export type { KeyProof } from './ca/certificate-authority.ts';
export { entriesOfToken } from './log-verification/entries-of-token.ts';
export { verifyLogs } from './log-verification/log-verification.ts';
export { BODY_READERS } from './rekor-api/body-readers.ts';
export { StoredTokenLedger } from './token-ledger/stored-token-ledger.ts';
