import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import { findingSchema } from './finding-schema.ts';

const finding = {
  id: 'CVE-2021-44228',
  severity: 'critical',
  cvss: { score: 10, vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H' },
  component: { name: 'log4j-core', version: '2.14.1', purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1' },
  fixedInVersions: ['2.15.0'],
  description: '',
  aliases: ['GHSA-jfh8-c2jp-5v3q'],
  published: '2021-12-10',
  reportedBy: [{ scanner: 'grype', id: 'GHSA-jfh8-c2jp-5v3q', severity: 'Critical', score: 10, source: 'nvd' }],
};

test.each([
  ['a finding', {}, true],
  ['one with what enrichment adds', { cisa_kev: { is_exploited: true } }, true],
  ['one that nobody scored', { cvss: undefined, severity: 'unknown' }, true],
  ['one without its package URL', { component: { name: 'a' } }, true],
  ['one without a component', { component: undefined }, false],
  ['one without a name', { id: ' ' }, false],
  ['a severity in capitals', { severity: 'CRITICAL' }, false],
  ['a vector without its score', { cvss: { vector: 'x' } }, false],
  ['a score below 0', { cvss: { score: -1 } }, false],
  ['a time instead of a day', { published: '2021-12-10T00:00:00Z' }, false],
  ['null', { cvss: null }, false],
])('%s is read: %s', (_what, change, isValid) => {
  expect(Check(findingSchema, JSON.parse(JSON.stringify({ ...finding, ...change })))).toBe(isValid);
});
