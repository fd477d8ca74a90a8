export { frozenFile, type LedgerRestore, ledgerLineage } from './ledger-lineage.ts';
export { type RestoredAs, restoreLedger } from './restore-ledger.ts';
