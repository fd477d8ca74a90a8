import { type Issue, jsonPointer, type ParseResult } from '@colophon/json';
import { compareTexts, dayNumber, dayOf, formatDay, parseInstant } from '@colophon/notation';
import {
  RATED_SEVERITIES,
  type RatedSeverity,
  type RemediationRecord,
  TARGETED_SEVERITIES,
  type TargetedSeverity,
} from '@colophon/records';
import { withComputedFields } from '../remediation/computed-fields.ts';
import { goingOn } from '../remediation/record-index.ts';
import { isVoid } from '../remediation/void-record.ts';
import { type CveStanding, cveStanding, OUTCOMES, type Outcome } from './cve-standing.ts';
import type { Period } from './period.ts';
import { dateIssues, type RecordStanding, standingAt } from './record-standing.ts';
import { reportIssue } from './report-issue.ts';
import { vulnerabilityNames } from './vulnerability-name.ts';

/** What a report is asked for. */
export type ReportRequest = {
  readonly period: Period;
  /** When it is made: a day or RFC 3339 time. Of a period that is over, its own last day counts instead. */
  readonly asOf: string;
  /** Records of this product alone. */
  readonly product?: string;
};

/** A number of the report by its place in it. */
export type ContractFigure =
  | 'total_cves_discovered'
  | `cves_by_severity.${RatedSeverity}`
  | `cve_sources.${'cisa_kev' | 'nvd_only'}`
  | `remediation_metrics.${Outcome}`
  | 'remediation_metrics.sla_compliance_rate'
  | `sla_by_severity.${TargetedSeverity}`;

/** What the contract's fields have no place for, and a reader has to know. */
export const SIDE_FIGURES = [
  'in_period',
  'carried_over',
  'overdue',
  'not_overdue',
  'without_severity',
  'unproven',
] as const;
export type SideFigure = (typeof SIDE_FIGURES)[number];
export type Figure = ContractFigure | SideFigure;

/** Which CVEs are behind which number; the report is counted out of this and nothing else. */
export type ReportDetails = {
  readonly period: Period;
  /** The last day that counts, `2026-12-31`. */
  readonly asOf: string;
  readonly product?: string;
  /** Every CVE that was open at some time in the period: worst outcome first, then by severity and name. */
  readonly cves: readonly CveStanding[];
  readonly figures: Readonly<Record<Figure, readonly CveStanding[]>>;
  /**
   * Every record of these CVEs that was discovered by then, sorted: a report on these alone has the same numbers.
   */
  readonly records: readonly RemediationRecord[];
  /** Those that were set aside and would have been open at some time in the period, sorted; counted nowhere. */
  readonly voided: readonly RemediationRecord[];
};

const MOST_ISSUES = 100;

/**
 * Sorts records into what the quarterly report counts (contract §2.10). The unit is the CVE. The order of the records,
 * and the place where this runs, change nothing.
 *
 * @returns codes `report.*` for a period that has not begun, and for records that deny themselves, up to 100 issues.
 */
export function reportDetails(
  records: readonly RemediationRecord[],
  request: ReportRequest,
): ParseResult<ReportDetails> {
  const { period, product } = request;
  const asOf = lastDay(request);
  if (typeof asOf !== 'number') return { ok: false, issues: [asOf] };
  const wanted = records.filter((record) => product === undefined || record.product === product).sort(byPlace);
  const issues = [...duplicates(wanted), ...wanted.flatMap(dateIssues)].slice(0, MOST_ISSUES);
  if (issues.length > 0) return { ok: false, issues };

  const goesOn = goingOn(wanted);
  const isLeft = (record: RemediationRecord) => goesOn.get(record)?.length === 0;
  const standings = wanted.flatMap((record): readonly RecordStanding[] => {
    if (isLeft(record)) return leftStanding(record, asOf);
    const standing = isVoid(record) ? undefined : standingAt(asOfDay(record, asOf), asOf);
    return standing === undefined ? [] : [standing];
  });
  const namesOf = vulnerabilityNames(standings.map(({ record }) => record));
  const byCve = Map.groupBy(
    standings.flatMap((standing) => namesOf(standing.record).map((cve) => ({ cve, standing }))),
    ({ cve }) => cve,
  );
  const cves = [...byCve]
    .flatMap(([cve, some]) => {
      const standings = some.map(({ standing }) => standing);
      return cveStanding(cve, standings, period.firstDay) ?? [];
    })
    .sort(byUrgency);
  const value: ReportDetails = {
    period,
    asOf: formatDay(asOf),
    ...(product === undefined ? {} : { product }),
    cves,
    figures: figuresOf(cves, period),
    records: recordsOf(cves).sort(byPlace),
    voided: wanted.filter((record) => !isLeft(record) && isVoidIn(record, period.firstDay, asOf)),
  };
  return { ok: true, value };
}

/** Each once: an advisory may stand under several CVEs. */
function recordsOf(cves: readonly CveStanding[]): RemediationRecord[] {
  const all = cves.flatMap(({ records, earlier }) => [...records, ...earlier]);
  return [...new Map(all.map(({ record }) => [record.id, record])).values()];
}

/** What goes on with it is not there, so it counts as it stood before it was joined: nobody closed it. */
function leftStanding(record: RemediationRecord, asOf: number): readonly RecordStanding[] {
  const standing = standingAt({ ...record, state: 'open', closed_at: null, resolution: null }, asOf);
  return standing === undefined ? [] : [{ ...standing, record }];
}

/** Whether a void took a record out of this period: it was discovered by then, and not voided before. */
function isVoidIn(record: RemediationRecord, firstDay: number, asOf: number): boolean {
  if (!isVoid(record)) return false;
  const voidedOn = dayNumber(dayOf(record.closed_at!)!)!;
  return dayNumber(record.date_discovered)! <= asOf && voidedOn >= firstDay;
}

/** Whether an open record is overdue depends on the day; a record may say what was true when it was last written. */
function asOfDay(record: RemediationRecord, asOf: number): RemediationRecord {
  const { state, due_at } = record;
  const isReadable = due_at === null || parseInstant(due_at) !== undefined;
  return state === 'open' && isReadable ? withComputedFields(record, `${formatDay(asOf)}T23:59:59Z`) : record;
}

/** The last day that counts: that of the period, or of the request where the period is not over. */
function lastDay({ period, asOf }: ReportRequest): number | Issue {
  const day = dayNumber(dayOf(asOf) ?? '');
  if (day === undefined) {
    return reportIssue(
      'report.as_of_invalid',
      '',
      'The time of the report is not valid.',
      'a day, 2026-11-21, or a time in RFC 3339',
    );
  }
  if (day < period.firstDay) {
    return reportIssue(
      'report.period_not_begun',
      '',
      `${period.name} has not begun: its first day is ${period.from}.`,
      `${quarterOf(day)}, or an earlier quarter`,
    );
  }
  return Math.min(day, period.endDay - 1);
}

/** `2026-Q4` */
function quarterOf(day: number): string {
  const [year, month] = formatDay(day).split('-');
  return `${year}-Q${Math.ceil(Number(month) / 3)}`;
}

function figuresOf(cves: readonly CveStanding[], period: Period): ReportDetails['figures'] {
  const figures = Object.fromEntries(FIGURES.map((figure) => [figure, [] as CveStanding[]])) as Record<
    Figure,
    CveStanding[]
  >;
  for (const one of cves) for (const figure of figuresFor(one, period)) figures[figure].push(one);
  return figures;
}

/** Every number that a CVE is counted in. */
function* figuresFor(one: CveStanding, { firstDay }: Period): Generator<Figure> {
  yield 'in_period';
  if (one.discovered < firstDay) yield 'carried_over';
  else {
    yield 'total_cves_discovered';
    yield `cves_by_severity.${one.severity}`;
    yield `cve_sources.${one.isExploited ? 'cisa_kev' : 'nvd_only'}`;
    if (one.stated !== one.severity) yield 'without_severity';
  }
  yield `remediation_metrics.${one.outcome}`;
  if (one.isUnproven) yield 'unproven';
  const isPatched = one.outcome === 'patched_within_sla' || one.outcome === 'patched_out_of_sla';
  const isPending = one.outcome === 'still_pending';
  const isOverdue = isPending && one.isBreach;
  if (isPending) yield isOverdue ? 'overdue' : 'not_overdue';
  if (!isPatched && !isOverdue) return;
  yield 'remediation_metrics.sla_compliance_rate';
  if (one.severity !== 'low') yield `sla_by_severity.${one.severity}`;
}

/** In the order of the contract, and then our own. */
export const FIGURES: readonly Figure[] = [
  'total_cves_discovered',
  ...RATED_SEVERITIES.map((severity) => `cves_by_severity.${severity}` as const),
  'cve_sources.cisa_kev',
  'cve_sources.nvd_only',
  ...OUTCOMES.map((outcome) => `remediation_metrics.${outcome}` as const),
  'remediation_metrics.sla_compliance_rate',
  ...TARGETED_SEVERITIES.map((severity) => `sla_by_severity.${severity}` as const),
  ...SIDE_FIGURES,
];

function duplicates(sorted: readonly RemediationRecord[]): Issue[] {
  const seen = new Set<string>();
  return sorted.flatMap(({ id }) => {
    const isSecond = seen.has(id);
    seen.add(id);
    return isSecond ? [reportIssue('report.record_duplicate', jsonPointer([id]), `Record ${id} is there twice.`)] : [];
  });
}

function byUrgency(a: CveStanding, b: CveStanding): number {
  return (
    OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome) ||
    Number(b.isBreach) - Number(a.isBreach) ||
    RATED_SEVERITIES.indexOf(a.severity) - RATED_SEVERITIES.indexOf(b.severity) ||
    compareTexts(a.cve, b.cve)
  );
}

/** By what people look for first; the id decides between what else is alike. */
function byPlace(a: RemediationRecord, b: RemediationRecord): number {
  return (
    compareTexts(a.cve, b.cve) ||
    compareTexts(a.product, b.product) ||
    compareTexts(a.component, b.component) ||
    compareTexts(a.id, b.id)
  );
}
