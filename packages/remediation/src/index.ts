export { newestCatalog, openCatalog } from './catalog-refresh/kept-catalog.ts';
export { type CatalogRefresh, refreshCatalog } from './catalog-refresh/refresh-catalog.ts';
export type { ClosingFiles } from './desk/closing.ts';
export type { EvidenceFile } from './desk/evidence.ts';
export { partialScans } from './desk/partial-scans.ts';
export { type OpenRequest, type RecordSigner, RemediationDesk, signedBytes } from './desk/remediation-desk.ts';
export { countAgain } from './recount/count-again.ts';
export { detailsOf, keptRecords, MOST_RECORDS_BYTES, parsedPeriod, parseRecords } from './recount/report-records.ts';
export { assertSignedFolder, verifyReportSignatures } from './recount/report-signatures.ts';
export {
  type SignedClosings,
  type SignedStatement,
  verifyClosings,
  verifyStatements,
} from './recount/statement-signatures.ts';
export { auditReport } from './report-audit/report-audit.ts';
export { openReportFolder, type ReportFolder } from './report-folder/read-report-folder.ts';
export { assertFreeFolder, type FolderDraft, writeReportFolder } from './report-folder/report-folder.ts';
export type { Job, JobRun } from './schedule/job.ts';
export { kevRefreshJob } from './schedule/kev-refresh-job.ts';
export { rescanJob } from './schedule/rescan-job.ts';
export { rescanPublication } from './schedule/rescan-publication.ts';
export { type ScheduleEvent, Scheduler } from './schedule/scheduler.ts';
