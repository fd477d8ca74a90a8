export { createIssuer, type Issuer } from './issuer/issuer.ts';
export { exportLedger } from './ledger/ledger-export.ts';
export { ledgerOrigin } from './ledger/ledger-origin.ts';
export { verifyLedger } from './ledger/ledger-verify.ts';
