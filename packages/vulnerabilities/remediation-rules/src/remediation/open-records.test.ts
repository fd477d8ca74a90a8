import type { RemediationRecord } from '@colophon/records';
import { expect, test } from 'vitest';
import {
  BY,
  CLOSED_AT,
  codesOf,
  digestOf,
  done,
  FOUND_AT,
  findingOf,
  LOG4J,
  NEWER_SBOM,
  openAll,
  openedRecord,
  proofOf,
  rescanOf,
  sbomOf,
  scanOf,
} from '../../test/remediation-story.ts';
import { closeRecord } from './close-record.ts';
import { parseRemediationRecord } from './parse-remediation-record.ts';
import { DEFAULT_REMEDIATION_POLICY } from './remediation-policy.ts';

const LATER = '2026-11-05T08:00:00Z';

function fixed(record: RemediationRecord): RemediationRecord {
  const context = { at: CLOSED_AT, by: BY, policy: DEFAULT_REMEDIATION_POLICY, others: [], evidence: [] };
  return done(closeRecord(record, proofOf(), context));
}

test('a finding becomes a record with every field of the contract', () => {
  const record = openedRecord({ exploited: ['CVE-2021-44228'] });
  expect(record).toMatchObject({
    cve: 'CVE-2021-44228',
    component: 'log4j-core',
    current_version: '2.14.1',
    affected: true,
    decision: 'undecided',
    patch_version: null,
    estimated_patch_date: null,
    vex_status: 'under_investigation',
    owner: BY,
    tracking_id: 'SEC-1',
    date_discovered: '2026-11-02',
    date_patched: null,
    date_deployed: null,
    cisa_kev: true,
    days_to_remediate: null,
    sla_compliance: 'pending',
    product: 'shop',
    severity: 'critical',
    cvss_score: 10,
    remediation_priority: 'critical-exploited',
    due_at: '2026-11-03T08:00:00Z',
    scanner: 'grype',
  });
  expect(record.history).toEqual([expect.objectContaining({ at: FOUND_AT, by: BY, action: 'opened' })]);
  expect(parseRemediationRecord(JSON.parse(JSON.stringify(record)))).toEqual({ ok: true, value: record });
});

test('it was discovered when the scanner looked, and where that is not known, now', () => {
  expect(openedRecord({ at: LATER }).discovered_at).toBe(FOUND_AT);
  const { scannedAt: _, ...unsaid } = scanOf().record;
  expect(openedRecord({ at: LATER, scan: { ...scanOf(), record: unsaid } }).discovered_at).toBe(LATER);
});

test('the same vulnerability in two versions of a component is one record, in two components two', () => {
  const other = { name: 'log4j-shaded', version: '1', purl: 'pkg:maven/com.example/log4j-shaded@1' };
  const findings = [
    findingOf(),
    findingOf({ component: { ...LOG4J, version: '2.13.0', purl: LOG4J.purl.replace('2.14.1', '2.13.0') } }),
    findingOf({ component: other }),
  ];
  const { opened } = done(openAll({ scan: scanOf({ findings }) }));
  expect(opened.map(({ component, current_version }) => [component, current_version])).toEqual([
    ['log4j-shaded', '1'],
    ['log4j-core', '2.13.0, 2.14.1'],
  ]);
});

test('opening the same again changes nothing, whoever does it', () => {
  const record = openedRecord();
  const again = done(openAll({ known: [record], by: 'eve@example.com', at: LATER }));
  expect(again).toEqual({ opened: [], reopened: [], updated: [], unchanged: [record] });
});

test('opening the same scan again with its SBOM keeps that, too, once', () => {
  const record = openedRecord();
  const sbom = { kind: 'sbom' as const, digest: sbomOf().digest, name: 'shop.cdx.json' };
  const [learned] = done(openAll({ known: [record], sbom, at: LATER })).updated;
  expect(learned!.evidence).toEqual([...record.evidence, sbom]);
  expect(done(openAll({ known: [learned!], sbom, at: LATER })).updated).toEqual([]);
  expect(parseRemediationRecord(JSON.parse(JSON.stringify(learned)))).toEqual({ ok: true, value: learned });
});

test('opening again learns version, severity, exploitation and more names, and keeps what was decided and discovered', () => {
  const record = openedRecord({ scan: scanOf({ findings: [findingOf({ severity: 'high', cvss: { score: 8 } })] }) });
  const scan = scanOf(
    {
      scannedAt: LATER,
      sbom: sbomOf({ digest: digestOf('e'), timestamp: '2026-11-05T07:00:00Z' }),
      findings: [
        findingOf({
          component: { ...LOG4J, version: '2.14.2', purl: LOG4J.purl.replace('.1', '.2') },
          aliases: ['X-1'],
        }),
      ],
    },
    digestOf('f'),
  );
  const { updated } = done(
    openAll({ known: [record], at: LATER, scan, exploited: ['CVE-2021-44228'], owner: 'eve@example.com' }),
  );
  expect(updated[0]).toMatchObject({
    id: record.id,
    current_version: '2.14.2',
    severity: 'critical',
    cvss_score: 10,
    cisa_kev: true,
    remediation_priority: 'critical-exploited',
    due_at: '2026-11-06T08:00:00Z',
    owner: BY,
    discovered_at: FOUND_AT,
    aliases: ['GHSA-jfh8-c2jp-5v3q', 'X-1'],
  });
  expect(updated[0]!.history.map(({ action }) => action)).toEqual(['opened', 'updated']);
  expect(parseRemediationRecord(updated[0])).toMatchObject({ ok: true });
});

test('a milder score is noted, and makes nothing less urgent', () => {
  const record = openedRecord();
  const findings = [findingOf({ severity: 'medium', cvss: { score: 5 } })];
  const scan = scanOf({ findings, scanner: { name: 'grype', databaseBuiltAt: '2026-11-04T00:00:00Z' } });
  const { updated } = done(openAll({ known: [record], at: LATER, scan }));
  expect(updated[0]).toMatchObject({ severity: 'medium', cvss_score: 5 });
  expect(updated[0]).toMatchObject({ remediation_priority: 'critical', due_at: record.due_at });
});

test('where no catalog was asked, nothing is said against what a catalog said before', () => {
  const record = openedRecord({ exploited: ['CVE-2021-44228'] });
  const context = { known: [record], at: LATER };
  expect(done(openAll({ ...context, catalogVersion: undefined as never })).unchanged).toEqual([record]);
  expect(done(openAll(context)).updated[0]).toMatchObject({
    cisa_kev: false,
    remediation_priority: 'critical-exploited',
    due_at: record.due_at,
  });
});

test('a second scanner is a second sighting, and what it knows is added whichever came first', () => {
  const trivy = scanOf({ scanner: { name: 'trivy' }, findings: [findingOf({ severity: 'high', cvss: { score: 8 } })] });
  const one = done(openAll({ known: [openedRecord()], at: LATER, scan: trivy })).updated[0]!;
  const other = done(openAll({ known: [openedRecord({ scan: trivy })], at: LATER })).updated[0]!;
  expect(one.sightings.map(({ scanner }) => scanner)).toEqual(['grype', 'trivy']);
  for (const field of ['sightings', 'severity', 'cvss_score', 'current_version'] as const) {
    expect(other[field]).toEqual(one[field]);
  }
});

test('one run of a scanner that is written down in parts has seen what all of them say', () => {
  const part = (version: string, digest: string) =>
    scanOf(
      { findings: [findingOf({ component: { ...LOG4J, version, purl: LOG4J.purl.replace('2.14.1', version) } })] },
      digest,
    );
  const [one, other] = [part('2.14.1', digestOf('1')), part('2.13.0', digestOf('2'))];
  const both = done(openAll({ known: [openedRecord({ scan: one })], scan: other })).updated[0]!;
  expect(both.current_version).toBe('2.13.0, 2.14.1');
  for (const again of [one, other]) expect(done(openAll({ known: [both], scan: again })).unchanged).toEqual([both]);
});

test('one vulnerability in ten thousand components is found by component, with and without package URLs', () => {
  const findings = Array.from({ length: 10_000 }, (_, index) => {
    const name = `part-${index}`;
    return findingOf({
      component: index % 2 === 0 ? { name, version: '1' } : { name, version: '1', purl: `pkg:npm/${name}@1` },
    });
  });
  const scan = scanOf({ findings });
  const { opened } = done(openAll({ scan }));
  expect(opened).toHaveLength(10_000);
  expect(done(openAll({ scan, known: opened })).unchanged).toHaveLength(10_000);
  const named = scanOf({ findings: [findingOf({ component: { name: 'part-1', version: '1' } })] });
  expect(done(openAll({ scan: named, known: opened })).opened).toEqual([]);
});

test('a record that was opened under another id is found by its alias, and takes the CVE', () => {
  const ghsa = openedRecord({ scan: scanOf({ findings: [findingOf({ id: 'GHSA-jfh8-c2jp-5v3q', aliases: [] })] }) });
  const { opened, updated } = done(openAll({ known: [ghsa], at: LATER }));
  expect(opened).toEqual([]);
  expect(updated[0]).toMatchObject({ id: ghsa.id, cve: 'CVE-2021-44228', aliases: ['GHSA-jfh8-c2jp-5v3q'] });
});

test('an older build that lists it says nothing new', () => {
  const record = openedRecord();
  const scan = scanOf({ sbom: sbomOf({ digest: digestOf('e'), timestamp: '2026-10-01T07:00:00Z' }) });
  expect(done(openAll({ known: [record], at: LATER, scan })).unchanged).toEqual([record]);
  const closed = fixed(record);
  expect(done(openAll({ known: [closed], at: CLOSED_AT, scan })).unchanged).toEqual([closed]);
});

test('what was fixed is opened again where the same or a later SBOM lists it, and counts from its first discovery', () => {
  const closed = fixed(openedRecord());
  const later = sbomOf({ digest: digestOf('e'), timestamp: '2026-11-15T07:00:00Z' });
  for (const sbom of [NEWER_SBOM, later]) {
    const scan = rescanOf({ sbom, findings: [findingOf()] });
    const { reopened } = done(openAll({ known: [closed], at: '2026-11-16T00:00:00Z', scan }));
    expect(reopened[0]).toMatchObject({
      state: 'open',
      vex_status: 'under_investigation',
      closed_at: null,
      date_deployed: null,
      patch_version: null,
      resolution: null,
      days_to_remediate: null,
      discovered_at: FOUND_AT,
      sla_compliance: 'overdue',
    });
    expect(reopened[0]!.history.map(({ action }) => action)).toEqual(['opened', 'closed', 'reopened']);
    expect(parseRemediationRecord(reopened[0])).toMatchObject({ ok: true });
  }
});

test('the same build is one product in any version, another product has records of its own', () => {
  const record = openedRecord();
  const scan = scanOf({ sbom: sbomOf({ artifact: 'till' }) });
  expect(done(openAll({ known: [record], scan })).opened[0]!.id).not.toBe(record.id);
});

test('a scanner that lists it and does not count it has listed it, and the history says so', () => {
  const reportedBy = [{ scanner: 'grype', id: 'CVE-2021-44228', suppressed: 'ignored by a rule' }];
  const record = openedRecord({ scan: scanOf({ findings: [findingOf({ reportedBy })] }) });
  expect(record.history[0]!.reason).toContain('ignored by a rule');
});

test('of findings that were handed on, each scanner that they name has seen it', () => {
  const reportedBy = [
    { scanner: 'trivy', id: 'CVE-2021-44228' },
    { scanner: 'grype', id: 'GHSA-jfh8-c2jp-5v3q' },
  ];
  const scanner = { name: 'unknown' };
  const seenBy = (findings: ReturnType<typeof findingOf>[]) =>
    openedRecord({ scan: scanOf({ scanner, findings }) }).sightings.map((sighting) => sighting.scanner);
  expect(seenBy([findingOf({ reportedBy })])).toEqual(['grype', 'trivy']);
  expect(seenBy([findingOf()])).toEqual(['unknown']);
});

const { artifact: _, ...nameless } = sbomOf();
test.each([
  ['remediation.product_missing', { scan: scanOf({ sbom: nameless }) }],
  ['remediation.product_missing', { product: ' ', scan: scanOf({ sbom: nameless }) }],
  ['remediation.sbom_other_artifact', { product: 'till' }],
  ['remediation.scan_of_other_sbom', { sbom: { kind: 'sbom' as const, digest: digestOf('e'), name: 'other.json' } }],
  ['remediation.scan_in_future', { scan: scanOf({ scannedAt: '2026-11-02T08:00:01Z' }) }],
  [
    'remediation.scan_in_future',
    { scan: scanOf({ scanner: { name: 'grype', databaseBuiltAt: '2026-11-02T08:00:01Z' } }) },
  ],
  ['remediation.sbom_in_future', { scan: scanOf({ sbom: sbomOf({ timestamp: '2026-11-03T00:00:00+02:00' }) }) }],
  ['remediation.owner_invalid', { owner: 'Dana' }],
  ['remediation.tracking_id_invalid', { trackingId: 'SEC\n1' }],
])('nothing is opened: %s', (code, more) => {
  expect(codesOf(openAll(more))).toEqual([code]);
});

test('an owner and a tracking id that cannot be are refused although every record is there already', () => {
  const again = { known: [openedRecord()], owner: 'notanemail', trackingId: 'SEC\n1' };
  expect(codesOf(openAll(again))).toEqual(['remediation.owner_invalid', 'remediation.tracking_id_invalid']);
});

test('a policy may ask for an owner and a tracking id before anything is opened, and not for what is open', () => {
  const policy = {
    ...DEFAULT_REMEDIATION_POLICY,
    owner: { required: 'opening' as const, domains: ['example.com'] },
    trackingId: { required: 'opening' as const, pattern: 'SEC-[0-9]+', matches: (id: string) => id.startsWith('SEC-') },
  };
  const none = { owner: undefined as never, trackingId: undefined as never, policy };
  const refused = openAll(none);
  expect(codesOf(refused)).toEqual(['remediation.owner_missing', 'remediation.tracking_id_missing']);
  expect(refused).toMatchObject({
    issues: [
      { next: expect.stringMatching(/^colophon .* --owner EMAIL$/) },
      { next: expect.stringMatching(/^colophon .* --tracking-id ID$/) },
    ],
  });
  expect(codesOf(openAll({ policy, owner: 'dana@example.net', trackingId: 'X-1' }))).toEqual([
    'remediation.owner_not_allowed',
    'remediation.tracking_id_invalid',
  ]);
  expect(codesOf(openAll({ policy, owner: 'dana@EXAMPLE.com' }))).toEqual([]);
  expect(codesOf(openAll({ ...none, known: [openedRecord()] }))).toEqual([]);
});
