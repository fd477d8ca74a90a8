import type { FindingComponent, RemediationRecord, UnreadEntry } from '@colophon/records';
import { DRAFT_LABEL, type VexDocument, type VexStatement } from '@colophon/vex';
import { expect, test } from 'vitest';
import {
  BY,
  CLOSED_AT,
  catalogOf,
  codesOf,
  digestOf,
  done,
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
import { changeRecord } from './change-record.ts';
import { type ClosingProof, closeRecord, signedPart, withClosingSignature } from './close-record.ts';
import { escalateRecord } from './escalate-record.ts';
import { parseRemediationRecord } from './parse-remediation-record.ts';
import type { RemediationIssue } from './remediation-issue.ts';
import { DEFAULT_REMEDIATION_POLICY } from './remediation-policy.ts';
import type { RescanProof } from './rescan-proof.ts';
import type { StatementProof } from './statement-proof.ts';

const CONTEXT = { at: CLOSED_AT, by: BY, policy: DEFAULT_REMEDIATION_POLICY, others: [], evidence: [] };
const close = (record: RemediationRecord, proof: ClosingProof, more: object = {}) =>
  closeRecord(record, proof, { ...CONTEXT, ...more });
const proofWith = (record: object, more: Partial<RescanProof> = {}) => proofOf({ scans: [rescanOf(record)], ...more });

test('a silent scan of a newer SBOM closes the record as fixed, and says everything that follows', () => {
  const evidence = [{ kind: 'scan' as const, digest: digestOf('d'), name: 'grype.json' }];
  const closed = done(close(openedRecord(), proofOf(), { evidence }));
  expect(closed).toMatchObject({
    vex_status: 'fixed',
    affected: true,
    state: 'closed',
    closed_at: CLOSED_AT,
    decision: 'patch',
    patch_version: '2.17.1',
    date_patched: '2026-11-10',
    date_deployed: '2026-11-11',
    deployed_at: null,
    days_to_remediate: 9,
    sla_compliance: 'out_of_sla',
    resolution: {
      kind: 'rescan',
      sbom: { digest: NEWER_SBOM.digest },
      scans: [{ scanner: 'grype', scan: digestOf('d') }],
    },
  });
  expect(closed.evidence).toContainEqual(evidence[0]);
  expect(parseRemediationRecord(closed)).toEqual({ ok: true, value: closed });
});

const GONE = proofOf({ components: [{ name: 'slf4j', purl: 'pkg:maven/org.slf4j/slf4j@2.0.0' }], before: [LOG4J] });

test('a component that is gone is fixed by the word of a person, which stands in the history', () => {
  expect(close(openedRecord(), GONE)).toMatchObject({
    ok: false,
    issues: [{ code: 'remediation.component_gone', found: 'new in it: pkg:maven/org.slf4j/slf4j@2.0.0' }],
  });
  const closed = done(close(openedRecord(), GONE, { reason: 'replaced by slf4j' }));
  expect(closed).toMatchObject({ decision: 'remove', patch_version: null });
  const why = `replaced by slf4j; grype lists it no more in ${NEWER_SBOM.digest}`;
  expect(closed.history.at(-1)).toMatchObject({ by: BY, action: 'closed', reason: why });
});

test('the reason may have been given when it was decided to remove it, and only then', () => {
  const decided = (change: object) => done(changeRecord(openedRecord(), change, CONTEXT));
  expect(codesOf(close(decided({ decision: 'remove', reason: 'unused' }), GONE))).toEqual([]);
  const unsaid = decided({ decision: 'remove' });
  expect(codesOf(close(unsaid, GONE))).toEqual(['remediation.component_gone']);
  const otherwise = done(changeRecord(unsaid, { tracking_id: 'SEC-2', reason: 'another ticket' }, CONTEXT));
  expect(codesOf(close(otherwise, GONE))).toEqual(['remediation.component_gone']);
  const changed = done(changeRecord(decided({ decision: 'remove', reason: 'x' }), { decision: 'patch' }, CONTEXT));
  expect(codesOf(close(changed, GONE))).toEqual(['remediation.component_gone']);
});

test('of a component that no SBOM holds, the patched version is what a person says', () => {
  const change = { decision: 'patch', patch_version: '2.17.1' } as const;
  const record = done(changeRecord(openedRecord(), change, CONTEXT));
  const closed = done(close(record, GONE, { reason: 'shaded into the runtime' }));
  expect(closed).toMatchObject({ decision: 'patch', patch_version: '2.17.1' });
  const removed = done(changeRecord(record, { decision: 'remove' }, CONTEXT));
  expect(done(close(removed, GONE, { reason: 'unused' })).patch_version).toBeNull();
});

test('what was to be removed and is there in another version was patched', () => {
  const record = done(changeRecord(openedRecord(), { decision: 'remove' }, CONTEXT));
  expect(done(close(record, proofOf())).decision).toBe('patch');
  const mitigated = done(changeRecord(openedRecord(), { decision: 'mitigate' }, CONTEXT));
  expect(done(close(mitigated, proofOf())).decision).toBe('mitigate');
});

test('a reason is a line of text, and one of a patch is kept too', () => {
  expect(codesOf(close(openedRecord(), proofOf(), { reason: 'two\nlines' }))).toEqual(['remediation.text_invalid']);
  const closed = done(close(openedRecord(), proofOf(), { reason: 'upgraded' }));
  expect(closed.history.at(-1)!.reason).toMatch(/^upgraded; grype lists it no more in sha256:/);
});

const PATCHED = { ...LOG4J, version: '2.17.1', purl: LOG4J.purl.replace('2.14.1', '2.17.1') };
const SHADED = { name: 'log4j-shaded', version: '1' };
/** A scan of an SBOM in which the patched component is not the only one. */
const proofBeside = (findings: readonly ReturnType<typeof findingOf>[]) =>
  proofWith({ findings }, { components: [PATCHED, SHADED] });

const DEB = { name: 'openssl', version: '1.1.1', purl: 'pkg:deb/debian/openssl@1.1.1?arch=amd64&distro=debian-12' };

test.each<[what: string, component: FindingComponent, before?: FindingComponent[]]>([
  ['its package URL', { name: 'openssl', version: '1.1.2' }],
  ['its package URL', { name: 'openssl', version: '1.1.2', purl: 'openssl@1.1.2' }],
  ['its version', { name: 'openssl', purl: 'pkg:deb/debian/openssl?distro=debian-12' }],
  ['its distribution', { ...DEB, version: '1.1.2', purl: 'pkg:deb/debian/openssl@1.1.2?arch=amd64' }],
  ['its distribution', { ...DEB, version: '1.1.2', purl: 'pkg:deb/debian/openssl@1.1.2?arch=amd64' }, [DEB]],
])('a component that lost %s is one that no scanner can tell', (_what, component, before = []) => {
  const record = openedRecord({ scan: scanOf({ findings: [findingOf({ component: DEB, fixedInVersions: [] })] }) });
  expect(codesOf(close(record, proofOf({ components: [component], before })))).toEqual(['remediation.sbom_incomplete']);
});

test('what an SBOM never said of a component it need not say now', () => {
  const record = openedRecord({ scan: scanOf({ findings: [findingOf({ component: DEB, fixedInVersions: [] })] }) });
  const bare = { name: 'openssl', version: '1.1.1' };
  const newer = [{ ...bare, version: '1.1.2' }];
  expect(codesOf(close(record, proofOf({ components: newer, before: [bare] })))).toEqual([]);
  const undistributed = { ...DEB, purl: 'pkg:deb/debian/openssl@1.1.1' };
  const after = { ...DEB, version: '1.1.2', purl: 'pkg:deb/debian/openssl@1.1.2' };
  expect(codesOf(close(record, proofOf({ components: [after], before: [undistributed] })))).toEqual([]);
  const { purl: _purl, ...unlocated } = LOG4J;
  const nameless = openedRecord({ scan: scanOf({ findings: [findingOf({ component: unlocated })] }) });
  expect(codesOf(close(nameless, proofOf({ components: [{ ...unlocated, version: '2.17.1' }] })))).toEqual([]);
});

test('another thing of the same name is neither looked for nor asked for more than it had', () => {
  const record = openedRecord({ scan: scanOf({ findings: [findingOf({ component: DEB, fixedInVersions: [] })] }) });
  const bare = { name: 'openssl', version: '3' };
  const patched = { ...DEB, purl: DEB.purl.replace('1.1.1', '1.1.2'), version: '1.1.2' };
  const closeFrom = (before: FindingComponent[], ...components: FindingComponent[]) =>
    codesOf(close(record, proofOf({ components, before })));
  expect(closeFrom([DEB, bare], patched, bare)).toEqual([]);
  expect(closeFrom([DEB], patched, bare)).toEqual(['remediation.sbom_incomplete']);
  const plain = { ...DEB, purl: 'pkg:deb/debian/openssl@1.1.1' };
  const undistributed = { ...patched, purl: 'pkg:deb/debian/openssl@1.1.2' };
  const other = { name: 'zlib', purl: 'pkg:deb/debian/zlib@1?distro=debian-12' };
  expect(closeFrom([plain, other], undistributed)).toEqual([]);
  expect(closeFrom([plain, DEB], undistributed)).toEqual(['remediation.sbom_incomplete']);
});

test('of two versions that a component says of itself none may be vulnerable', () => {
  const lying = { ...LOG4J, purl: LOG4J.purl.replace('2.14.1', '2.17.1') };
  const other = { ...LOG4J, version: '2.17.1' };
  const { version: _version, ...inPurl } = LOG4J;
  for (const one of [lying, other, inPurl]) {
    expect(codesOf(close(openedRecord(), proofOf({ components: [one] })))).toEqual([
      'remediation.version_still_present',
    ]);
  }
});

test('whoever is refused for what the SBOM holds is told which version is meant, and what can be done', () => {
  const issueOf = (component: FindingComponent) => {
    const result = close(openedRecord(), proofOf({ components: [component] }));
    return result.ok ? undefined : result.issues[0];
  };
  const purl = LOG4J.purl.replace('2.14.1', '2.17.1');
  expect(issueOf(LOG4J)).toMatchObject({ found: LOG4J.purl, next: expect.stringContaining('--vex') });
  expect(issueOf({ ...LOG4J, purl })?.found).toBe(`${purl} as version 2.14.1`);
  expect(issueOf({ name: LOG4J.name, version: '3' })).toMatchObject({ next: expect.stringContaining('package URL') });
  const epoch = { name: 'bash', purl: 'pkg:rpm/redhat/bash@5.1?epoch=1' };
  const shell = openedRecord({
    scan: scanOf({ findings: [findingOf({ component: { ...epoch, version: '1:5.1' } })] }),
  });
  expect(close(shell, proofOf({ components: [{ ...epoch, version: '1:5.1' }] }))).toMatchObject({
    issues: [{ found: epoch.purl }],
  });
});

test.each<[what: string, codes: string[], unread: UnreadEntry]>([
  ['is one page of several', ['remediation.scan_incomplete'], unreadOf('scan.incomplete')],
  ['could not look something up', ['remediation.scan_incomplete'], unreadOf('scan.not_scanned')],
  ['could not look it up', ['remediation.scan_incomplete'], { ...unreadOf('scan.not_scanned'), component: LOG4J }],
  ['could not look another up', [], { ...unreadOf('scan.not_scanned'), component: { name: 'slf4j' } }],
  ['lists what is no vulnerability', [], unreadOf('scan.other_kind')],
])('a scan that %s', (_what, codes, unread) => {
  expect(codesOf(close(openedRecord(), proofWith({ unread: [unread] })))).toEqual(codes);
});

function unreadOf(code: string): UnreadEntry {
  return { path: '/1', code, message: '' };
}

test('a higher version of the same document is newer too, at a later time', () => {
  const patched = ofSbom({ serialNumber: sbomOf().serialNumber!, version: 2 });
  expect(codesOf(close(openedRecord(), patched))).toEqual([]);
});

const { serialNumber: _, ...unnumbered } = NEWER_SBOM;
const { timestamp: __, ...undated } = NEWER_SBOM;
const NOT_FIXED: ReadonlyArray<readonly [code: string, proof: RescanProof]> = [
  ['remediation.sbom_other_artifact', ofSbom({ artifact: 'till' })],
  ['remediation.sbom_not_newer', ofSbom({ serialNumber: sbomOf().serialNumber! })],
  ['remediation.sbom_not_newer', ofSbom({ serialNumber: sbomOf().serialNumber!.toUpperCase() })],
  ['remediation.sbom_not_newer', ofSbom({ digest: sbomOf().digest })],
  ['remediation.sbom_not_later', ofSbom({ timestamp: sbomOf().timestamp! })],
  ['remediation.sbom_not_later', ofSbom({ timestamp: '2026-11-02T08:59:59+02:00' })],
  ['remediation.sbom_in_future', ofSbom({ timestamp: '2026-11-12T09:00:01Z' })],
  ['remediation.sbom_incomplete', proofWith({ sbom: unnumbered }, { sbom: unnumbered })],
  ['remediation.sbom_incomplete', proofWith({ sbom: undated }, { sbom: undated })],
  ['remediation.sbom_incomplete', proofOf({ components: [] })],
  ['remediation.sbom_incomplete', proofOf({ components: [{ name: 'shop', version: '1.0.1' }] })],
  ['remediation.version_still_present', proofOf({ components: [LOG4J] })],
  ['remediation.version_still_present', proofOf({ components: [{ name: 'log4j-core', version: '2.14.1' }] })],
  ['remediation.scan_of_other_sbom', proofWith({ sbom: sbomOf() })],
  ['remediation.scan_of_other_sbom', proofWith({ sbom: undefined })],
  [
    'remediation.version_still_present',
    proofOf({ components: [{ ...LOG4J, purl: 'pkg:generic/log4j-core@2.14.1' }, versioned('2.17.1').component] }),
  ],
  [
    'remediation.version_still_present',
    proofOf({ components: [{ ...LOG4J, purl: LOG4J.purl.replace('org.apache.logging.log4j', 'com.acme') }] }),
  ],
  ['remediation.scan_of_other_sbom', proofWith({ scannedAt: '2026-11-10T06:54:59Z' })],
  ['remediation.scan_in_future', proofWith({ scannedAt: '2026-11-13T00:00:00Z' })],
  ['remediation.scan_in_future', proofWith({ scanner: { name: 'grype', databaseBuiltAt: '2026-11-13T00:00:00Z' } })],
  ['remediation.scan_incomplete', proofWith({ unread: [{ path: '/1', code: 'scan.id_missing', message: '' }] })],
  ['remediation.scanner_missing', proofWith({ scanner: { name: 'trivy', databaseBuiltAt: '2026-11-09T00:00:00Z' } })],
  ['remediation.database_unknown', proofWith({ scanner: { name: 'grype' } })],
  ['remediation.database_older', proofWith({ scanner: { name: 'grype', databaseBuiltAt: '2026-10-31T00:00:00Z' } })],
  ['remediation.still_listed', proofWith({ findings: [versioned('2.17.1')] })],
  [
    'remediation.still_listed',
    proofWith({ findings: [{ ...versioned('2.17.1'), id: 'GHSA-jfh8-c2jp-5v3q', aliases: [] }] }),
  ],
  ['remediation.still_listed', proofWith({ findings: [suppressed(versioned('2.17.1'))] })],
  ['remediation.listed_elsewhere', proofBeside([findingOf({ component: SHADED })])],
  ['remediation.deployment_missing', without('deployed')],
  ['remediation.date_invalid', proofOf({ deployed: '11.11.2026' })],
  ['remediation.date_in_future', proofOf({ deployed: '2026-11-13' })],
  ['remediation.date_in_future', proofOf({ deployed: '2026-11-12T09:00:01Z' })],
  ['remediation.date_order', proofOf({ deployed: '2026-11-01' })],
  ['remediation.date_order', proofOf({ deployed: '2026-11-02T07:59:59Z' })],
];
test.each(NOT_FIXED)('it is not fixed: %s', (code, proof) => {
  expect(codesOf(close(openedRecord(), proof))).toEqual([code]);
});

test('what has the same name and version, and was there before, is another thing', () => {
  const webjar = { name: 'log4j-core', version: '2.14.1', purl: 'pkg:generic/log4j-core@2.14.1' };
  const components = [webjar, versioned('2.17.1').component];
  expect(codesOf(close(openedRecord(), proofOf({ components, before: [LOG4J, webjar] })))).toEqual([]);
  const older = { ...webjar, version: '2.14.0', purl: 'pkg:generic/log4j-core@2.14.0' };
  expect(codesOf(close(openedRecord(), proofOf({ components, before: [LOG4J, older] })))).toEqual([
    'remediation.version_still_present',
  ]);
});

test('clocks that differ by minutes refuse no scan', () => {
  expect(codesOf(close(openedRecord(), proofWith({ scannedAt: '2026-11-10T06:55:00Z' })))).toEqual([]);
});

/** By a second scanner, in a later build. */
function seenTwice(): RemediationRecord {
  const again = sbomOf({ digest: digestOf('e'), serialNumber: 'urn:uuid:3', timestamp: '2026-11-08T07:00:00Z' });
  const scan = scanOf({ sbom: again, scannedAt: '2026-11-08T08:00:00Z' }, digestOf('f'));
  return done(openAll({ known: [openedRecord()], scan, at: '2026-11-08T09:00:00Z' })).updated[0]!;
}

test('it was not deployed before a build was made that still had it', () => {
  const record = seenTwice();
  const deployed = (when: string) => codesOf(close(record, proofOf({ deployed: when })));
  expect(deployed('2026-11-07')).toEqual(['remediation.date_order']);
  expect(deployed('2026-11-08T06:59:59Z')).toEqual(['remediation.date_order']);
  // Before the newer SBOM it was not deployed either, which the word of a person may set aside.
  expect(deployed('2026-11-08')).toEqual(['remediation.deployed_before_sbom']);
  expect(deployed('2026-11-08T07:00:00Z')).toEqual(['remediation.deployed_before_sbom']);
  const said = { ...record, date_deployed: '2026-11-04' };
  expect(codesOf(close(said, without('deployed')))).toEqual(['remediation.date_order']);
});

function ofSbom(more: Partial<typeof NEWER_SBOM>): RescanProof {
  const sbom = { ...NEWER_SBOM, ...more };
  return proofWith({ sbom }, { sbom });
}

function versioned(version: string) {
  return findingOf({ component: { ...LOG4J, version, purl: LOG4J.purl.replace('2.14.1', version) } });
}

function suppressed(finding: ReturnType<typeof findingOf>) {
  return { ...finding, reportedBy: [{ scanner: 'grype', id: finding.id, suppressed: 'vex' }] };
}

function without(field: keyof RescanProof): RescanProof {
  const { [field]: _gone, ...rest } = proofOf();
  return rest as RescanProof;
}

const NOT_SAID: ReadonlyArray<readonly [code: string, opened: Parameters<typeof openedRecord>[0]]> = [
  ['remediation.sbom_unknown', { product: 'shop', scan: scanOf({ sbom: undefined as never }) }],
  ['remediation.sbom_unknown', { scan: scanOf({ sbom: { digest: digestOf('a'), artifact: 'shop' } }) }],
  ['remediation.database_unknown', { scan: scanOf({ scanner: { name: 'grype' } }) }],
  ['remediation.scanner_unknown', { scan: scanOf({ scanner: { name: 'unknown' } }) }],
];
test.each(NOT_SAID)('what was not said when it was found keeps it open: %s', (code, opened) => {
  expect(codesOf(close(openedRecord(opened), proofOf()))).toEqual([code]);
});

test('what was not said can be said later, by opening the same again', () => {
  const record = openedRecord({ scan: scanOf({ scanner: { name: 'grype' } }) });
  const { updated } = done(openAll({ known: [record] }));
  expect(codesOf(close(updated[0]!, proofOf()))).toEqual([]);
});

test('every scanner that listed it has to look again', () => {
  const trivy = { name: 'trivy', databaseBuiltAt: '2026-11-01T00:00:00Z' };
  const { updated } = done(openAll({ known: [openedRecord()], scan: scanOf({ scanner: trivy }) }));
  expect(codesOf(close(updated[0]!, proofOf()))).toEqual(['remediation.scanner_missing']);
  expect(codesOf(close(updated[0]!, proofOf({ scans: [rescanOf(), rescanOf({ scanner: trivy })] })))).toEqual([]);
});

test('a scan of anybody that still lists it is believed', () => {
  const trivy = rescanOf({ scanner: { name: 'trivy' }, findings: [versioned('2.17.1')] });
  expect(codesOf(close(openedRecord(), proofOf({ scans: [rescanOf(), trivy] })))).toEqual(['remediation.still_listed']);
});

test('it may go on in another component, where that has an open record of its own', () => {
  const shaded = findingOf({ component: SHADED });
  const { opened } = done(openAll({ scan: scanOf({ findings: [findingOf(), shaded] }) }));
  const record = opened.find(({ component }) => component === 'log4j-core')!;
  const others = opened.filter((one) => one !== record);
  const proof = proofBeside([shaded]);
  expect(codesOf(close(record, proof, { others }))).toEqual([]);
  expect(codesOf(close(record, proof, { others: others.map((one) => ({ ...one, state: 'closed' })) }))).toEqual([
    'remediation.listed_elsewhere',
  ]);
});

test('all that is not met is said at once', () => {
  const record = { ...openedRecord(), owner: null, tracking_id: null };
  expect(codesOf(close(record, proofOf({ scans: [], sbom: sbomOf(), components: [LOG4J] })))).toEqual([
    'remediation.owner_missing',
    'remediation.tracking_id_missing',
    'remediation.sbom_not_newer',
    'remediation.sbom_not_later',
    'remediation.version_still_present',
    'remediation.scan_missing',
    'remediation.scanner_missing',
  ]);
});

test('of several builds that still had it the newest counts', () => {
  const trivy = { name: 'trivy', databaseBuiltAt: '2026-11-01T00:00:00Z' };
  for (const scanner of [trivy, { ...trivy, name: 'a' }]) {
    const { updated } = done(openAll({ known: [seenTwice()], scan: scanOf({ scanner }) }));
    const proof = proofOf({ deployed: '2026-11-07', scans: [rescanOf(), rescanOf({ scanner })] });
    expect(codesOf(close(updated[0]!, proof))).toEqual(['remediation.date_order']);
  }
});

test('a build from after the discovery of what an older one had is none that still had it', () => {
  const sbom = sbomOf({ timestamp: '2026-11-02T08:00:00Z' });
  const record = openedRecord({ scan: scanOf({ sbom }) });
  const ofThatDay = proofOf({ deployed: '2026-11-02' });
  expect(codesOf(close(record, ofThatDay, { reason: 'the SBOM was made later' }))).toEqual([]);
  expect(codesOf(close(record, proofOf({ deployed: '2026-11-02T07:59:59Z' })))).toEqual(['remediation.date_order']);
  expect(codesOf(close(seenTwice(), proofOf({ deployed: '11.11.2026' })))).toEqual(['remediation.date_invalid']);
});

test('what happens in the same moment does not lie in the future', () => {
  const at = '2026-11-10T08:00:00Z';
  const sbom = { ...NEWER_SBOM, timestamp: at };
  const scanner = { name: 'grype', databaseBuiltAt: at };
  const proof = proofOf({ sbom, scans: [rescanOf({ sbom, scannedAt: at, scanner })], deployed: at });
  expect(codesOf(close(openedRecord(), proof, { at }))).toEqual([]);
  const early = proofOf({
    sbom,
    scans: [rescanOf({ sbom, scannedAt: '2026-11-10T07:00:00Z', scanner })],
    deployed: at,
  });
  expect(codesOf(close(openedRecord(), early, { at }))).toEqual(['remediation.scan_of_other_sbom']);
});

test('a scan that does not say when it was made is held to everything else', () => {
  expect(codesOf(close(openedRecord(), proofWith({ scannedAt: undefined })))).toEqual([]);
});

test('other vulnerabilities of the component are other records', () => {
  const other = { ...versioned('2.17.1'), id: 'CVE-2021-45105', aliases: [] };
  expect(codesOf(close(openedRecord(), proofWith({ findings: [other] })))).toEqual([]);
});

test('a record of another product looks after nothing here', () => {
  const shaded = findingOf({ component: SHADED });
  const { opened } = done(openAll({ scan: scanOf({ findings: [shaded] }) }));
  const proof = proofBeside([shaded]);
  const closeBeside = (others: readonly RemediationRecord[]) => codesOf(close(openedRecord(), proof, { others }));
  expect(closeBeside(opened)).toEqual([]);
  for (const differing of [{ product: 'till' }, { cve: 'CVE-2021-1', aliases: [] }, { component: 'a' }]) {
    expect(closeBeside([{ ...opened[0]!, ...differing }])).toEqual(['remediation.listed_elsewhere']);
  }
});

test('the version of a document is 1 where it says none', () => {
  const { version: _version, ...before } = sbomOf();
  const record = openedRecord({ scan: scanOf({ sbom: before }) });
  const again = (more: object) => {
    const { version: _none, ...newer } = { ...NEWER_SBOM, serialNumber: before.serialNumber! };
    const sbom = { ...newer, ...more };
    return codesOf(close(record, proofWith({ sbom }, { sbom })));
  };
  expect(again({})).toEqual(['remediation.sbom_not_newer']);
  expect(again({ version: 1 })).toEqual(['remediation.sbom_not_newer']);
  expect(again({ version: 2 })).toEqual([]);
});

test('what was said of patch and deployment before stands, and the SBOM says the rest', () => {
  const deployed = '2026-11-11T12:00:00Z';
  const said = done(changeRecord(openedRecord(), { deployed, date_patched: '2026-11-09' }, CONTEXT));
  expect(done(close(said, without('deployed')))).toMatchObject({
    date_deployed: '2026-11-11',
    deployed_at: deployed,
    date_patched: '2026-11-09',
  });
  const dayOfPatch = (when: string, timestamp = NEWER_SBOM.timestamp!, record = openedRecord()) => {
    const sbom = { ...NEWER_SBOM, timestamp };
    return done(close(record, proofWith({ sbom }, { sbom, deployed: when }), { reason: 'seen at work' })).date_patched;
  };
  expect(dayOfPatch('2026-11-10')).toBe('2026-11-10');
  expect(dayOfPatch('2026-11-05')).toBe('2026-11-05');
  const late = openedRecord({ scan: scanOf({ scannedAt: '2026-11-09T00:00:00Z' }), at: '2026-11-09T00:00:00Z' });
  expect(dayOfPatch('2026-11-12', '2026-11-08T00:00:00Z', late)).toBe('2026-11-09');
});

test('all patched versions are named, as the SBOM has them, and all scanners', () => {
  const components = ['2.17.2', '2.17.1', '2.17.2'].map((version) => versioned(version).component);
  const { version: _version, ...inPurl } = versioned('2.18.0').component;
  const trivy = rescanOf({ scanner: { name: 'trivy' } });
  const proof = proofOf({ components: [...components, inPurl], scans: [rescanOf(), trivy] });
  const closed = done(close(openedRecord(), proof));
  expect(closed.patch_version).toBe('2.17.1, 2.17.2, 2.18.0');
  expect(closed.history.at(-1)!.reason).toBe(`grype, trivy lists it no more in ${NEWER_SBOM.digest}`);
});

test('a signature is over the record without it', () => {
  const closed = done(close(openedRecord(), proofOf()));
  const signature = { bundle: digestOf('9'), signer: `reviewer:${BY}` };
  const signed = withClosingSignature(closed, signature);
  expect(signed).toEqual({ ...closed, closing_signature: signature });
  expect(signedPart(signed)).toEqual(closed);
});

test('what lacks an owner or a deployment says how to give it', () => {
  const record = { ...openedRecord(), owner: null };
  const { deployed: _, ...proof } = proofOf();
  const next = [
    'colophon remediation update RECORD --owner EMAIL',
    'colophon remediation close RECORD --scan FILE --sbom FILE --deployed-on DAY',
  ];
  expect(close(record, proof)).toMatchObject({ issues: next.map((one) => ({ next: one })) });
});

test('a closed record is closed by nothing, and changed by nobody', () => {
  const closed = done(close(openedRecord(), proofOf()));
  expect(codesOf(close(closed, proofOf()))).toEqual(['remediation.already_closed']);
  expect(codesOf(changeRecord(closed, { owner: BY }, CONTEXT))).toEqual(['remediation.already_closed']);
  expect(escalateRecord(closed, catalogOf('CVE-2021-44228'), CONTEXT)).toBe(closed);
});

const STATEMENT: VexStatement = {
  vulnerability: { name: 'CVE-2021-44228' },
  timestamp: '2026-11-05T00:00:00Z',
  products: [{ purl: LOG4J.purl }],
  status: 'not_affected',
  justification: 'vulnerable_code_not_in_execute_path',
};
const SIGNATURE = {
  digest: digestOf('e'),
  signer: 'reviewer:dana@example.com',
  names: ['reviewer:dana@example.com'],
  isPerson: true,
};
const { justification: _why, ...unjustified } = STATEMENT;

function stated(statements: readonly VexStatement[] = [STATEMENT], more: Partial<StatementProof> = {}): StatementProof {
  const document: VexDocument = { shape: 'openvex', author: 'anybody', statements };
  return { kind: 'statement', document, digest: digestOf('e'), products: [], signature: SIGNATURE, ...more };
}

test('a signed statement closes the record as not affected, with the reason', () => {
  const closed = done(close(openedRecord(), stated()));
  expect(closed).toMatchObject({
    vex_status: 'not_affected',
    affected: false,
    decision: 'justify',
    sla_compliance: 'not_applicable',
    days_to_remediate: null,
    resolution: {
      kind: 'statement',
      document: digestOf('e'),
      signer: SIGNATURE.signer,
      stated_at: STATEMENT.timestamp,
    },
  });
  expect(parseRemediationRecord(closed)).toEqual({ ok: true, value: closed });
});

const NOT_UNAFFECTED: ReadonlyArray<readonly [code: string, proof: StatementProof]> = [
  ['remediation.statement_missing', stated([])],
  ['remediation.statement_missing', stated([{ ...STATEMENT, vulnerability: { name: 'CVE-2021-45046' } }])],
  [
    'remediation.statement_missing',
    stated([{ ...STATEMENT, products: [{ purl: LOG4J.purl.replace('2.14.1', '2.14.0') }] }]),
  ],
  ['remediation.statement_missing', stated([{ ...STATEMENT, timestamp: '2026-11-13T00:00:00Z' }])],
  [
    'remediation.statement_not_counting',
    stated([STATEMENT, { ...STATEMENT, timestamp: '2026-11-06T00:00:00Z', status: 'affected' }]),
  ],
  ['remediation.justification_missing', stated([unjustified])],
  ['remediation.signature_of_other_bytes', stated([STATEMENT], { signature: { ...SIGNATURE, digest: digestOf('f') } })],
  ['remediation.signer_not_allowed', stated([STATEMENT], { signature: { ...SIGNATURE, isPerson: false } })],
];
test.each(NOT_UNAFFECTED)('it is not shown to be unaffected: %s', (code, proof) => {
  expect(codesOf(close(openedRecord(), proof))).toEqual([code]);
});

test('a draft is not what counts, however it is signed', () => {
  const draft: VexStatement = { ...unjustified, status: 'under_investigation', status_notes: `${DRAFT_LABEL} {}` };
  expect(codesOf(close(openedRecord(), stated([draft])))).toEqual(['remediation.statement_draft']);
});

test('what is affected is put under investigation before it is said not to be', () => {
  const affected = done(changeRecord(openedRecord(), { vex_status: 'affected', decision: 'patch' }, CONTEXT));
  const proof = stated([{ ...STATEMENT, timestamp: CLOSED_AT }]);
  expect(codesOf(close(affected, proof))).toEqual(['vex.transition_refused']);
  const asked = done(changeRecord(affected, { vex_status: 'under_investigation', reason: 'not reachable' }, CONTEXT));
  expect(codesOf(close(asked, proof))).toEqual([]);
});

test('a statement from before the record was said to be affected is not the last word', () => {
  const at = '2026-11-07T00:00:00Z';
  const say = (record: RemediationRecord, change: object) => done(changeRecord(record, change, { ...CONTEXT, at }));
  const affected = say(openedRecord(), { vex_status: 'affected', decision: 'patch' });
  const asked = say(affected, { vex_status: 'under_investigation', reason: 'not reachable' });
  const closeAt = (times: object) => close(asked, stated([{ ...STATEMENT, ...times }]));
  expect(closeAt({})).toMatchObject({
    ok: false,
    issues: [{ code: 'remediation.statement_outdated', found: STATEMENT.timestamp }],
  });
  expect(codesOf(closeAt({ timestamp: '2026-11-06T23:59:59.999Z' }))).toEqual(['remediation.statement_outdated']);
  expect(codesOf(closeAt({ timestamp: at }))).toEqual([]);
  expect(codesOf(closeAt({ last_updated: at }))).toEqual([]);
});

test('a statement of the second in which the record was said to be affected is no older', () => {
  const at = '2026-11-07T00:00:00.900Z';
  const say = (record: RemediationRecord, change: object) => done(changeRecord(record, change, { ...CONTEXT, at }));
  const affected = say(openedRecord(), { vex_status: 'affected', decision: 'patch' });
  const asked = say(affected, { vex_status: 'under_investigation', reason: 'not reachable' });
  expect(codesOf(close(asked, stated([{ ...STATEMENT, timestamp: '2026-11-07T00:00:00Z' }])))).toEqual([]);
});

test('a statement may be older than the record, and speak of the product or of any version', () => {
  const old = { ...STATEMENT, timestamp: '2024-01-01T00:00:00Z' };
  expect(codesOf(close(openedRecord(), stated([old])))).toEqual([]);
  const ofProduct = (id: string) => stated([{ ...STATEMENT, products: [{ id }] }], { products: ['pkg:generic/shop'] });
  for (const name of ['shop', 'pkg:generic/shop']) expect(codesOf(close(openedRecord(), ofProduct(name)))).toEqual([]);
  expect(codesOf(close(openedRecord(), ofProduct('till')))).toEqual(['remediation.statement_missing']);
  const nameless = openedRecord({ scan: scanOf({ findings: [findingOf({ component: { name: 'log4j-core' } })] }) });
  expect(codesOf(close(nameless, ofProduct('shop')))).toEqual([]);
  expect(codesOf(close(nameless, ofProduct('till')))).toEqual(['remediation.statement_missing']);
});

test('of several statements that count the newest is the reason', () => {
  const versions = ['2.13.0', '2.14.1'];
  const record = openedRecord({ scan: scanOf({ findings: versions.map(versioned) }) });
  const says = (version: string, day: string, justification: VexStatement['justification']) =>
    ({
      ...STATEMENT,
      products: [{ purl: versioned(version).component.purl }],
      timestamp: `2026-11-0${day}T00:00:00Z`,
      justification,
    }) as VexStatement;
  for (const [newest, oldest] of [versions, versions.toReversed()]) {
    const both = [says(newest!, '6', 'component_not_present'), says(oldest!, '5', 'vulnerable_code_not_present')];
    expect(done(close(record, stated(both)))).toMatchObject({
      resolution: { justification: 'component_not_present', stated_at: '2026-11-06T00:00:00Z' },
      history: [{}, { reason: `component_not_present, says ${SIGNATURE.signer} in ${digestOf('e')}` }],
    });
  }
});

test('a statement that nobody signed proves nothing', () => {
  const { signature: _unsigned, ...proof } = stated();
  expect(codesOf(close(openedRecord(), proof))).toEqual(['remediation.signature_missing']);
});

test('who may speak is what the policy says, a machine too, and nobody else', () => {
  const robot = { ...SIGNATURE, signer: 'https://ci.example', names: ['https://ci.example'], isPerson: false };
  const policy = { ...DEFAULT_REMEDIATION_POLICY, authors: [{ products: ['*'], authors: ['https://ci.example'] }] };
  expect(codesOf(close(openedRecord(), stated([STATEMENT], { signature: robot }), { policy }))).toEqual([]);
  expect(codesOf(close(openedRecord(), stated(), { policy }))).toEqual(['remediation.signer_not_allowed']);
});

test('a statement has to cover every version that was seen', () => {
  const findings = [findingOf(), versioned('2.13.0')];
  const record = openedRecord({ scan: scanOf({ findings }) });
  expect(codesOf(close(record, stated()))).toEqual(['remediation.statement_missing']);
  const anyVersion = stated([{ ...STATEMENT, products: [{ purl: LOG4J.purl.replace('@2.14.1', '') }] }]);
  expect(codesOf(close(record, anyVersion))).toEqual([]);
});

test('what is stated not to matter stays closed while the same is listed, and is opened again for another version', () => {
  const closed = done(close(openedRecord(), stated()));
  const context = { known: [closed], at: '2026-11-20T00:00:00Z' };
  expect(done(openAll({ ...context, scan: rescanOf({ findings: [findingOf()] }) })).unchanged).toEqual([closed]);
  const { reopened } = done(openAll({ ...context, scan: rescanOf({ findings: [versioned('2.14.2')] }) }));
  expect(reopened[0]).toMatchObject({ state: 'open', vex_status: 'under_investigation', affected: true });
});

test('every refusal says what was expected, what was found and what helps', async () => {
  const record = openedRecord();
  const closed = done(close(record, proofOf()));
  const affected = done(changeRecord(record, { vex_status: 'affected', decision: 'patch' }, CONTEXT));
  const { signature: _unsigned, ...unsigned } = stated();
  const policy = { ...DEFAULT_REMEDIATION_POLICY, authors: [{ products: ['*'], authors: ['https://ci.example'] }] };
  const robots = ['https://ci.example', 'https://cd.example'];
  const shaded = ['b', 'a'].map((name) => findingOf({ component: { name } }));
  const many = ['g', 'f', 'e', 'd', 'c', 'b'].map((name) => ({ name, version: '1' }));
  const shared = {
    ...versioned('2.17.1'),
    reportedBy: [
      { scanner: 'grype', id: 'a', suppressed: 'vex' },
      { scanner: 'x', id: 'a' },
    ],
  };
  const draft: VexStatement = { ...unjustified, status: 'under_investigation', status_notes: `${DRAFT_LABEL} {}` };
  const unpatched = openedRecord({ scan: scanOf({ findings: [findingOf({ fixedInVersions: [] })] }) });
  const later = openedRecord({
    scan: scanOf({ findings: [findingOf({ fixedInVersions: ['2.16.0', '2.15.0'] }), versioned('2.13.0')] }),
  });
  const packaged = openedRecord({ scan: scanOf({ findings: [findingOf({ component: DEB, fixedInVersions: [] })] }) });
  const unversioned = openedRecord({ scan: scanOf({ findings: [findingOf({ component: { name: 'log4j-core' } })] }) });
  const results = [
    close(record, proofOf({ components: GONE.components, before: GONE.components })),
    close(record, proofOf({ components: [...many, ...GONE.components], before: GONE.components })),
    close(record, proofOf({ components: many.slice(1) })),
    close(unpatched, proofOf({ components: [LOG4J, LOG4J] })),
    close(later, proofOf({ components: [LOG4J, versioned('2.13.0').component] })),
    close(packaged, proofOf({ components: [{ name: 'openssl', version: '1.1.2' }] })),
    close(packaged, proofOf({ components: [{ name: 'openssl', purl: 'pkg:deb/debian/openssl@1.1.2' }] })),
    close(packaged, proofOf({ components: [{ name: 'openssl', purl: 'pkg:deb/debian/openssl?distro=debian-12' }] })),
    close(unversioned, proofOf({ components: [{ name: 'log4j-core' }] })),
    close(record, proofOf({ scans: [] })),
    close(record, proofOf({ scans: ['trivy', 'snyk'].map((name) => rescanOf({ scanner: { name } })) })),
    close(record, proofWith({ findings: [versioned('2.17.1'), versioned('2.16.0'), shared] })),
    close(record, proofWith({ findings: shaded }, { components: [PATCHED, { name: 'a' }, { name: 'b' }] })),
    close(record, proofWith({ findings: shaded })),
    close(record, proofWith({ unread: [{ ...unreadOf('scan.incomplete'), path: '' }] })),
    close(record, proofWith({ sbom: { digest: digestOf('b') } }, { sbom: { digest: digestOf('b') } })),
    close(seenTwice(), proofOf({ deployed: '2026-11-07' })),
    close(record, stated([draft])),
    close(
      later,
      stated([
        { ...STATEMENT, products: [{ purl: 'pkg:npm/a@1' }] },
        { ...STATEMENT, timestamp: '2027-01-01T00:00:00Z' },
      ]),
    ),
    close(unversioned, stated([])),
    close(record, stated([STATEMENT], { signature: { ...SIGNATURE, names: ['dana', 'd'] } }), {
      policy: { ...policy, authors: [{ products: ['*'], authors: robots }] },
    }),
    close({ ...record, owner: null, tracking_id: null }, proofOf()),
    close(closed, proofOf()),
    close(record, GONE),
    close(record, proofOf(), { reason: '' }),
    close(record, proofWith({ unread: [unreadOf('scan.incomplete')] })),
    ...NOT_SAID.map(([, opened]) => close(openedRecord(opened), proofOf())),
    ...NOT_FIXED.map(([, proof]) => close(record, proof)),
    ...NOT_UNAFFECTED.map(([, proof]) => close(record, proof)),
    close(affected, stated()),
    close(record, unsigned),
    close(record, stated(), { policy }),
  ];
  await expect(`${results.map(inWords).join('\n')}`).toMatchFileSnapshot('../../test/golden/closing-refusals.txt');
});

function inWords(result: ReturnType<typeof close>): string {
  const issues = result.ok ? [] : result.issues;
  const lines = issues.flatMap(({ code, path, message, expected, found, next }: RemediationIssue) =>
    Object.entries({ [code]: `${path} ${message}`, expected, found, next }).flatMap(([name, text]) =>
      text === undefined ? [] : [`${name}: ${text}\n`],
    ),
  );
  return lines.join('');
}
