import type { RemediationRecord, ReportNotes } from '@colophon/records';
import { reportNotesSchema } from '@colophon/records';
import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import { patchedOn, recordOf } from '../../test/remediation-record.ts';
import { voidRecord } from '../remediation/void-record.ts';
import type { CheckedClosing } from './check-closing.ts';
import { ListingCheck } from './check-listings.ts';
import { parsePeriod } from './period.ts';
import { reportDetails } from './report-details.ts';
import { reportNotes } from './report-notes.ts';

const period = parsePeriod('2026-Q4');
const DIGEST = `sha256:${'0'.repeat(64)}`;

function notesOf(records: readonly RemediationRecord[], closings: readonly CheckedClosing[] = []): ReportNotes {
  const details = period.ok ? reportDetails(records, { period: period.value, asOf: '2026-11-21' }) : expect.fail();
  if (!details.ok) return expect.fail(JSON.stringify(details.issues));
  const catalog = { catalogVersion: '2026.11.20', count: 0, entries: new Map() };
  return reportNotes({
    details: details.value,
    uncounted: details.value.voided,
    closings,
    listings: new ListingCheck(records),
    catalog: { catalog, digest: DIGEST, checkedAt: null },
    inputs: [{ file: 'remediation-records-2026-Q4.json', digest: DIGEST }],
  });
}

const voided = voidRecord(recordOf({ cve: 'CVE-2026-7' }), {
  at: '2026-11-01T08:00:00Z',
  by: 'dana@example.com',
  cause: 'withdrawn_advisory',
  reason: 'withdrawn by its CNA',
});
const patched = patchedOn('2026-10-20', {
  cve: 'CVE-2026-8',
  remediation_priority: 'high-exploited',
  deployed_at: null,
});
const unproven: CheckedClosing = {
  record: patched,
  overrides: [],
  differences: [{ code: 'report.closing_unproven', path: 'record', expected: 'a scan', found: 'none' }],
};
const NOTES: ReadonlyArray<readonly [string, ReportNotes]> = [
  ['nothing', notesOf([])],
  ['an open record', notesOf([recordOf()])],
  [
    'a void, a patch and a closing that is not proven',
    notesOf([voided.ok ? voided.value : expect.fail(), patched], [unproven]),
  ],
];

test.each(NOTES)('notes on %s have the published form, and no other', (_, notes) => {
  expect(Check(reportNotesSchema, JSON.parse(JSON.stringify(notes)))).toBe(true);
  expect(Check(reportNotesSchema, { ...notes, more: 1 })).toBe(false);
  for (const name of Object.keys(notes)) {
    const { [name as keyof ReportNotes]: __, ...rest } = notes;
    expect(Check(reportNotesSchema, rest)).toBe(false);
  }
});

test('the hours of a deployment without a time are counted to the end of its day', () => {
  const [, , [, { exploited }]] = NOTES as [unknown, unknown, [string, ReportNotes]];
  expect(exploited.high_exploited).toMatchObject({ late: 1, known_by_day: 1 });
});
