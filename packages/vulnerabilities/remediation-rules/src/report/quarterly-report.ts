import type { ParseResult } from '@colophon/json';
import {
  type QuarterlyReport,
  type RemediationRecord,
  type ReportArtifacts,
  type SeveritySla,
  TARGET_DAYS,
  type TargetedSeverity,
} from '@colophon/records';
import type { CveStanding } from './cve-standing.ts';
import { type ReportDetails, type ReportRequest, reportDetails } from './report-details.ts';

/** The report on records; `reportDetails` says which of them are behind each number. */
export function quarterlyReport(
  records: readonly RemediationRecord[],
  request: ReportRequest & { readonly artifacts: ReportArtifacts },
): ParseResult<QuarterlyReport> {
  const details = reportDetails(records, request);
  return details.ok ? { ok: true, value: countReport(details.value, request.artifacts) } : details;
}

/** Counts what was sorted. */
export function countReport({ period, figures }: ReportDetails, artifacts: ReportArtifacts): QuarterlyReport {
  const count = (figure: keyof typeof figures) => figures[figure].length;
  return {
    period: period.name,
    total_cves_discovered: count('total_cves_discovered'),
    cves_by_severity: {
      critical: count('cves_by_severity.critical'),
      high: count('cves_by_severity.high'),
      medium: count('cves_by_severity.medium'),
      low: count('cves_by_severity.low'),
    },
    cve_sources: { cisa_kev: count('cve_sources.cisa_kev'), nvd_only: count('cve_sources.nvd_only') },
    remediation_metrics: {
      patched_within_sla: count('remediation_metrics.patched_within_sla'),
      patched_out_of_sla: count('remediation_metrics.patched_out_of_sla'),
      marked_not_affected_with_vex: count('remediation_metrics.marked_not_affected_with_vex'),
      still_pending: count('remediation_metrics.still_pending'),
      sla_compliance_rate: complianceRate(
        count('remediation_metrics.patched_within_sla'),
        count('remediation_metrics.sla_compliance_rate'),
      ),
    },
    sla_by_severity: {
      critical: severitySla('critical', figures['sla_by_severity.critical']),
      high: severitySla('high', figures['sla_by_severity.high']),
      medium: severitySla('medium', figures['sla_by_severity.medium']),
    },
    artifacts: {
      sbom: artifacts.sbom,
      vulnerability_scan: artifacts.vulnerability_scan,
      vex_documents: artifacts.vex_documents.toSorted(),
      remediation_records: artifacts.remediation_records,
    },
  };
}

/** The bytes of a report, always the same. */
export function formatReport(report: QuarterlyReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** A percentage with one decimal; `100.0%` is said only where nothing was late, or nothing was due. */
export function complianceRate(within: number, due: number): string {
  if (within === due) return '100.0%';
  return `${oneDecimal(Math.min(tenths(within * 100, due), 999))}%`;
}

/** The average of whole days with one decimal. An average above the target never reads as the target. */
export function severitySla(severity: TargetedSeverity, cves: readonly Pick<CveStanding, 'days'>[]): SeveritySla {
  const target_days = TARGET_DAYS[severity];
  const sum = cves.reduce((total, { days = 0 }) => total + days, 0);
  const pass = sum <= target_days * cves.length;
  const average = cves.length === 0 ? 0 : tenths(sum, cves.length);
  return { target_days, actual_avg_days: (pass ? average : Math.max(average, target_days * 10 + 1)) / 10, pass };
}

/** A quotient in tenths, half of one rounded up; integers, so that no machine rounds in another way. */
function tenths(dividend: number, divisor: number): number {
  return Math.floor((dividend * 20 + divisor) / (divisor * 2));
}

function oneDecimal(inTenths: number): string {
  return `${Math.floor(inTenths / 10)}.${inTenths % 10}`;
}
