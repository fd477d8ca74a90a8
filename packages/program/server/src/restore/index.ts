export { frozenFile, frozenLedgerFiles, ledgerLineage, ledgerRestores, removeFrozenDrafts } from './ledger-lineage.ts';
export { logsLineage, logsRestores, openFrozenLogs } from './logs-lineage.ts';
export { restoreLedger } from './restore-ledger.ts';
export { restoreLogs } from './restore-logs.ts';
