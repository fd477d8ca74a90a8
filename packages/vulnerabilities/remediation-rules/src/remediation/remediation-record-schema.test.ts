import {
  DECISIONS,
  REMEDIATION_ACTIONS,
  REMEDIATION_PRIORITIES,
  type RemediationRecord,
  remediationRecordSchema,
  SEVERITIES,
  SLA_COMPLIANCES,
  VEX_JUSTIFICATIONS,
  VEX_STATUSES,
  VOID_CAUSES,
} from '@colophon/records';
import { changesOf } from '@colophon/testkit';
import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import { BY, CLOSED_AT, catalogOf, digestOf, done, openedRecord, proofOf } from '../../test/remediation-story.ts';
import { closeRecord, withClosingSignature } from './close-record.ts';
import { escalateRecord } from './escalate-record.ts';
import { parseRemediationRecord } from './parse-remediation-record.ts';
import { withEvent } from './record-history.ts';
import { DEFAULT_REMEDIATION_POLICY } from './remediation-policy.ts';
import { voidRecord } from './void-record.ts';

const isValid = (record: unknown) => Check(remediationRecordSchema, JSON.parse(JSON.stringify(record)));
const codesOf = (record: unknown) => {
  const read = parseRemediationRecord(JSON.parse(JSON.stringify(record)));
  return read.ok ? [] : read.issues;
};

const opened = openedRecord();
const fixed = withClosingSignature(
  done(
    closeRecord(opened, proofOf(), {
      at: CLOSED_AT,
      by: BY,
      policy: DEFAULT_REMEDIATION_POLICY,
      others: [],
      evidence: [{ kind: 'scan', digest: digestOf('d'), name: 'scan.json' }],
    }),
  ),
  { bundle: digestOf('e'), signer: BY },
);
const justified = withEvent(
  opened,
  {
    vex_status: 'not_affected',
    state: 'closed',
    closed_at: CLOSED_AT,
    resolution: {
      kind: 'statement',
      document: digestOf('f'),
      justification: VEX_JUSTIFICATIONS[0]!,
      stated_at: CLOSED_AT,
      signer: BY,
    },
  },
  { at: CLOSED_AT, by: BY, action: 'closed' },
);
const RECORDS: ReadonlyArray<readonly [string, RemediationRecord]> = [
  ['open', opened],
  ['escalated', escalateRecord(opened, catalogOf(opened.cve), { at: CLOSED_AT, by: 'colophon' })],
  ['fixed', fixed],
  ['not affected', justified],
  ['void', done(voidRecord(opened, { at: CLOSED_AT, by: BY, cause: 'mistake', reason: 'a test' }))],
];

test.each(RECORDS)('a record that is %s has the published form', (_, record) => {
  expect(codesOf(record)).toEqual([]);
  expect(isValid(record)).toBe(true);
});

const WRONG = [
  ...[undefined, null, '', 'x', -1, 0.5, 11, 2 ** 53, true, [], ['x'], {}],
  ...['2026-13-01', '2026-02-30', '2026-11-02', '2026-02-30T00:00:00Z', CLOSED_AT],
];

test.each(RECORDS)('of a record that is %s both refuse the same changes of form', (_, record) => {
  let refused = 0;
  for (const [path, change] of changesOf(record)) {
    // What stands in an event's changes may be anything; the history as a whole is checked in another way.
    if (path.includes('/changes')) continue;
    for (const wrong of WRONG) {
      const changed = change(wrong);
      const issues = codesOf(changed);
      // A field that has another form than it needs; what contradicts another field has no form to be expected.
      const isMalformed = issues.some(({ code, expected }) => /field_/.test(code) && expected !== undefined);
      const valid = isValid(changed);
      if (isMalformed) expect([path, wrong, valid]).toEqual([path, wrong, false]);
      if (!valid) expect([path, wrong, issues.length > 0]).toEqual([path, wrong, true]);
      refused += Number(!valid);
    }
  }
  expect(refused).toBeGreaterThan(300);
});

test('the words of a field are those that the program knows', () => {
  const { decision, vex_status, sla_compliance, severity, remediation_priority, resolution, history } =
    remediationRecordSchema.properties;
  expect(decision.enum).toEqual(DECISIONS);
  expect(vex_status.enum.toSorted()).toEqual(VEX_STATUSES.toSorted());
  expect(sla_compliance.enum).toEqual(SLA_COMPLIANCES);
  expect(severity.enum).toEqual(SEVERITIES);
  expect(remediation_priority.enum).toEqual(REMEDIATION_PRIORITIES);
  expect(resolution.anyOf[2].properties.justification.enum).toEqual(VEX_JUSTIFICATIONS);
  expect(resolution.anyOf[3].properties.cause.enum).toEqual(VOID_CAUSES);
  expect(history.items.properties.action.enum).toEqual(REMEDIATION_ACTIONS);
});
