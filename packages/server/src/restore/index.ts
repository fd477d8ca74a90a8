export { frozenFile, frozenLedgerFiles, ledgerLineage, ledgerRestores } from './ledger-lineage.ts';
export { restoreLedger } from './restore-ledger.ts';
