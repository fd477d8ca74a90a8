import { spawnSync } from 'node:child_process';
import { dayNumber, formatDay } from '@colophon/notation';
import type { QuarterlyReport, RemediationRecord } from '@colophon/records';
import { SEVERITIES } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { notAffectedOn, patchedOn, recordOf } from '../../test/remediation-record.ts';
import { type Period, parsePeriod } from './period.ts';
import { countReport, formatReport, quarterlyReport } from './quarterly-report.ts';
import { FIGURES, type Figure, type ReportDetails, reportDetails } from './report-details.ts';

const ARTIFACTS = { sbom: 's', vulnerability_scan: 'c', vex_documents: ['b', 'a'], remediation_records: 'r' };

function quarter(name: string): Period {
  const parsed = parsePeriod(name);
  return parsed.ok ? parsed.value : expect.fail(name);
}
const Q4 = quarter('2026-Q4');
const OVER = { period: Q4, asOf: '2027-02-01' };

function details(
  records: readonly RemediationRecord[],
  request: Partial<Parameters<typeof reportDetails>[1]> = {},
): ReportDetails {
  const found = reportDetails(records, { ...OVER, ...request });
  return found.ok ? found.value : expect.fail(JSON.stringify(found.issues));
}
const report = (records: readonly RemediationRecord[], request = {}): QuarterlyReport =>
  countReport(details(records, request), ARTIFACTS);
/** The figures that are not zero, by name. */
function counts(records: readonly RemediationRecord[], request = {}): Partial<Record<Figure, number>> {
  const { figures } = details(records, request);
  return Object.fromEntries(
    FIGURES.flatMap((name) => (figures[name].length === 0 ? [] : [[name, figures[name].length]])),
  );
}

test('one vulnerability under two names, each in a product of its own, is one', () => {
  const records = [
    recordOf({ cve: 'GHSA-jfh8-c2jp-5v3q', product: 'till', severity: 'low' }),
    recordOf({ cve: 'CVE-2021-44228', aliases: ['GHSA-jfh8-c2jp-5v3q'], severity: 'critical' }),
  ];
  const { cves } = details(records);
  expect(cves.map(({ cve, severity, records: both }) => [cve, severity, both.length])).toEqual([
    ['CVE-2021-44228', 'critical', 2],
  ]);
});

describe('the report', () => {
  const records = [
    patchedOn('2026-10-05', { cve: 'CVE-2026-1', severity: 'critical', cisa_kev: true }),
    patchedOn('2026-10-08', { cve: 'CVE-2026-2', severity: 'critical' }),
    patchedOn('2026-10-12', { cve: 'CVE-2026-3', severity: 'high' }),
    notAffectedOn('2026-10-20', { cve: 'CVE-2026-4', severity: 'medium' }),
    recordOf({ cve: 'CVE-2026-5', severity: 'medium', date_discovered: '2026-12-01' }),
    recordOf({ cve: 'CVE-2026-6', severity: 'low' }),
    recordOf({ cve: 'CVE-2026-7', severity: 'unknown' }),
    recordOf({ cve: 'CVE-2026-8', severity: 'critical', date_discovered: '2026-09-20' }),
    patchedOn('2026-09-30', { cve: 'CVE-2026-9', date_discovered: '2026-09-20' }),
    recordOf({ cve: 'CVE-2026-10', date_discovered: '2027-01-01' }),
  ];
  test('has the fields of the contract in its order, and nothing else', () => {
    expect(formatReport(report(records))).toBe(`{
  "period": "2026-Q4",
  "total_cves_discovered": 7,
  "cves_by_severity": {
    "critical": 2,
    "high": 1,
    "medium": 2,
    "low": 2
  },
  "cve_sources": {
    "cisa_kev": 1,
    "nvd_only": 6
  },
  "remediation_metrics": {
    "patched_within_sla": 2,
    "patched_out_of_sla": 1,
    "marked_not_affected_with_vex": 1,
    "still_pending": 4,
    "sla_compliance_rate": "50.0%"
  },
  "sla_by_severity": {
    "critical": {
      "target_days": 1,
      "actual_avg_days": 35,
      "pass": false
    },
    "high": {
      "target_days": 7,
      "actual_avg_days": 7,
      "pass": true
    },
    "medium": {
      "target_days": 30,
      "actual_avg_days": 0,
      "pass": true
    }
  },
  "artifacts": {
    "sbom": "s",
    "vulnerability_scan": "c",
    "vex_documents": [
      "a",
      "b"
    ],
    "remediation_records": "r"
  }
}
`);
  });
  test('is the same whoever asks for it', () => {
    const asked = quarterlyReport(records, { ...OVER, artifacts: ARTIFACTS });
    expect(asked).toEqual({ ok: true, value: report(records) });
  });
  test('of no records has nothing due', () => {
    expect(report([])).toMatchObject({
      total_cves_discovered: 0,
      remediation_metrics: { still_pending: 0, sla_compliance_rate: '100.0%' },
      sla_by_severity: { critical: { actual_avg_days: 0, pass: true } },
    });
  });
});

describe('the unit is the CVE', () => {
  const cve = 'CVE-2026-1';
  test('its severity is the highest of its records, its source the catalog where one of them says so', () => {
    expect(counts([recordOf({ severity: 'low' }), recordOf({ severity: 'critical', cisa_kev: true })])).toMatchObject({
      total_cves_discovered: 1,
      'cves_by_severity.critical': 1,
      'cve_sources.cisa_kev': 1,
    });
  });
  test.each<[string, RemediationRecord[], Figure]>([
    ['patched and open', [patchedOn('2026-10-06', { cve }), recordOf({ cve })], 'remediation_metrics.still_pending'],
    [
      'patched in time and late',
      [patchedOn('2026-10-06', { cve }), patchedOn('2026-10-20', { cve })],
      'remediation_metrics.patched_out_of_sla',
    ],
    [
      'patched and not affected',
      [patchedOn('2026-10-06', { cve }), notAffectedOn('2026-12-06', { cve })],
      'remediation_metrics.patched_within_sla',
    ],
    [
      'not affected and open',
      [notAffectedOn('2026-10-06', { cve }), recordOf({ cve })],
      'remediation_metrics.still_pending',
    ],
    [
      'not affected twice',
      [notAffectedOn('2026-10-06', { cve }), notAffectedOn('2026-10-07', { cve })],
      'remediation_metrics.marked_not_affected_with_vex',
    ],
  ])('its outcome is the worst: %s', (_, records, expected) => {
    expect(counts(records)).toMatchObject({ in_period: 1, [expected]: 1 });
    expect(counts(records.toReversed())).toMatchObject({ in_period: 1, [expected]: 1 });
  });
  test('its days are the longest, and that of a component not affected is none', () => {
    const [one] = details([
      patchedOn('2026-10-06', { cve }),
      patchedOn('2026-10-09', { cve }),
      notAffectedOn('2026-12-06', { cve }),
    ]).cves;
    expect(one).toMatchObject({ days: 4, isBreach: false });
  });
  test('one component late and another still in time is late', () => {
    const records = [patchedOn('2026-12-20', { cve }), recordOf({ cve, date_discovered: '2026-12-30' })];
    expect(counts(records)).toMatchObject({
      overdue: 1,
      'remediation_metrics.still_pending': 1,
      'remediation_metrics.sla_compliance_rate': 1,
    });
  });
  test('found again in another component it was not discovered again', () => {
    const records = [patchedOn('2026-09-30', { cve, date_discovered: '2026-09-20' }), recordOf({ cve })];
    expect(counts(records)).toMatchObject({ in_period: 1, carried_over: 1, 'remediation_metrics.still_pending': 1 });
    expect(counts(records).total_cves_discovered).toBeUndefined();
    expect(details(records).records).toHaveLength(2);
  });
});

describe('whose time it is', () => {
  test.each<[string, RemediationRecord, Figure[]]>([
    ['discovered on the first day', recordOf({ date_discovered: '2026-10-01' }), ['total_cves_discovered', 'overdue']],
    ['discovered on the last day', recordOf({ date_discovered: '2026-12-31' }), ['total_cves_discovered']],
    ['discovered the day before', recordOf({ date_discovered: '2026-09-30' }), ['carried_over', 'overdue']],
    ['discovered the day after', recordOf({ date_discovered: '2027-01-01' }), []],
    [
      'settled on the first day',
      patchedOn('2026-10-01', { date_discovered: '2026-09-28' }),
      ['carried_over', 'remediation_metrics.patched_within_sla'],
    ],
    ['settled the day before', patchedOn('2026-09-30', { date_discovered: '2026-09-28' }), []],
    [
      'settled the day after',
      patchedOn('2027-01-01', { date_discovered: '2026-12-28' }),
      ['total_cves_discovered', 'remediation_metrics.still_pending'],
    ],
    [
      'open for a year',
      recordOf({ date_discovered: '2025-10-05' }),
      ['carried_over', 'overdue', 'remediation_metrics.still_pending'],
    ],
  ])('%s', (_, record, expected) => {
    const found = counts([record]);
    expect(Object.keys(found).length > 0).toBe(expected.length > 0);
    for (const figure of expected) expect(`${figure} ${found[figure]}`).toBe(`${figure} 1`);
    expect((found.total_cves_discovered ?? 0) + (found.carried_over ?? 0)).toBe(found.in_period ?? 0);
  });

  test.each<[string, 'critical' | 'high' | 'medium' | 'low', string, string]>([
    ['critical on the day', 'critical', '2026-10-06', 'patched_within_sla'],
    ['critical a day late', 'critical', '2026-10-07', 'patched_out_of_sla'],
    ['high on the day', 'high', '2026-10-12', 'patched_within_sla'],
    ['high a day late', 'high', '2026-10-13', 'patched_out_of_sla'],
    ['medium on the day', 'medium', '2026-11-04', 'patched_within_sla'],
    ['medium a day late', 'medium', '2026-11-05', 'patched_out_of_sla'],
    ['low, whenever', 'low', '2026-12-31', 'patched_within_sla'],
  ])('%s', (_, severity, day, expected) => {
    expect(counts([patchedOn(day, { severity })])).toMatchObject({ [`remediation_metrics.${expected}`]: 1 });
    // Not deployed at the end of that day it is open, and overdue on the very days on which it would be late.
    const open = counts([recordOf({ severity })], { asOf: day });
    expect(open.overdue ?? 0).toBe(expected === 'patched_out_of_sla' ? 1 : 0);
  });

  test('of a quarter that is not over only what has happened counts, by the day', () => {
    const records = [recordOf(), patchedOn('2026-11-25', { cve: 'CVE-2026-2', date_discovered: '2026-11-20' })];
    const early = report(records, { asOf: '2026-11-21T00:00:00Z' });
    expect(early.remediation_metrics).toMatchObject({ patched_within_sla: 0, still_pending: 2 });
    expect(early.sla_by_severity.high.actual_avg_days).toBe(47);
    expect(formatReport(report(records, { asOf: '2026-11-21T23:59:59Z' }))).toBe(formatReport(early));
    expect(details(records, { asOf: '2026-11-22T01:00:00+02:00' }).asOf).toBe('2026-11-21');
  });
  test('of a quarter that is over its own last day counts', () => {
    expect(details([], { asOf: '2030-06-01' }).asOf).toBe('2026-12-31');
    expect(details([], { asOf: '2026-12-31' }).asOf).toBe('2026-12-31');
  });
});

test('an open record says whether its own time is over on the day of the report, and a closed one stays as it was signed', () => {
  const open = recordOf({ due_at: '2026-10-20T00:00:00Z' });
  const closed = patchedOn('2026-10-06', { cve: 'CVE-2026-2', sla_compliance: 'within_sla', days_to_remediate: 1 });
  const said = (asOf: string) => details([open, closed], { asOf }).records.map(({ sla_compliance }) => sla_compliance);
  expect(said('2026-10-19')).toEqual(['pending', 'within_sla']);
  expect(said('2026-10-20')).toEqual(['overdue', 'within_sla']);
  expect(details([{ ...open, due_at: 'soon' }]).records).toHaveLength(1);
});

describe('what is refused', () => {
  test.each([
    ['a quarter that has not begun', [], { asOf: '2026-09-30T23:59:59Z' }, 'report.period_not_begun'],
    ['a time that is none', [], { asOf: 'today' }, 'report.as_of_invalid'],
    [
      'the same record twice',
      [recordOf({ id: 'a' }), recordOf({ id: 'a', cve: 'CVE-2026-2' })],
      {},
      'report.record_duplicate',
    ],
    ['dates that deny each other', [recordOf({ id: 'a', date_deployed: '2026-10-01' })], {}, 'report.dates_contradict'],
  ] as const)('%s', (_, records, request, code) => {
    const found = reportDetails(records, { ...OVER, ...request });
    expect(found).toMatchObject({ ok: false, issues: [{ code }] });
    if (records.length > 0) expect(JSON.stringify(found)).toContain('Record a');
  });
  test.each([
    ['2026-09-30', '2026-Q3'],
    ['2026-03-31', '2026-Q1'],
  ])('a quarter to come, with the one that can be asked for on %s', (asOf, quarter) => {
    const found = reportDetails([], { period: Q4, asOf });
    expect(found).toMatchObject({ issues: [{ expected: `${quarter}, or an earlier quarter` }] });
  });
  test('no more than a hundred issues are listed', () => {
    const found = reportDetails(
      Array.from({ length: 300 }, () => recordOf({ date_discovered: 'x', discovered_at: 'y' })),
      OVER,
    );
    expect(found.ok ? [] : found.issues).toHaveLength(100);
  });
});

test('another product is not looked at, not even at its dates', () => {
  const other = recordOf({ product: 'till', date_deployed: '2020-01-01', cve: 'CVE-2026-2' });
  expect(counts([recordOf(), other], { product: 'shop' })).toMatchObject({ in_period: 1 });
  expect(details([], { product: 'shop' }).product).toBe('shop');
});

describe('what has no severity, or no proof', () => {
  test.each(['none', 'unknown'] as const)('%s is counted as low, and said', (severity) => {
    expect(counts([recordOf({ severity })])).toMatchObject({ 'cves_by_severity.low': 1, without_severity: 1 });
  });
  test('what was accepted stays pending, and is overdue when it is', () => {
    const accepted = recordOf({ state: 'closed', closed_at: '2026-10-06T00:00:00Z', decision: 'accept' });
    expect(counts([accepted])).toMatchObject({ unproven: 1, overdue: 1, 'remediation_metrics.still_pending': 1 });
  });
});

const DAYS = ['2026-07-01', '2027-02-28'].map((day) => dayNumber(day)!) as [number, number];
const day = fc.integer({ min: DAYS[0], max: DAYS[1] }).map(formatDay);
const anyRecord = fc
  .record({
    cve: fc.integer({ min: 1, max: 12 }).map((number) => `CVE-2026-${number}`),
    severity: fc.constantFrom(...SEVERITIES),
    cisa_kev: fc.boolean(),
    product: fc.constantFrom('shop', 'till'),
    days: fc.tuple(day, day),
    how: fc.constantFrom('open', 'patched', 'not affected', 'accepted'),
  })
  .map(({ days, how, ...more }) => {
    const [date_discovered, end] = days.toSorted() as [string, string];
    if (how === 'patched') return patchedOn(end, { ...more, date_discovered });
    if (how === 'not affected') return notAffectedOn(end, { ...more, date_discovered });
    const closed = how === 'accepted' ? { state: 'closed' as const, closed_at: `${end}T00:00:00Z` } : {};
    return recordOf({ ...more, date_discovered, ...closed });
  });
const anyRecords = fc.array(anyRecord, { maxLength: 40 });

describe('laws', () => {
  test('the sums fit', () => {
    fc.assert(
      fc.property(anyRecords, day, (records, asOf) => {
        if (asOf < '2026-10-01') return;
        const { figures, cves } = details(records, { asOf });
        const count = (figure: Figure) => figures[figure].length;
        const { cves_by_severity, cve_sources, remediation_metrics, total_cves_discovered } = report(records, { asOf });
        const sum = (numbers: object) =>
          Object.values(numbers).reduce((total: number, one) => total + (typeof one === 'number' ? one : 0), 0);
        expect(sum(cves_by_severity)).toBe(total_cves_discovered);
        expect(sum(cve_sources)).toBe(total_cves_discovered);
        expect(sum(remediation_metrics)).toBe(total_cves_discovered + count('carried_over'));
        expect(cves).toHaveLength(sum(remediation_metrics));
        const { patched_within_sla, patched_out_of_sla } = remediation_metrics;
        expect(count('remediation_metrics.sla_compliance_rate')).toBe(
          patched_within_sla + patched_out_of_sla + count('overdue'),
        );
        expect(remediation_metrics.sla_compliance_rate === '100.0%').toBe(patched_out_of_sla + count('overdue') === 0);
        // Nobody is counted twice in one place, and nothing is counted that is not there.
        for (const figure of FIGURES) expect(new Set(figures[figure].map(({ cve }) => cve)).size).toBe(count(figure));
        const open = records.filter(
          ({ state, date_discovered }) => state === 'open' && date_discovered <= asOf && date_discovered < '2027-01-01',
        );
        const pending = new Set(figures['remediation_metrics.still_pending'].map(({ cve }) => cve));
        for (const { cve } of open) expect(pending).toContain(cve);
      }),
    );
  });
  test('the order of the records changes no byte', () => {
    fc.assert(
      fc.property(
        anyRecords.chain((records) =>
          fc.tuple(fc.constant(records), fc.shuffledSubarray(records, { minLength: records.length })),
        ),
        ([records, shuffled]) => {
          expect(JSON.stringify(details(shuffled))).toBe(JSON.stringify(details(records)));
        },
      ),
    );
  });
  test('the records that the report names give the same report alone', () => {
    fc.assert(
      fc.property(anyRecords, (records) => {
        const { records: named } = details(records);
        expect(report(named)).toEqual(report(records));
        expect(details(named).records).toEqual(named);
      }),
    );
  });
  test('an overdue critical stays in every report until it is patched', () => {
    fc.assert(
      fc.property(day, fc.constantFrom('2026-Q3', '2026-Q4', '2027-Q1'), (date_discovered, name) => {
        const period = quarter(name);
        const found = counts([recordOf({ severity: 'critical', date_discovered })], { period, asOf: '2027-03-31' });
        const asOf = Math.min(period.endDay - 1, dayNumber('2027-03-31')!);
        expect(found.overdue ?? 0).toBe(asOf - dayNumber(date_discovered)! > 1 ? 1 : 0);
      }),
    );
  });
});

test('it is the same bytes in every zone', () => {
  const script = `
    import { parsePeriod } from ${JSON.stringify(`${import.meta.dirname}/period.ts`)};
    import { quarterlyReport } from ${JSON.stringify(`${import.meta.dirname}/quarterly-report.ts`)};
    import { patchedOn, recordOf } from ${JSON.stringify(`${import.meta.dirname}/../../test/remediation-record.ts`)};
    const period = parsePeriod('2026-Q4').value;
    const artifacts = ${JSON.stringify(ARTIFACTS)};
    const records = [patchedOn('2026-12-31'), recordOf({ cve: 'CVE-2026-2', date_discovered: '2026-10-01' }), recordOf({ cve: 'CVE-2026-3', date_discovered: '2026-09-30' })];
    console.log(new Date('2026-11-21T12:00:00Z').getTimezoneOffset(), JSON.stringify(quarterlyReport(records, { period, asOf: '2027-01-01T00:00:00Z', artifacts })));`;
  const said = ['Pacific/Kiritimati', 'America/Los_Angeles', 'UTC'].map((TZ) => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
      env: { ...process.env, TZ },
      encoding: 'utf8',
    });
    expect(stderr).toBe('');
    return stdout.split(/ (.*)/s);
  });
  expect(said.map(([offset]) => offset)).toEqual(['-840', '480', '0']);
  expect(new Set(said.map(([, bytes]) => bytes)).size).toBe(1);
  expect(said[0]![1]).toContain('"total_cves_discovered":2');
});
