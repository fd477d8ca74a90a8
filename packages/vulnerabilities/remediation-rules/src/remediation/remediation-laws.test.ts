import { formatInstant, parseInstant } from '@colophon/notation';
import { DECISIONS, REMEDIATION_PRIORITIES, type RemediationRecord, VEX_STATUSES } from '@colophon/records';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BY,
  catalogOf,
  done,
  findingOf,
  NEWER_SBOM,
  openAll,
  openedRecord,
  proofOf,
  rescanOf,
  sbomOf,
  scanOf,
} from '../../test/remediation-story.ts';
import { changeRecord } from './change-record.ts';
import { closeRecord } from './close-record.ts';
import { withComputedFields } from './computed-fields.ts';
import { escalateRecord } from './escalate-record.ts';
import { parseRemediationRecord } from './parse-remediation-record.ts';
import { DEFAULT_REMEDIATION_POLICY } from './remediation-policy.ts';

const POLICY = DEFAULT_REMEDIATION_POLICY;
const START = parseInstant('2026-11-02T08:00:00Z')!;
type Step = (record: RemediationRecord, at: string) => RemediationRecord;

/** The record after a step that was accepted, and as it was after one that was not. */
const kept = (record: RemediationRecord, result: { ok: boolean; value?: RemediationRecord }) =>
  result.ok ? result.value! : record;

const change = fc
  .record(
    {
      owner: fc.constantFrom(BY, 'eve@example.com', 'nobody'),
      tracking_id: fc.constantFrom('SEC-1', ''),
      decision: fc.constantFrom(...DECISIONS),
      patch_version: fc.constantFrom('2.17.1', '2.14.1'),
      vex_status: fc.constantFrom(...VEX_STATUSES),
      date_patched: fc.constantFrom('2026-11-03', '2026-11-09'),
      deployed: fc.constantFrom('2026-11-04', '2026-11-10T12:00:00Z'),
      reason: fc.constant('because'),
    },
    { requiredKeys: [] },
  )
  .map(
    (what): Step =>
      (record, at) =>
        kept(record, changeRecord(record, what, { at, by: BY, policy: POLICY })),
  );

const escalation = fc.constantFrom(catalogOf(), catalogOf('CVE-2021-44228'), catalogOf('GHSA-jfh8-c2jp-5v3q')).map(
  (catalog): Step =>
    (record, at) =>
      escalateRecord(record, catalog, { at, by: 'colophon' }),
);

const reopening = fc
  .record({
    score: fc.constantFrom(5, 8, 9.5),
    sbom: fc.constantFrom(sbomOf(), NEWER_SBOM),
    exploited: fc.constantFrom([], ['CVE-2021-44228']),
  })
  .map(
    ({ score, sbom, exploited }): Step =>
      (record, at) => {
        const scan = scanOf({ scannedAt: '2026-11-02T08:00:00Z', sbom, findings: [findingOf({ cvss: { score } })] });
        const { opened, reopened, updated, unchanged } = done(openAll({ at, scan, known: [record], exploited }));
        expect(opened).toEqual([]);
        return [...reopened, ...updated, ...unchanged][0]!;
      },
  );

/** Proofs of which none holds: each lacks one thing. */
const brokenProof = fc.constantFrom(
  proofOf({ sbom: sbomOf() }),
  proofOf({ scans: [] }),
  proofOf({ scans: [rescanOf({ findings: [findingOf()] })] }),
  proofOf({ scans: [rescanOf({ scanner: { name: 'trivy', databaseBuiltAt: '2026-11-09T00:00:00Z' } })] }),
  proofOf({ scans: [rescanOf({ scanner: { name: 'grype', databaseBuiltAt: '2026-10-01T00:00:00Z' } })] }),
  proofOf({ scans: [rescanOf({ scanner: { name: 'grype' } })] }),
  proofOf({ components: [findingOf().component] }),
);
const closing =
  (proof: ReturnType<typeof proofOf>): Step =>
  (record, at) =>
    kept(record, closeRecord(record, proof, { at, by: BY, policy: POLICY, others: [], evidence: [] }));

const withoutProof = fc.oneof(change, escalation, reopening, brokenProof.map(closing));
const anything = fc.oneof(change, escalation, reopening, fc.constant(closing(proofOf())));
const steps = (step: fc.Arbitrary<Step>) =>
  fc.array(fc.tuple(step, fc.integer({ min: 0, max: 96 })), { maxLength: 12 });

/** Runs the steps one after the other, hours apart, and tells every record on the way. */
function* story(
  list: ReadonlyArray<readonly [Step, number]>,
): Generator<{ record: RemediationRecord; before: RemediationRecord }> {
  let record = openedRecord();
  let hours = 10 * 24;
  for (const [step, more] of list) {
    hours += more;
    const before = record;
    record = step(record, formatInstant(START + hours * 3_600_000));
    yield { record, before };
  }
}

test('no sequence of changes reaches fixed or not_affected without proof', () => {
  fc.assert(
    fc.property(steps(withoutProof), (list) => {
      for (const { record } of story(list)) {
        expect(['under_investigation', 'affected']).toContain(record.vex_status);
        expect(record.state).toBe('open');
      }
    }),
  );
});

test('fixed is reached by proof, also in the middle of such a sequence', () => {
  const reached = fc.sample(steps(anything), 200).flatMap((list) => [...story(list)]);
  expect(reached.some(({ record }) => record.vex_status === 'fixed')).toBe(true);
  expect(reached.some(({ record }) => record.history.some(({ action }) => action === 'reopened'))).toBe(true);
});

test('nothing that happens lowers a priority, extends a time, or moves a discovery', () => {
  fc.assert(
    fc.property(steps(anything), (list) => {
      for (const { record, before } of story(list)) {
        const rank = (one: RemediationRecord) => REMEDIATION_PRIORITIES.indexOf(one.remediation_priority);
        expect(rank(record)).toBeLessThanOrEqual(rank(before));
        expect(parseInstant(record.due_at!)).toBeLessThanOrEqual(parseInstant(before.due_at!)!);
        expect(record.discovered_at).toBe(before.discovered_at);
        expect(record.id).toBe(before.id);
      }
    }),
  );
});

test('a history only grows, and says what the record is; what follows from the record follows at every reading', () => {
  fc.assert(
    fc.property(steps(anything), (list) => {
      for (const { record, before } of story(list)) {
        expect(record.history.slice(0, before.history.length)).toEqual(before.history);
        const read = parseRemediationRecord(JSON.parse(JSON.stringify(record)));
        expect(read).toEqual({ ok: true, value: record });
        const { affected: _, days_to_remediate: __, sla_compliance: ___, ...stated } = record;
        const at = record.history.at(-1)!.at;
        expect(withComputedFields(stated, at)).toEqual(withComputedFields(record, at));
      }
    }),
  );
});
