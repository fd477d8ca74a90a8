import { quarterlyReportSchema } from '../quarterly-report/quarterly-report-schema.ts';
import { DAY_PREFIX, day, dayOrNull, filledText as text, textOrNull } from '../record-schema/nullable-value.ts';
import { exactly, listOf, orNull } from '../record-schema/object-schema.ts';
import { count } from '../record-schema/record-schema.ts';
import { REMEDIATION_ACTIONS, VOID_CAUSES } from '../remediation-record/record-words.ts';

const instant = {
  type: 'string',
  description: 'a time such as 2026-01-31T12:00:00Z (RFC 3339)',
  pattern: `${DAY_PREFIX}[Tt ]`,
} as const;
const digest = { ...text, description: 'sha256: and 64 hex digits' } as const;
const instantOrNull = { ...instant, type: ['string', 'null'] } as const;
const countOrNull = { ...count, type: ['integer', 'null'] } as const;
const hoursOrNull = {
  type: ['number', 'null'],
  description: 'hours with one decimal, rounded up',
  minimum: 0,
} as const;

const noted = {
  record: { ...text, description: 'the id of the record' },
  cve: text,
  component: text,
  product: text,
} as const;

const hoursOf = (target: number) =>
  exactly(`from discovery to deployment, record by record; the time is ${target} hours`, {
    target_hours: { const: target },
    within: count,
    late: count,
    open_overdue: count,
    open_in_time: count,
    worst_hours: hoursOrNull,
    average_hours: hoursOrNull,
    known_by_day: { ...count, description: 'deployed on a day without a time, and counted to its end' },
    entered_later: { ...count, description: 'over the time, and in the catalog only after the discovery' },
  });
const exploited = exactly('the hours of what is exploited (contract §8)', {
  critical_exploited: hoursOf(24),
  high_exploited: hoursOf(48),
});

const nothingDue = listOf('fields of the report that say 100.0% or pass because nothing was due', {
  type: 'string',
  enum: [
    'remediation_metrics.sla_compliance_rate',
    'sla_by_severity.critical',
    'sla_by_severity.high',
    'sla_by_severity.medium',
  ],
});

const { total_cves_discovered, cves_by_severity, cve_sources, remediation_metrics, sla_by_severity } =
  quarterlyReportSchema.properties;

/**
 * What lies beside a quarterly report (contract §2.10), which has no fields for it; published as
 * docs/json/report-notes.v1.json.
 */
export const reportNotesSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Notes on a quarterly compliance report',
  ...exactly('what the fields of contract §2.10 have no place for; docs/quarterly-report.md says what each is', {
    format: { const: 'colophon-report-notes/v1' },
    period: quarterlyReportSchema.properties.period,
    as_of: { ...day, description: 'the last day that counts' },
    product: { ...textOrNull, description: 'the only product that it is of' },
    records: exactly('what it was counted from', {
      counted: count,
      uncounted: { ...count, description: 'records of the file beside' },
      first_discovered: dayOrNull,
      is_before_first_record: { type: 'boolean', description: 'nothing was recorded in the period, or before' },
    }),
    inputs: listOf(
      'the other files that report and notes were counted from, by name; signatures are none of them',
      exactly('one of them', { file: text, digest }),
    ),
    nothing_due: nothingDue,
    catalog: orNull(
      exactly('the known-exploited catalog beside the report', {
        file: text,
        digest,
        version: text,
        released_at: instantOrNull,
        checked_at: { ...instantOrNull, description: 'when its feed was asked last, as the author says' },
        released_days: { ...countOrNull, description: 'whole days before the end of the last day that counts' },
        checked_days: countOrNull,
        stale: { type: 'boolean', description: 'by the days of colophon kev status' },
        not_applied: listOf(
          'ids of records that say something else than it: open ones, and closed ones that were in it when they were closed',
          text,
        ),
      }),
    ),
    closings: exactly('closed records of the report', {
      proven: { ...count, description: 'by the documents beside the report' },
      unproven: listOf(
        'the others',
        exactly('one of them', { ...noted, found: listOf('what is not as it must be', text) }),
      ),
      reopened_since: { ...count, description: 'settled in the report, and opened again after it' },
    }),
    overrides: listOf(
      'events for which a person’s reason set conditions aside',
      exactly('one of them', {
        ...noted,
        action: { type: 'string', enum: REMEDIATION_ACTIONS },
        codes: listOf('of the conditions', text),
        reason: textOrNull,
        by: text,
        at: instant,
      }),
    ),
    deployed_before_sbom: listOf(
      'deployed before the SBOM that shows it was made',
      exactly('one of them', { ...noted, deployed: text, sbom_timestamp: instant }),
    ),
    voided: listOf(
      'set aside, and in no figure',
      exactly('one of them', {
        ...noted,
        cause: { type: 'string', enum: VOID_CAUSES },
        reason: textOrNull,
        by: text,
        signer: { ...textOrNull, description: 'who signed it; null for nobody' },
        at: instant,
      }),
    ),
    exploited,
    listings: exactly('findings in the scans, compared with the records', {
      scans: count,
      unchecked_scans: listOf('files; nobody says of what product they are', text),
      listings: { ...count, description: 'each once for each scan' },
      without_record: count,
      examples: listOf(
        'the first of those',
        exactly('a vulnerability in a component', {
          scan: text,
          product: text,
          cve: text,
          component: text,
          version: textOrNull,
          severity: text,
        }),
      ),
      contradicted: listOf('closed, and listed by a later scan', exactly('one of them', { ...noted, found: text })),
    }),
    products: listOf(
      'the figures by product; a CVE in two products counts in both',
      exactly('one product', {
        product: text,
        total_cves_discovered,
        cves_by_severity,
        cve_sources,
        remediation_metrics,
        sla_by_severity,
        nothing_due: nothingDue,
        exploited,
      }),
    ),
  }),
} as const;
