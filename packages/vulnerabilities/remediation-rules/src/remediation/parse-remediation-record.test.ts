import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BY, CLOSED_AT, done, openedRecord, proofOf } from '../../test/remediation-story.ts';
import { closeRecord } from './close-record.ts';
import { withComputedFields } from './computed-fields.ts';
import { parseRemediationRecord } from './parse-remediation-record.ts';
import { DEFAULT_REMEDIATION_POLICY } from './remediation-policy.ts';

const OPEN = openedRecord();
const CLOSED = done(
  closeRecord(OPEN, proofOf(), { at: CLOSED_AT, by: BY, policy: DEFAULT_REMEDIATION_POLICY, others: [], evidence: [] }),
);
const codesOf = (value: unknown) => {
  const parsed = parseRemediationRecord(value);
  return parsed.ok ? [] : parsed.issues.map(({ code, path }) => `${code} ${path}`);
};

test('an open record is read whether or not its time is over by now', () => {
  expect(codesOf(withComputedFields(OPEN, '2027-01-01T00:00:00Z'))).toEqual([]);
  expect(codesOf({ ...CLOSED, sla_compliance: 'overdue' })).toEqual(['remediation.computed_differs /sla_compliance']);
});

const { owner: _, ...ownerless } = OPEN;
test.each<[codes: string[], value: unknown]>([
  [['remediation.field_invalid '], null],
  [['remediation.field_invalid '], [OPEN]],
  [['remediation.field_missing /owner'], ownerless],
  [['remediation.field_missing /owner'], Object.assign(Object.create({ owner: BY }), ownerless)],
  [['remediation.field_invalid /cve'], { ...OPEN, cve: '' }],
  [['remediation.field_invalid /date_discovered'], { ...OPEN, date_discovered: '2026-02-30' }],
  [['remediation.field_invalid /date_discovered'], { ...OPEN, date_discovered: '2026-11-03' }],
  [['remediation.field_invalid /severity'], { ...OPEN, severity: 'Critical' }],
  [['remediation.field_invalid /cvss_score'], { ...OPEN, cvss_score: 11 }],
  [['remediation.field_invalid /evidence'], { ...OPEN, evidence: [{ kind: 'scan', digest: 'sha256:1', name: 'x' }] }],
  [
    ['remediation.field_invalid /history'],
    { ...OPEN, history: OPEN.history.map((event) => ({ ...event, reason: 5 })) },
  ],
  [['remediation.field_invalid /sightings'], { ...OPEN, sightings: [{}] }],
  [['remediation.field_invalid /resolution'], { ...CLOSED, resolution: { kind: 'rescan' } }],
  [['remediation.field_invalid /state'], { ...CLOSED, resolution: null }],
  [['remediation.field_invalid /state', 'remediation.history_invalid /closed_at'], { ...CLOSED, closed_at: null }],
  [
    ['remediation.field_invalid /vex_status'],
    { ...OPEN, closing_signature: { bundle: OPEN.evidence[0]!.digest, signer: BY } },
  ],
  [['remediation.computed_differs /affected'], { ...OPEN, affected: false }],
  [['remediation.computed_differs /days_to_remediate'], { ...CLOSED, days_to_remediate: 1 }],
  [['remediation.computed_differs /sla_compliance'], { ...CLOSED, sla_compliance: 'within_sla' }],
  [['remediation.history_invalid /history'], { ...OPEN, history: [] }],
  [['remediation.history_invalid /history'], { ...CLOSED, history: CLOSED.history.toReversed() }],
  [['remediation.history_invalid /history'], { ...CLOSED, history: CLOSED.history.slice(1) }],
  [
    ['remediation.history_invalid /discovered_at'],
    { ...OPEN, date_discovered: '2026-11-03', discovered_at: '2026-11-03T08:00:00Z' },
  ],
  [
    ['remediation.history_invalid /discovered_at'],
    { ...CLOSED, date_discovered: '2026-11-10', discovered_at: '2026-11-10T08:00:00Z', days_to_remediate: 1 },
  ],
  [['remediation.history_invalid /owner'], { ...OPEN, owner: 'eve@example.com' }],
])('refused: %j', (codes, value) => {
  expect(codesOf(value)).toEqual(codes);
});

test.each<[field: keyof typeof OPEN, expected: string]>([
  ['cve', 'text'],
  ['affected', 'true or false'],
  ['cvss_score', 'a number from 0 to 10, or null'],
  ['days_to_remediate', 'an integer, or null'],
  ['state', 'open, closed'],
  ['aliases', 'a list, each text'],
  ['evidence', 'a list, each an object with kind, digest, name'],
  ['closing_signature', 'an object with bundle, signer, or null'],
  [
    'resolution',
    'an object with kind, sbom, scans, or an object with kind, document, justification, stated_at, signer, or an object with kind, cause, or null',
  ],
])('what %s has to be is said as the schema has it', (field, expected) => {
  const parsed = parseRemediationRecord({ ...OPEN, [field]: -1.5 });
  expect(parsed.ok ? [] : parsed.issues).toMatchObject([{ path: `/${field}`, expected }]);
});

test('whoever sets a record to fixed by hand is told by its state and by its history', () => {
  expect(codesOf({ ...OPEN, vex_status: 'fixed' })).toEqual([
    'remediation.field_invalid /vex_status',
    'remediation.history_invalid /vex_status',
  ]);
});

test('nothing makes it throw', () => {
  fc.assert(
    fc.property(fc.constantFrom('due_at', 'remediation_priority'), fc.jsonValue(), (field, value) => {
      const [opened] = OPEN.history;
      const changes = { ...opened!.changes, [field]: [null, value] };
      expect(typeof parseRemediationRecord({ ...OPEN, history: [{ ...opened, changes }] }).ok).toBe('boolean');
    }),
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(OPEN)), fc.jsonValue(), (field, value) => {
      expect(typeof parseRemediationRecord({ ...OPEN, [field]: value }).ok).toBe('boolean');
    }),
  );
});
