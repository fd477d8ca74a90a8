import type { QuarterlyReport, ReportDetails, ReportFile } from '@colophon/triage';
import type { DocumentSignature } from '../../document-signature/document-signer.ts';
import { type coloursFor, counted, formatTable, oneLine, shellWord } from '../../terminal/terminal.ts';
import { logIndexOf } from '../signing.ts';
import type { SignedStatement } from './statement-signatures.ts';

/** A report that stands in its folder. */
export type MadeReport = {
  readonly report: QuarterlyReport;
  readonly details: ReportDetails;
  readonly folder: string;
  /** How many files SHA256SUMS lists. */
  readonly files: number;
  readonly statements: readonly SignedStatement[];
  readonly signatures: readonly DocumentSignature[];
  readonly evidence: readonly ReportFile[];
  /** Whether the database knows of anything that is exploited; what it does not have of records in a file is not known. */
  readonly hasCatalog: boolean;
};

/** For people: the figures, and where everything is. */
export function describeReport(made: MadeReport, colours: ReturnType<typeof coloursFor>): string {
  const { report, details, folder, files, statements, signatures } = made;
  const { asOf, figures, product } = details;
  const metrics = report.remediation_metrics;
  const { critical, high, medium, low } = report.cves_by_severity;
  const isOver = isLastDay(details);
  const overdue = figures.overdue.length;
  const due = figures['remediation_metrics.sla_compliance_rate'].length;
  const verified = statements.filter(({ state }) => state === 'verified');
  const signer = signatures[0]?.identity?.subject ?? 'the key';
  const heading = `${colours.bold(`Quarterly report ${report.period}`)}${product === undefined ? '' : ` of ${oneLine(product)}`}, as of the end of ${asOf}${isOver ? '' : ', with the quarter not over'}\n\n`;
  const table = formatTable([
    [
      'discovered',
      `${counted(report.total_cves_discovered, 'CVE')}: ${critical} critical, ${high} high, ${medium} medium, ${low} low`,
    ],
    ['', `${report.cve_sources.cisa_kev} known to be exploited`],
    ['carried over', counted(figures.carried_over.length, 'CVE')],
    ['patched', `${metrics.patched_within_sla} in time, ${metrics.patched_out_of_sla} late`],
    ['not affected', `${metrics.marked_not_affected_with_vex} by VEX`],
    ['pending', `${counted(metrics.still_pending, 'CVE')}, ${overdue} of them over the target of their severity`],
    ['SLA rate', `${metrics.sla_compliance_rate}${due === 0 ? ': nothing was due' : ''}`],
    ...(['critical', 'high', 'medium'] as const).map((severity) => {
      const { actual_avg_days, target_days, pass } = report.sla_by_severity[severity];
      const isIdle = figures[`sla_by_severity.${severity}`].length === 0;
      return [
        `  ${severity}`,
        isIdle ? 'nothing due' : `${actual_avg_days} of ${counted(target_days, 'day')}: ${pass ? 'pass' : 'FAIL'}`,
      ];
    }),
    ['folder', folder],
    ['files', `${files}, listed in SHA256SUMS`],
    ...(verified.length === 0
      ? []
      : [['VEX', `${verified.length} verified: ${[...new Set(verified.map((one) => one.signer ?? ''))].join(', ')}`]]),
    [
      'signed',
      signatures.length === 0
        ? 'no'
        : `by ${signer}, log index ${signatures.map(({ bundle }) => logIndexOf(bundle)).join(' and ')}`,
    ],
    ['next', `colophon report verify ${shellWord(folder)} ${verifiedBy(signatures)}`],
  ]);
  return heading + table;
}

/** The flags that say that these signatures count. */
function verifiedBy([signature]: readonly DocumentSignature[]): string {
  if (signature === undefined) return '--unsigned';
  const { identity } = signature;
  if (identity === undefined) return '--certificate-key PUBLIC-KEY';
  return `--certificate-identity ${shellWord(identity.subject)} --certificate-oidc-issuer ${shellWord(identity.issuer)}`;
}

function isLastDay({ asOf, period }: ReportDetails): boolean {
  return Date.parse(`${period.until}T00:00:00Z`) - Date.parse(`${asOf}T00:00:00Z`) === 86_400_000;
}
