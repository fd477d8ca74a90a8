export { issuanceRecords } from './ledger/issuance-record-result.ts';
export { type LedgerResult, ledgerResult } from './ledger/ledger-result.ts';
