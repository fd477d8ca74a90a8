export {
  type Authority,
  createAuthority,
  type EndedLog,
  type EndedLogs,
  type FrozenLogs,
  frozenCtPath,
  type RestoredLogs,
} from './authority/authority.ts';
export { AuthorityError } from './authority-error/authority-error.ts';
export type { KeyProof } from './ca/certificate-authority.ts';
export { logTrust } from './log-restore/log-trust.ts';
export { NextLogs, signedTree } from './log-restore/next-logs.ts';
export { entriesOfToken } from './log-verification/entries-of-token.ts';
export { verifyLogs } from './log-verification/log-verification.ts';
export { BODY_READERS } from './rekor-api/body-readers.ts';
export { StoredTokenLedger } from './token-ledger/stored-token-ledger.ts';
