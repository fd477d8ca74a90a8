export { AGENT_NAME_CACHE_SIZE, type AgentName, AgentNameStore } from './agent-name-store/agent-name-store.ts';
export { type CatalogEntry, CatalogStore } from './catalog-store/catalog-store.ts';
export { type CtEntryRow, CtEntryStore } from './ct-entry-store/ct-entry-store.ts';
export { Database, type Migrations } from './database/database.ts';
export { openDatabase } from './database/open-database.ts';
export {
  DOCUMENT_KINDS,
  type DocumentEntry,
  type DocumentKind,
  DocumentStore,
  type StoredDocument,
} from './document-store/document-store.ts';
export type {
  EvidenceArtifact,
  EvidenceCommit,
  EvidenceEntry,
  EvidenceKind,
  NewEvidence,
  ReviewColumns,
  RunColumns,
} from './evidence-store/evidence-record.ts';
export {
  type EntrySet,
  EVIDENCE_COLUMNS,
  type EvidenceColumn,
  type EvidenceFilter,
  type EvidenceOperator,
  type EvidenceQuestion,
  type EvidenceSet,
} from './evidence-store/evidence-select.ts';
export { type CompileMatcher, type EvidenceRules, EvidenceStore } from './evidence-store/evidence-store.ts';
export { JOB_OUTCOMES, type JobLease, type JobOutcome, type JobRow, JobStore } from './job-store/job-store.ts';
export { type LedgerRow, LedgerStore, type NewLedgerRow } from './ledger-store/ledger-store.ts';
export { type FoundEntry, type LogEntryRow, LogEntryStore } from './log-entry-store/log-entry-store.ts';
export { MerkleLogStore, type TreeHead, type TreeName } from './merkle-log-store/merkle-log-store.ts';
export { TreeKeyStore } from './merkle-log-store/tree-key-store.ts';
export {
  type RemediationFilter,
  type RemediationNames,
  type RemediationRow,
  RemediationStore,
} from './remediation-store/remediation-store.ts';
export { type ReviewWordEntry, type ReviewWordKind, ReviewWordStore } from './review-word-store/review-word-store.ts';
export { openSqlDatabase } from './sql-database/open-sql-database.ts';
export { hasPassword, isPostgresqlAddress, publicAddress } from './sql-database/postgresql-address.ts';
export type { SqlDatabase, SqlRow, SqlStatement, SqlValue } from './sql-database/sql-database.ts';
export { StoreError, type StoreErrorCode } from './store-error/store-error.ts';
export { UsedTokenStore } from './used-token-store/used-token-store.ts';
