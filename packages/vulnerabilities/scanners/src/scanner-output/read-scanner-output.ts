import type { ScannerReading } from '@colophon/findings';
import type { ParseResult } from '@colophon/json';
import { cargoAuditOutput } from './cargo-audit-output.ts';
import { cycloneDxOutput } from './cyclonedx-output.ts';
import { dependencyTrackOutput } from './dependency-track-output.ts';
import { emptyListOutput } from './empty-list-output.ts';
import { refuseUnknown } from './foreign-format.ts';
import { govulncheckLegacyOutput, govulncheckOutput, govulncheckSarifOutput } from './govulncheck-output.ts';
import { grypeOutput } from './grype-output.ts';
import { npmAuditOutput, npmReportOutput } from './npm-audit-output.ts';
import { osvScannerOutput } from './osv-scanner-output.ts';
import { parseOutputDocument } from './output-document.ts';
import type { OutputFormat } from './output-format.ts';
import { pipAuditOutput } from './pip-audit-output.ts';
import { snykIssuesOutput } from './snyk-issues-output.ts';
import { snykOutput } from './snyk-output.ts';
import { trivyOperatorOutput } from './trivy-operator-output.ts';
import { trivyClusterOutput, trivyLegacyOutput, trivyOutput } from './trivy-output.ts';
import { yarnAuditOutput, yarnReportOutput } from './yarn-audit-output.ts';

/** Every shape that is read. No document looks like two of them. */
export const OUTPUT_FORMATS: readonly OutputFormat[] = [
  grypeOutput,
  trivyOutput,
  trivyClusterOutput,
  trivyLegacyOutput,
  trivyOperatorOutput,
  osvScannerOutput,
  npmReportOutput,
  npmAuditOutput,
  yarnAuditOutput,
  yarnReportOutput,
  pipAuditOutput,
  cargoAuditOutput,
  govulncheckOutput,
  govulncheckLegacyOutput,
  govulncheckSarifOutput,
  snykOutput,
  snykIssuesOutput,
  dependencyTrackOutput,
  cycloneDxOutput,
  emptyListOutput,
];

/**
 * Reads the output of a vulnerability scanner, whichever it is: by its content, never by its name. Nothing is
 * normalised, compared or merged; what is no finding stands in `unread` of its reading. A file that is refused says
 * why, with one of `SCAN_FILE_CODES`.
 *
 * @param bytes the file as the scanner wrote it
 * @see contract §2.7
 */
export function readScannerOutput(bytes: Uint8Array): ParseResult<readonly ScannerReading[]> {
  const document = parseOutputDocument(bytes);
  return document.ok ? readOutputDocument(document.value) : document;
}

/** Reads what `parseOutputDocument` gives, for those who try shapes of their own first. */
export function readOutputDocument(root: unknown): ParseResult<readonly ScannerReading[]> {
  const format = OUTPUT_FORMATS.find(({ looksLike }) => looksLike(root));
  return format === undefined ? refuseUnknown(root) : format.read(root);
}

/** The shape that a document has, e.g. `trivy`; undefined for what is none of them. */
export function outputFormatOf(root: unknown): string | undefined {
  return OUTPUT_FORMATS.find(({ looksLike }) => looksLike(root))?.name;
}
