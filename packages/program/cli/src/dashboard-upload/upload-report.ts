import type { DashboardFinding, DashboardSeverity } from '@colophon/publishing';
import type { uploadResult } from '@colophon/publishing/result';
import type { ResultOf } from '@colophon/records/result';
import type { Loss } from '@colophon/sbom';
import { type Column, columnTable, type TableView } from '../column-table/column-table.ts';
import { counted, moreLine, oneLine } from '../terminal/terminal.ts';

/** What `colophon sbom upload --output json` prints. */
export type UploadReport = ResultOf<typeof uploadResult>;

const MOST_ROWS = 50;

/** How many findings there are of each severity, the worst first. */
export function countBySeverity(
  findings: readonly DashboardFinding[],
  severities: readonly DashboardSeverity[],
): Record<DashboardSeverity, number> {
  const counts = Object.fromEntries(severities.map((severity) => [severity, 0])) as Record<DashboardSeverity, number>;
  for (const { severity } of findings) counts[severity] += 1;
  return counts;
}

/** The same for people. */
export function describeUpload(report: UploadReport, view: TableView): string {
  const { dashboard, project, processed, converted, sent_in_standard_profile, upload_version, losses, vex } = report;
  const { findings, severity_counts, fail_on, over_threshold_count = 0 } = report;
  const name = [project.name, project.version].filter(Boolean).join(' ') || (project.uuid ?? '');
  const lines = [
    `uploaded to ${dashboard}, project ${name}${project.uuid && name !== project.uuid ? ` (${project.uuid})` : ''}`,
  ];
  if (sent_in_standard_profile) lines.push('sent in the standard profile, because no dashboard takes the other one');
  lines.push(...versionLines('document', upload_version));
  if (converted) lines.push(...lossLines(losses));
  lines.push(processed ? 'processed' : `uploaded, token ${report.token}; did not wait for processing`);
  if (vex !== undefined) {
    lines.push('VEX uploaded and processed', ...versionLines('VEX', vex.upload_version));
    if (vex.converted) lines.push(...lossLines(vex.losses));
  }
  if (severity_counts !== undefined) {
    lines.push(
      `findings: ${Object.entries(severity_counts)
        .map(([severity, count]) => `${count} ${severity}`)
        .join(', ')}`,
    );
  }
  if (fail_on !== undefined) lines.push(`${over_threshold_count} of severity ${fail_on} or worse`);
  return `${lines.map(oneLine).join('\n')}\n${findings === undefined ? '' : tableOf(findings, view)}`;
}

/** Nothing where a document goes out as it is, to a server that says that it reads it. */
function versionLines(
  what: string,
  { document, sent, basis, server, readable }: UploadReport['upload_version'],
): string[] {
  if (basis === 'asked') return sent === document ? [] : [`${what} sent as CycloneDX ${sent}, not ${document}`];
  if (sent !== document) return [`${what} sent as CycloneDX ${sent}: ${server} ${READS[basis]} ${readable}`];
  return basis === 'assumed' ? [`CycloneDX ${sent} sent unchanged; ${server}`] : [];
}

const READS = { server: 'reads up to', assumed: '(--spec-version says otherwise), so the newest is taken to be' };

function lossLines(losses: readonly Loss[]): string[] {
  const more = losses.length - MOST_ROWS;
  return [
    counted(losses.length, 'loss'),
    ...losses.slice(0, MOST_ROWS).map(({ path, what, why }) => `  ${path || '(document)'}: ${what} (${why})`),
    ...(more > 0 ? [`  ${moreLine(more)}`] : []),
  ];
}

const COLUMNS: readonly Column[] = [
  { heading: 'SEVERITY', rank: 1 },
  { heading: 'CVSS', rank: 4 },
  { heading: 'VULNERABILITY', rank: 1 },
  { heading: 'COMPONENT', rank: 1, shortest: 20 },
  { heading: 'VERSION', rank: 2 },
  { heading: 'ANALYSIS', rank: 3 },
];

function tableOf(findings: readonly DashboardFinding[], view: TableView): string {
  if (findings.length === 0) return '';
  const rows = findings
    .slice(0, MOST_ROWS)
    .map(({ severity, vulnerability, component, version = '', cvss, state = '' }) => [
      severity,
      cvss === undefined ? '' : cvss.toFixed(1),
      vulnerability,
      component,
      version,
      state,
    ]);
  const more = findings.length - rows.length;
  const rest = more > 0 ? `${moreLine(more)}\n` : '';
  return `\n${columnTable(COLUMNS, rows, view)}${rest}`;
}
