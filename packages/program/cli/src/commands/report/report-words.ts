import { type HoursOfPriority, type ReportNotes, TARGETED_SEVERITIES } from '@colophon/records';
import type { ReportDetails, ReportFile } from '@colophon/remediation-rules';
import type { ReportQuarterlyResult } from '../../report-folder/report-result.ts';
import { type coloursFor, counted, formatTable, oneLine, shellWord } from '../../terminal/terminal.ts';
import type { Signed } from '../signed-result.ts';

/** A report that stands in its folder. */
export type MadeReport = {
  readonly result: ReportQuarterlyResult;
  readonly details: ReportDetails;
  readonly evidence: readonly ReportFile[];
  /** Whether the database knows of anything that is exploited; what it does not have of records in a file is not known. */
  readonly hasCatalog: boolean;
};

/** For people: the figures, and where everything is. */
export function describeReport(made: MadeReport, colours: ReturnType<typeof coloursFor>): string {
  const { details, result } = made;
  const { report, out, file_count, vex_documents, signatures } = result;
  const { asOf, figures, product } = details;
  const metrics = report.remediation_metrics;
  const { critical, high, medium, low } = report.cves_by_severity;
  const isOver = isLastDay(details);
  const overdue = figures.overdue.length;
  const due = figures['remediation_metrics.sla_compliance_rate'].length;
  const verified = vex_documents.filter(({ state }) => state === 'verified');
  const signer = signatures[0]?.certificate_identity?.subject ?? 'the key';
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
    ...TARGETED_SEVERITIES.map((severity) => {
      const { actual_avg_days, target_days, pass } = report.sla_by_severity[severity];
      const isIdle = figures[`sla_by_severity.${severity}`].length === 0;
      return [
        `  ${severity}`,
        isIdle ? 'nothing due' : `${actual_avg_days} of ${counted(target_days, 'day')}: ${pass ? 'pass' : 'FAIL'}`,
      ];
    }),
    ...noteRows(made),
    ['folder', out],
    ['files', `${file_count}, listed in SHA256SUMS`],
    ...(verified.length === 0
      ? []
      : [['VEX', `${verified.length} verified: ${[...new Set(verified.map((one) => one.signer ?? ''))].join(', ')}`]]),
    [
      'signed',
      signatures.length === 0
        ? 'no'
        : `by ${signer}, log index ${signatures.map(({ log_entry }) => log_entry.log_index).join(' and ')}`,
    ],
    ['next', `colophon report verify ${shellWord(out)} ${verifiedBy(signatures)}`],
  ]);
  return heading + table;
}

/** The flags that say that these signatures count. */
function verifiedBy([signature]: readonly Signed[]): string {
  if (signature === undefined) return '--unsigned';
  const { certificate_identity: identity } = signature;
  if (identity === undefined) return '--key PUBLIC-KEY';
  return `--certificate-identity ${shellWord(identity.subject)} --certificate-oidc-issuer ${shellWord(identity.issuer)}`;
}

function isLastDay({ asOf, period }: ReportDetails): boolean {
  return Date.parse(`${period.until}T00:00:00Z`) - Date.parse(`${asOf}T00:00:00Z`) === 86_400_000;
}

/** What stands beside the figures; nothing of what there is none of. */
function noteRows({ result: { notes }, hasCatalog }: MadeReport): string[][] {
  const { records, exploited, overrides, deployed_before_sbom: early, voided, products, listings } = notes;
  const rows = {
    '  exploited, critical': hoursWords(exploited.critical_exploited),
    '  exploited, high': hoursWords(exploited.high_exploited),
    'first record': records.is_before_first_record ? firstRecordWords(records.first_discovered) : undefined,
    catalog: catalogWords(notes, hasCatalog),
    overrides: overrides.length === 0 ? undefined : `${counted(overrides.length, 'event')} with a person’s reason`,
    'before SBOM':
      early.length === 0 ? undefined : `${counted(early.length, 'deployment')} before the SBOM that shows it`,
    void:
      voided.length === 0
        ? undefined
        : voidWords(
            voided.length,
            voided.filter(({ signer }) => signer === null).length,
            ' set aside, and not counted',
          ),
    unrecorded:
      listings.without_record === 0 ? undefined : `${counted(listings.without_record, 'listing')} without a record`,
  };
  const said = Object.entries(rows).flatMap(([name, words]) => (words === undefined ? [] : [[name, words]]));
  return [...said, ...(products.length < 2 ? [] : products.map(productRow))];
}

/** A record that is in no figure rests on the statement of its signer, where it has one. */
export function voidWords(voided: number, unsigned: number, what = ''): string {
  return `${counted(voided, 'record')}${what}${unsigned === 0 ? '' : `; ${unsigned} of them unsigned`}`;
}

function productRow({
  product,
  total_cves_discovered,
  remediation_metrics,
  nothing_due,
}: ReportNotes['products'][number]) {
  const { still_pending, sla_compliance_rate } = remediation_metrics;
  const isIdle = nothing_due.includes('remediation_metrics.sla_compliance_rate');
  const rate = isIdle ? 'nothing was due' : sla_compliance_rate;
  return [`  ${oneLine(product)}`, `${total_cves_discovered} discovered, ${still_pending} pending, ${rate}`];
}

function hoursWords(hours: HoursOfPriority): string | undefined {
  const { target_hours, within, late, open_overdue, open_in_time, worst_hours, average_hours } = hours;
  if (within + late + open_overdue + open_in_time === 0) return undefined;
  const took = worst_hours === null ? '' : `; worst ${worst_hours} hours, average ${average_hours}`;
  return `${within} within ${target_hours} hours, ${late} late, ${open_overdue} open and over, ${open_in_time} open in time${took}`;
}

function firstRecordWords(day: string | null): string {
  return day === null ? 'none: nothing was ever recorded' : `of ${day}, after this: nothing was recorded yet`;
}

function catalogWords({ catalog }: ReportNotes, hasCatalog: boolean): string | undefined {
  if (catalog === null) return hasCatalog ? undefined : 'none is kept';
  const { version, released_at, released_days, checked_days, stale } = catalog;
  const released =
    released_at === null
      ? 'release not said'
      : `released ${released_at.slice(0, 10)}, ${counted(released_days!, 'day')} before`;
  const checked = checked_days === null ? '' : `, checked ${counted(checked_days, 'day')} before`;
  return `${oneLine(version)}, ${oneLine(released)}${checked}${stale ? ': STALE' : ''}`;
}
