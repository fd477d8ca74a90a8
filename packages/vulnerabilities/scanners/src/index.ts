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
export { ScannerError } from './scanner-error/scanner-error.ts';
export { MAX_OUTPUT_BYTES } from './scanner-output/output-document.ts';
export { readScannerOutput } from './scanner-output/read-scanner-output.ts';
