export { type AgentName, AgentNameStore, type StoredAgentName } from './agent-name-store/agent-name-store.ts';
export {
  type ApiKeyRow,
  type CallerChange,
  CallerStore,
} from './caller-store/caller-store.ts';
export { type CatalogEntry, CatalogStore } from './catalog-store/catalog-store.ts';
export { type CtEntryRow, CtEntryStore } from './ct-entry-store/ct-entry-store.ts';
export { Database } from './database/database.ts';
export { openDatabase } from './database/open-database.ts';
export { DocumentStore, type StoredDocument } from './document-store/document-store.ts';
export { evidenceOfToken } from './evidence-store/evidence-of-token.ts';
export {
  type DecidedImageColumns,
  type DecisionList,
  EVIDENCE_KINDS,
  type EvidenceArtifact,
  type EvidenceCommit,
  type EvidenceDecision,
  type EvidenceEntry,
  type EvidenceKind,
  type NewDecision,
  type NewEvidence,
  type NewReceipt,
  type ReviewColumns,
  type RunColumns,
} from './evidence-store/evidence-record.ts';
export {
  type EntrySet,
  EVIDENCE_SETS,
  type EvidenceColumn,
  type EvidenceFilter,
  type EvidenceOperator,
  type EvidenceQuestion,
  type EvidenceSet,
} from './evidence-store/evidence-select.ts';
export { EvidenceStore } from './evidence-store/evidence-store.ts';
export { newestOfIssuers } from './evidence-store/newest-of-issuers.ts';
export { type JobLease, type JobRow, JobStore } from './job-store/job-store.ts';
export { findToken } from './ledger/find-token.ts';
export type { FoundToken, LedgerStorage, LedgerTail, NewToken, TokenUse } from './ledger/ledger-storage.ts';
export { SqliteLedger } from './ledger/sqlite-ledger.ts';
export {
  type ErasureRow,
  type LaterErasure,
  type LedgerRow,
  LedgerStore,
  type NewLedgerRow,
  type RawLedgerRow,
} from './ledger-store/ledger-store.ts';
export {
  type IndexedLogEntry,
  type LogEntryRow,
  LogEntryStore,
  logKeysDigest,
} from './log-entry-store/log-entry-store.ts';
export { MerkleLogStore, type TreeHead, type TreeName } from './merkle-log-store/merkle-log-store.ts';
export { TreeCheck } from './merkle-log-store/tree-check.ts';
export { TreeKeyStore } from './merkle-log-store/tree-key-store.ts';
export { type RemediationNames, type RemediationRow, RemediationStore } from './remediation-store/remediation-store.ts';
export { type ReviewWordEntry, type ReviewWordKind, ReviewWordStore } from './review-word-store/review-word-store.ts';
export { openSqlDatabase } from './sql-database/open-sql-database.ts';
export { hasPassword, isPostgresqlAddress } from './sql-database/postgresql-address.ts';
export type { SqlDatabase } from './sql-database/sql-database.ts';
export { StoreError } from './store-error/store-error.ts';
export { copyLedger, copyLogs, emptyLedger, emptyLogs } from './tree-restore/frozen-copy.ts';
export { TreeRestoreStore } from './tree-restore/tree-restore-store.ts';
export { UsedTokenStore } from './used-token-store/used-token-store.ts';
