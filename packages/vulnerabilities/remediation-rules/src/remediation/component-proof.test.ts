import type { FindingComponent, RemediationRecord } from '@colophon/records';
import { expect, test } from 'vitest';
import {
  BY,
  CLOSED_AT,
  codesOf,
  done,
  findingOf,
  LOG4J,
  NEWER_SBOM,
  openedRecord,
  proofOf,
  rescanOf,
  scanOf,
} from '../../test/remediation-story.ts';
import { closeRecord } from './close-record.ts';
import { OR_REASON } from './remediation-issue.ts';
import { DEFAULT_REMEDIATION_POLICY } from './remediation-policy.ts';
import type { RescanProof } from './rescan-proof.ts';

const CONTEXT = { at: CLOSED_AT, by: BY, policy: DEFAULT_REMEDIATION_POLICY, others: [], evidence: [] };
const log4j = (version: string) => ({ ...LOG4J, version, purl: LOG4J.purl.replace('2.14.1', version) });
const SLF4J = { name: 'slf4j', version: '2.0.0', purl: 'pkg:maven/org.slf4j/slf4j@2.0.0' };
const close = (proof: Partial<RescanProof>, more: object = {}, record = openedRecord()) =>
  closeRecord(record, proofOf(proof), { ...CONTEXT, ...more });
const holding = (...components: FindingComponent[]) => ({ components, before: [LOG4J] });

test.each([
  ['remediation.version_still_present', '2.14.1.0', '2.15.0'],
  ['remediation.version_older', '2.13.0', `2.15.0; ${OR_REASON}`],
  ['remediation.version_below_fix', '2.14.2', `2.15.0; ${OR_REASON}`],
])('%s: %s', (code, version, expected) => {
  const result = close(holding(log4j(version)));
  expect(result).toMatchObject({ issues: [{ code, expected, found: log4j(version).purl }] });
});

test('what a version is held against is said, also where no fix is known; a reason sets it aside', () => {
  const finding = findingOf({ fixedInVersions: [] });
  const record = openedRecord({ scan: scanOf({ findings: [finding] }) });
  const older = holding(log4j('2.13.0'));
  expect(close(older, {}, record)).toMatchObject({ issues: [{ expected: `a version behind 2.14.1; ${OR_REASON}` }] });
  const closed = done(close(older, { reason: 'patched by hand' }, record));
  expect(closed.history.at(-1)).toMatchObject({ overrides: ['remediation.version_older'] });
});

test('a version beside the vulnerable one that no scanner listed before is none of its business', () => {
  const two = { components: [log4j('2.3.1'), log4j('2.17.1')], before: [LOG4J, log4j('2.3.1')] };
  expect(codesOf(close(two))).toEqual([]);
  expect(codesOf(close({ ...two, before: [LOG4J] }))).toEqual(['remediation.version_older']);
  expect(codesOf(close({ ...two, before: [LOG4J, { name: 'other', version: '2.3.1' }] }))).toEqual([
    'remediation.version_older',
  ]);
  const listed = [LOG4J, log4j('2.3.1')].map((component) => findingOf({ component }));
  const record = openedRecord({ scan: scanOf({ findings: listed }) });
  expect(codesOf(close(two, {}, record))).toEqual(['remediation.version_still_present']);
});

test('vendored code is the component: in the vulnerable version still there, in a fixed one not gone', () => {
  const vendored = (version: string) => [{ name: 'log4j-core', version }];
  const without = holding(SLF4J);
  expect(codesOf(close(without))).toEqual(['remediation.component_gone']);
  expect(codesOf(close({ ...without, vendored: vendored('2.14.1') }))).toEqual(['remediation.version_still_present']);
  expect(codesOf(close({ ...without, vendored: vendored('2.13.0') }))).toEqual(['remediation.version_older']);
  expect(done(close({ ...without, vendored: vendored('2.17.1') }))).toMatchObject({ patch_version: '2.17.1' });
  expect(codesOf(close({ ...without, vendored: [{ name: 'other', version: '2.14.1' }] }))).toEqual([
    'remediation.component_gone',
  ]);
  const both = { ...holding(log4j('2.17.1')), vendored: vendored('2.17.1') };
  expect(codesOf(close(both))).toEqual([]);
});

test('a vulnerable version under a new package URL is found in every spelling of it', () => {
  const moved = (version: string) => ({ ...LOG4J, version, purl: `pkg:maven/org.fork/log4j-core@${version}` });
  for (const version of ['2.14.1', '2.14.1.0']) {
    expect(codesOf(close(holding(moved(version)))), version).toContain('remediation.version_still_present');
  }
  expect(codesOf(close(holding(moved('2.17.1'))))).toEqual(['remediation.component_gone']);
});

test('a scan that is silent about unchanged components of other records closes nothing', () => {
  const pad = { name: 'left-pad', version: '1.3.0', purl: 'pkg:npm/left-pad@1.3.0' };
  const scan = scanOf({ findings: [findingOf({ id: 'CVE-2026-1000', component: pad })] });
  const other = openedRecord({ scan });
  const proof = { components: [log4j('2.17.1'), pad] };
  const silent = (others: readonly RemediationRecord[]) => codesOf(close(proof, { others }));
  expect(silent([other])).toEqual(['remediation.scanner_silent']);
  expect(silent([{ ...other, product: 'till' }])).toEqual([]);
  expect(silent([{ ...other, id: openedRecord().id }])).toEqual([]);
  const listing = rescanOf({ findings: [findingOf({ id: 'CVE-2026-1000', component: pad })] });
  expect(codesOf(close({ ...proof, scans: [listing] }, { others: [other] }))).toEqual([]);
});

test.each([
  ['2026-11-09', ['remediation.deployed_before_sbom']],
  ['2026-11-10', []],
  ['2026-11-10T06:59:59Z', ['remediation.deployed_before_sbom']],
  ['2026-11-10T07:00:00Z', []],
])('deployed at %s, of an SBOM made at 07:00 on the tenth: %j', (deployed, codes) => {
  const result = close({ deployed });
  expect(codesOf(result)).toEqual(codes);
  if (!result.ok) expect(result.issues).toMatchObject([{ path: '/date_deployed', found: deployed }]);
});

test('a deployment that was stated before is held against the SBOM too', () => {
  const { deployed: _, ...proof } = proofOf();
  const record = { ...openedRecord(), date_deployed: '2026-11-09' };
  expect(codesOf(closeRecord(record, proof, CONTEXT))).toEqual(['remediation.deployed_before_sbom']);
});

test('where no order is known the scan decides, and the history says so', () => {
  const part = (version: string) => ({ name: 'part', version, purl: `pkg:conan/part@${version}` });
  const found = findingOf({ component: part('1.2.3'), fixedInVersions: ['1.2.4'] });
  const record = openedRecord({ scan: scanOf({ findings: [found] }) });
  const closed = done(close({ components: [part('1.2.4')], before: [part('1.2.3')] }, {}, record));
  expect(closed.history.at(-1)?.reason).toBe(
    `grype lists it no more in ${NEWER_SBOM.digest}; the scan alone decided: the version order of conan is not known`,
  );
});
