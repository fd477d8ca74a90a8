import { RATED_SEVERITIES } from '../finding/severity.ts';
import { count } from '../record-schema/record-schema.ts';
import { TARGET_DAYS, TARGETED_SEVERITIES } from './target-days.ts';

const fileName = {
  type: 'string',
  description: 'the name of a file beside the report, without folders',
  pattern: '^[A-Za-z0-9_+@][A-Za-z0-9._+@-]*$',
} as const;

const sla = (target_days: number) =>
  ({
    type: 'object',
    required: ['target_days', 'actual_avg_days', 'pass'],
    properties: {
      target_days: { const: target_days },
      actual_avg_days: { type: 'number', description: 'days with one decimal', minimum: 0 },
      pass: { type: 'boolean', description: 'whether the average is at most the target' },
    },
    additionalProperties: false,
  }) as const;

/** The quarterly compliance report (contract §2.10): every field is there, and no other. */
export const quarterlyReportSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Quarterly compliance report',
  description: 'contract §2.10; what each number counts is in docs/quarterly-report.md',
  type: 'object',
  required: [
    'period',
    'total_cves_discovered',
    'cves_by_severity',
    'cve_sources',
    'remediation_metrics',
    'sla_by_severity',
    'artifacts',
  ],
  properties: {
    period: { type: 'string', description: 'a quarter in UTC such as 2026-Q4', pattern: '^[0-9]{4}-Q[1-4]$' },
    total_cves_discovered: count,
    cves_by_severity: {
      type: 'object',
      required: RATED_SEVERITIES,
      properties: { critical: count, high: count, medium: count, low: count },
      additionalProperties: false,
    },
    cve_sources: {
      type: 'object',
      required: ['cisa_kev', 'nvd_only'],
      properties: { cisa_kev: count, nvd_only: count },
      additionalProperties: false,
    },
    remediation_metrics: {
      type: 'object',
      required: [
        'patched_within_sla',
        'patched_out_of_sla',
        'marked_not_affected_with_vex',
        'still_pending',
        'sla_compliance_rate',
      ],
      properties: {
        patched_within_sla: count,
        patched_out_of_sla: count,
        marked_not_affected_with_vex: count,
        still_pending: count,
        sla_compliance_rate: {
          type: 'string',
          description: 'a percentage with one decimal such as 87.5%',
          pattern: '^(?:100\\.0|[1-9]?[0-9]\\.[0-9])%$',
        },
      },
      additionalProperties: false,
    },
    sla_by_severity: {
      type: 'object',
      required: TARGETED_SEVERITIES,
      properties: { critical: sla(TARGET_DAYS.critical), high: sla(TARGET_DAYS.high), medium: sla(TARGET_DAYS.medium) },
      additionalProperties: false,
    },
    artifacts: {
      type: 'object',
      required: ['sbom', 'vulnerability_scan', 'vex_documents', 'remediation_records'],
      properties: {
        sbom: fileName,
        vulnerability_scan: fileName,
        vex_documents: { type: 'array', items: fileName },
        remediation_records: fileName,
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;
