import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import { quarterlyReportSchema } from './quarterly-report-schema.ts';

const sla = (target_days: number) => ({ target_days, actual_avg_days: 0.5, pass: true });
const REPORT = {
  period: '2026-Q4',
  total_cves_discovered: 1,
  cves_by_severity: { critical: 0, high: 1, medium: 0, low: 0 },
  cve_sources: { cisa_kev: 1, nvd_only: 0 },
  remediation_metrics: {
    patched_within_sla: 0,
    patched_out_of_sla: 0,
    marked_not_affected_with_vex: 0,
    still_pending: 1,
    sla_compliance_rate: '100.0%',
  },
  sla_by_severity: { critical: sla(1), high: sla(7), medium: sla(30) },
  artifacts: {
    sbom: 'shop.cdx.json',
    vulnerability_scan: 'scan.json',
    vex_documents: ['a.json'],
    remediation_records: 'r.json',
  },
};
const metrics = (more: object) => ({ remediation_metrics: { ...REPORT.remediation_metrics, ...more } });

test('a report is one', () => expect(Check(quarterlyReportSchema, REPORT)).toBe(true));

test.each<[string, object]>([
  ['a field more', { product: 'shop' }],
  ['a month', { period: '2026-12' }],
  ['a count below zero', { total_cves_discovered: -1 }],
  ['a severity more', { cves_by_severity: { ...REPORT.cves_by_severity, none: 0 } }],
  ['a rate as a number', metrics({ sla_compliance_rate: 87.5 })],
  ['a rate without a decimal', metrics({ sla_compliance_rate: '87%' })],
  ['a rate over a hundred', metrics({ sla_compliance_rate: '100.1%' })],
  ['another target', { sla_by_severity: { ...REPORT.sla_by_severity, high: sla(14) } }],
  ['a target for low', { sla_by_severity: { ...REPORT.sla_by_severity, low: sla(90) } }],
  ['a file in a folder', { artifacts: { ...REPORT.artifacts, sbom: '../shop.cdx.json' } }],
])('with %s it is none', (_, more) => expect(Check(quarterlyReportSchema, { ...REPORT, ...more })).toBe(false));

test.each(Object.keys(REPORT))('without %s it is none', (field) => {
  const { [field as keyof typeof REPORT]: _, ...rest } = REPORT;
  expect(Check(quarterlyReportSchema, rest)).toBe(false);
});
