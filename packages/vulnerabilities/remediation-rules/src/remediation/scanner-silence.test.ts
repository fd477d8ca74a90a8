import type { RemediationRecord } from '@colophon/records';
import { expect, test } from 'vitest';
import { findingOf, LOG4J, openedRecord, rescanOf, scanOf } from '../../test/remediation-story.ts';
import { silenceIssues } from './scanner-silence.ts';

const PAD = { name: 'left-pad', version: '1.3.0', purl: 'pkg:npm/left-pad@1.3.0' };
const padded = openedRecord({ scan: scanOf({ findings: [findingOf({ id: 'CVE-2026-1000', component: PAD })] }) });
const silence = (
  others: readonly RemediationRecord[],
  { components = [LOG4J, PAD], scans = [rescanOf()] } = {},
): readonly (string | undefined)[] => [...silenceIssues({ components, scans }, others)].map(({ found }) => found);

test('a scanner that listed a component is silent where the SBOM holds it unchanged and it lists nothing of it', () => {
  expect([...silenceIssues({ components: [PAD], scans: [rescanOf()] }, [padded])]).toMatchObject([
    { code: 'remediation.scanner_silent', found: PAD.purl },
  ]);
  // Once each, however many vulnerabilities it had.
  const twice = { ...padded, id: 'other', cve: 'CVE-2026-2000' };
  expect(silence([padded, twice])).toEqual([PAD.purl]);
});

test.each<[string, readonly RemediationRecord[], Parameters<typeof silence>[1]?]>([
  ['there is no open record', []],
  ['the record is closed', [{ ...padded, state: 'closed' }]],
  ['the component changed', [padded], { components: [{ ...PAD, version: '1.3.1', purl: 'pkg:npm/left-pad@1.3.1' }] }],
  ['the component is gone', [padded], { components: [LOG4J] }],
  [
    'it lists something else of the component',
    [padded],
    { scans: [rescanOf({ findings: [findingOf({ id: 'CVE-2026-3000', component: PAD })] })] },
  ],
  ['another scanner looked', [padded], { scans: [rescanOf({ scanner: { name: 'trivy' } })] }],
  [
    'the advisory was withdrawn',
    [{ ...padded, sightings: padded.sightings.map((one) => ({ ...one, withdrawn: '2026-11-05T00:00:00Z' })) }],
  ],
])('it is not where %s', (_title, others, more) => {
  expect(silence(others, more)).toEqual([]);
});

test('several scans of one scanner speak together', () => {
  const listing = rescanOf({ findings: [findingOf({ id: 'CVE-2026-3000', component: PAD })] });
  expect(silence([padded], { scans: [rescanOf(), listing] })).toEqual([]);
});

test('a version with a slash, as of a branch, hides no silence', () => {
  const action = { name: 'b', version: 'main/x', purl: 'pkg:github/a/b@main/x' };
  const open = openedRecord({ scan: scanOf({ findings: [findingOf({ id: 'CVE-2026-1000', component: action })] }) });
  expect(silence([open], { components: [LOG4J, action] })).toEqual(['pkg:github/a/b@main%2Fx']);
});
