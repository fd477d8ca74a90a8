export { DashboardClient, type DashboardProject } from './dashboard/dashboard-client.ts';
export {
  type DashboardFinding,
  isAtLeast,
  SEVERITIES,
  type Severity as DashboardSeverity,
} from './dashboard/dashboard-finding.ts';
export { decideUploadVersion, type UploadVersion } from './dashboard/dashboard-version.ts';
export { FeedsError } from './feeds-error/feeds-error.ts';
export { type MadeDocument, makeDocument } from './generator/make-document.ts';
export { parseTarget } from './generator/target.ts';
export { currentPublications } from './publication/current-publications.ts';
export { type FetchedPublication, fetchPublication } from './publication/fetch-publication.ts';
export { assertLatest } from './publication/latest-check.ts';
export { type PublishedSignature, type PublishResult, publish } from './publication/publish.ts';
export { checkRetention, type Restored, type RetentionReport, restore, unpublish } from './publication/retention.ts';
export { openSource, openTarget, type PlaceOptions } from './publishing-target/open-target.ts';
export type { PublishingSource } from './publishing-target/publishing-target.ts';
export {
  looksLikeFindings,
  type OpenedScanFile,
  openScanBytes,
  readScanDocument,
  type ScanFile,
  type ScanFileFacts,
  type ScanStranger,
} from './scan-file/scan-file.ts';
export { type KnownSbom, scannedSbom } from './scan-file/scanned-sbom.ts';
export {
  installedScanners,
  requireScanner,
  runScanner,
  type ScannerRequest,
  type ScannerRun,
} from './scanner/run-scanner.ts';
export type { ScanTarget } from './scanner/scan-target.ts';
export { SCANNER_NAMES, type ScannerName } from './scanner/scanners.ts';
export { MAX_OUTPUT_BYTES } from './scanner-output/output-document.ts';
export { readScannerOutput } from './scanner-output/read-scanner-output.ts';
