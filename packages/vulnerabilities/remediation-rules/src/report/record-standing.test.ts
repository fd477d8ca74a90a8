import { dayNumber, formatDay } from '@colophon/notation';
import type { RemediationRecord } from '@colophon/records';
import { describe, expect, test } from 'vitest';
import { notAffectedOn, patchedOn, recordOf } from '../../test/remediation-record.ts';
import { dateIssues, standingAt } from './record-standing.ts';

function at(day: string, record: RemediationRecord): string {
  const standing = standingAt(record, dayNumber(day)!);
  if (standing === undefined) return 'unknown';
  const { outcome, resolved, days } = standing;
  return `${outcome} ${days}${resolved === undefined ? '' : ` ${formatDay(resolved)}`}`;
}

describe('how a record stands at the end of a day', () => {
  const patched = patchedOn('2026-10-12');
  const justified = notAffectedOn('2026-10-12');
  const accepted = recordOf({ state: 'closed', closed_at: '2026-10-12T00:00:00Z', decision: 'accept' });
  test.each<[string, string, RemediationRecord, string]>([
    ['the day before discovery', '2026-10-04', patched, 'unknown'],
    ['the day of discovery', '2026-10-05', patched, 'open 0'],
    ['before deployment', '2026-10-11', patched, 'open 6'],
    ['the day of deployment', '2026-10-12', patched, 'patched 7 2026-10-12'],
    ['long after', '2027-10-12', patched, 'patched 7 2026-10-12'],
    [
      'deployed, and proven later',
      '2026-10-12',
      { ...patched, closed_at: '2026-12-01T00:00:00Z' },
      'patched 7 2026-10-12',
    ],
    ['deployed, and not proven', '2026-10-13', recordOf({ date_deployed: '2026-10-12' }), 'open 8'],
    ['before the statement', '2026-10-11', justified, 'open 6'],
    ['not affected', '2026-10-12', justified, 'not_affected 7 2026-10-12'],
    ['a day of another zone', '2026-10-12', { ...justified, closed_at: '2026-10-12T23:30:00-02:00' }, 'open 7'],
    ['said to be not affected, and still open', '2026-10-12', recordOf({ vex_status: 'not_affected' }), 'open 7'],
    ['not affected without a document', '2026-10-12', { ...justified, evidence: [] }, 'unproven 7'],
    ['accepted', '2026-10-12', accepted, 'unproven 7'],
    ['accepted later', '2026-10-11', accepted, 'open 6'],
    ['over a leap day', '2028-03-01', recordOf({ date_discovered: '2028-02-28' }), 'open 2'],
    ['over the end of February', '2026-03-01', recordOf({ date_discovered: '2026-02-28' }), 'open 1'],
  ])('%s', (_, day, record, expected) => expect(at(day, record)).toBe(expected));

  test('a reopening does not reach back', () => {
    const reopened = recordOf({
      history: [
        { at: '2026-10-05T08:00:00Z', by: 'colophon', action: 'opened', changes: {} },
        {
          at: '2026-10-12T20:00:00Z',
          by: 'dana@example.com',
          action: 'closed',
          changes: { vex_status: ['affected', 'fixed'] },
        },
        {
          at: '2027-01-09T08:00:00Z',
          by: 'colophon',
          action: 'reopened',
          changes: {
            vex_status: ['fixed', 'affected'],
            date_deployed: ['2026-10-12', null],
            state: ['closed', 'open'],
          },
        },
        {
          at: '2027-01-10T08:00:00Z',
          by: 'dana@example.com',
          action: 'updated',
          changes: { date_patched: [null, '2027-01-10'] },
        },
      ],
    });
    expect(at('2026-12-31', reopened)).toBe('patched 7 2026-10-12');
    expect(at('2027-01-08', reopened)).toBe('patched 7 2026-10-12');
    expect(at('2027-01-09', reopened)).toBe('open 96');
  });

  test('after a second closing the first one still counts where it was', () => {
    const twice = patchedOn('2027-02-01', {
      history: [
        { at: '2026-10-12T12:00:00Z', by: 'dana@example.com', action: 'closed', changes: {} },
        {
          at: '2027-01-09T08:00:00Z',
          by: 'colophon',
          action: 'reopened',
          changes: { vex_status: ['not_affected', 'affected'] },
        },
        {
          at: '2027-02-01T20:00:00Z',
          by: 'dana@example.com',
          action: 'closed',
          changes: {
            vex_status: ['affected', 'fixed'],
            date_deployed: [null, '2027-02-01'],
            closed_at: [null, '2027-02-01T20:00:00Z'],
          },
        },
      ],
      evidence: [{ kind: 'vex', digest: 'sha256:aa', name: 'a' }],
    });
    expect(at('2026-12-31', twice)).toBe('not_affected 7 2026-10-12');
    expect(at('2027-01-31', twice)).toBe('open 118');
    expect(at('2027-02-01', twice)).toBe('patched 119 2027-02-01');
  });
});

describe('dates that deny each other', () => {
  const codes = (record: RemediationRecord) => dateIssues(record).map(({ path, code }) => `${path} ${code}`);
  test.each([recordOf(), patchedOn('2026-10-05'), patchedOn('2026-12-31'), notAffectedOn('2026-10-05')])(
    'none in %#',
    (record) => expect(codes(record)).toEqual([]),
  );
  test.each<[string, Partial<RemediationRecord>, string, string]>([
    ['deployed before discovery', { date_deployed: '2026-10-04' }, 'date_deployed', 'dates_contradict'],
    [
      'patched after deployment',
      { date_patched: '2026-10-08', date_deployed: '2026-10-07' },
      'date_patched',
      'dates_contradict',
    ],
    [
      'closed before discovery',
      { state: 'closed', closed_at: '2026-10-04T23:59:59Z' },
      'closed_at',
      'dates_contradict',
    ],
    ['closed at no time', { state: 'closed' }, 'closed_at', 'dates_contradict'],
    ['open with a time of closing', { closed_at: '2026-10-06T00:00:00Z' }, 'closed_at', 'dates_contradict'],
    [
      'fixed without deployment',
      { state: 'closed', closed_at: '2026-10-06T00:00:00Z', vex_status: 'fixed' },
      'date_deployed',
      'dates_contradict',
    ],
    [
      'proven before deployment',
      { state: 'closed', closed_at: '2026-10-06T00:00:00Z', vex_status: 'fixed', date_deployed: '2026-10-07' },
      'closed_at',
      'dates_contradict',
    ],
    ['another day of discovery', { discovered_at: '2026-10-06T00:00:00Z' }, 'discovered_at', 'dates_contradict'],
    [
      'another day of deployment',
      { date_deployed: '2026-10-07', deployed_at: '2026-10-08T00:00:00Z' },
      'deployed_at',
      'dates_contradict',
    ],
    ['a day that is none', { date_deployed: '2026-02-29', deployed_at: null }, 'date_deployed', 'date_invalid'],
    ['a time for a day', { date_patched: '2026-10-06T00:00:00Z' }, 'date_patched', 'date_invalid'],
    ['a time without zone', { state: 'closed', closed_at: '2026-10-06T00:00:00' }, 'closed_at', 'date_invalid'],
    [
      'no day of discovery',
      { date_discovered: null as never, discovered_at: '2026-10-05T00:00:00Z' },
      'date_discovered',
      'date_invalid',
    ],
  ])('%s', (_, more, field, code) => {
    const { id, ...record } = recordOf(more);
    expect(codes({ ...record, id })).toEqual([`/${id}/${field} report.${code}`]);
  });
  test('a day of deployment that is the day of that instant in UTC is no contradiction', () => {
    expect(codes(recordOf({ discovered_at: '2026-10-06T01:00:00+02:00' }))).toEqual([]);
  });
});
