export { frozenFile, ledgerLineage } from './ledger-lineage.ts';
export { restoreLedger } from './restore-ledger.ts';
