import { findingSchema } from '@colophon/records';
import fc from 'fast-check';
import { Check } from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { parseFindings } from './parse-findings.ts';

const V31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H';
const contract = {
  id: 'CVE-2021-44228',
  severity: 'critical',
  cvss: { score: 10, vector: V31 },
  component: { name: 'log4j-core', version: '2.14.1', purl: 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1' },
  fixedInVersions: ['2.15.0'],
  description: 'Remote code execution',
};
const parsed = (...entries: unknown[]) => {
  const result = parseFindings(entries);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value;
};

test('the contract’s own shape is a finding that nobody in particular reported', () => {
  expect(parsed(contract)).toEqual([{ ...contract, aliases: [], reportedBy: [] }]);
});

test.each([
  [{ severity: 'CRITICAL' }, { severity: 'critical' }],
  [
    { cvss: 7.5, severity: 'low' },
    { cvss: { score: 7.5 }, severity: 'high' },
  ],
  [{ cvss: { score: '7.5' } }, { cvss: { score: 7.5 } }],
  [{ cvss: '9.8' }, { cvss: { score: 9.8 }, severity: 'critical' }],
  [{ cvss: { score: '3.1' } }, { cvss: { score: 3.1 }, severity: 'low' }],
  [{ cvss: V31 }, { cvss: { score: 10, vector: V31 } }],
  [{ cvss: { score: 7.1, vector: V31 } }, { cvss: { score: 10, vector: V31 } }],
  [{ cvss: null, severity: 'Important' }, { severity: 'high' }],
  [{ id: ' cve-2021-44228' }, { id: 'CVE-2021-44228' }],
  [{ published: 1639094400000 }, { published: '2021-12-10' }],
  [
    { aliases: null, fixedInVersions: null, description: null },
    { aliases: [], fixedInVersions: [], description: '' },
  ],
  [
    { cisa_kev: { is_exploited: true }, constructor: 1 },
    { cisa_kev: { is_exploited: true }, constructor: 1 },
  ],
])('%j is read as %j', (change, expected) => {
  expect(parsed({ ...contract, ...change })[0]).toMatchObject(expected);
});

test.each(['2.0', '3.0', '3.1', '4.0'])('%s alone may be a version of CVSS, and is no score', (cvss) => {
  const [finding] = parsed({ ...contract, severity: 'critical', cvss });
  expect(finding).toMatchObject({ severity: 'critical' });
  expect(finding).not.toHaveProperty('cvss');
});

test('a score of 0 beside a vector that is broken is none', () => {
  const [finding] = parsed({ ...contract, severity: undefined, cvss: { score: 0, vector: 'CVSS:3.1/AV:N' } });
  expect(finding).toMatchObject({ severity: 'unknown' });
  expect(finding).not.toHaveProperty('cvss');
});

test.each([
  ['CVE-2021-45046', ['cve-2021-44228'], 'CVE-2021-45046', ['CVE-2021-44228']],
  [
    'GHSA-jfh8-c2jp-5v3q',
    ['CVE-2021-45046', 'CVE-2021-44228'],
    'GHSA-jfh8-c2jp-5v3q',
    ['CVE-2021-44228', 'CVE-2021-45046'],
  ],
  ['GHSA-jfh8-c2jp-5v3q', ['CVE-2021-44228'], 'CVE-2021-44228', ['GHSA-jfh8-c2jp-5v3q']],
])('%s, also called %j, stays one entry', (id, aliases, expectedId, expectedAliases) => {
  const found = parsed(contract, { ...contract, id, aliases }, contract);
  expect(found.map((one) => one.id)).toEqual([contract.id, expectedId, contract.id]);
  expect(found[1]?.aliases).toEqual(expectedAliases);
});

test('texts of an entry stay as they are, and in their order', () => {
  const entry = { ...contract, fixedInVersions: ['2.15.0', '2.3.1', '2.15.0'], description: ' Two\nlines ' };
  expect(parsed(entry)).toEqual([{ ...entry, aliases: [], reportedBy: [] }]);
});

test('what is left out of an entry is told', () => {
  const codes: string[] = [];
  const wrong = [
    { ...contract, cvss: { score: 11 } },
    { ...contract, cvss: 'CVSS:3.1/AV:N' },
  ];
  expect(parseFindings(wrong, ({ code }) => codes.push(code)).ok).toBe(true);
  expect(new Set(codes)).toEqual(new Set(['finding.score_invalid', 'cvss.metric_missing']));
});

test('a member called __proto__ is one like any other', () => {
  const [finding] = parsed(JSON.parse(`{"__proto__":{"id":"x"},"id":"CVE-2021-44228","component":{"name":"a"}}`));
  expect(finding?.id).toBe('CVE-2021-44228');
  expect(Object.getPrototypeOf(finding)).toBe(Object.prototype);
  expect(({} as { id?: string }).id).toBeUndefined();
});

describe('what is no finding is an issue', () => {
  test.each([
    ['an object', {}, '', 'finding.field_type'],
    ['nothing', undefined, '', 'finding.field_type'],
    ['null in the list', [null], '/0', 'finding.field_type'],
    ['no id', [{ ...contract, id: undefined }], '/0/id', 'finding.field_missing'],
    ['a blank id', [{ ...contract, id: ' ' }], '/0/id', 'finding.field_empty'],
    ['a number for an id', [{ ...contract, id: 5 }], '/0/id', 'finding.field_type'],
    ['no component', [contract, { ...contract, component: null }], '/1/component', 'finding.field_missing'],
    ['a text for a component', [{ ...contract, component: 'log4j' }], '/0/component', 'finding.field_type'],
    ['a component without a name', [{ ...contract, component: {} }], '/0/component/name', 'finding.field_missing'],
    ['a list for the score', [{ ...contract, cvss: [10] }], '/0/cvss', 'finding.field_type'],
    ['a text for the number', [{ ...contract, cvss: { score: 'ten' } }], '/0/cvss/score', 'finding.field_type'],
    ['a text for a list', [{ ...contract, fixedInVersions: '2.15.0' }], '/0/fixedInVersions', 'finding.field_type'],
    [
      'a report without a scanner',
      [{ ...contract, reportedBy: [{ id: 'x' }] }],
      '/0/reportedBy/0/scanner',
      'finding.field_missing',
    ],
  ])('%s', (_what, value, path, code) => {
    expect(parseFindings(value)).toMatchObject({ ok: false, issues: [{ path, code }] });
  });

  test('of a list that is wrong throughout 100 issues are enough', () => {
    const result = parseFindings(Array(10_000).fill(5));
    expect(result.ok ? 0 : result.issues.length).toBe(100);
  });
});

test('whatever JSON it is given, it answers', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(fc.jsonValue(), fc.record({ id: fc.jsonValue(), component: fc.jsonValue(), cvss: fc.jsonValue() })),
      ),
      (value) => {
        expect(typeof parseFindings(value).ok).toBe('boolean');
      },
    ),
  );
});

test('what is kept of an entry has the published form: a blank version in which it is fixed is none', () => {
  const parsed = parseFindings([{ ...contract, fixedInVersions: ['2.15.0', ' ', '', '2.3.1'] }]);
  expect(parsed).toMatchObject({ ok: true, value: [{ fixedInVersions: ['2.15.0', '2.3.1'] }] });
  expect(parsed.ok && Check(findingSchema, JSON.parse(JSON.stringify(parsed.value[0])))).toBe(true);
});
