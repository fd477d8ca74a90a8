export { createIssuer, type Issuer } from './issuer/issuer.ts';
export type { WrittenRecords } from './ledger/issuance-record-result.ts';
export { exportLedger } from './ledger/ledger-export.ts';
export { ledgerOrigin } from './ledger/ledger-origin.ts';
export { verifyLedger } from './ledger/ledger-verify.ts';
