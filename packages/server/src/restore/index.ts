export { frozenFile, ledgerLineage, ledgerRestores } from './ledger-lineage.ts';
export { restoreLedger } from './restore-ledger.ts';
