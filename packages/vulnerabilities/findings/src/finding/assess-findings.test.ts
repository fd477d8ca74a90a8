import type { Finding } from '@colophon/records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assessFindings, assessFindingsList, combineFindings } from './assess-findings.ts';
import type { ReportedVulnerability } from './reported-vulnerability.ts';
import type { ScannerReading } from './scan.ts';

const V31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H';
const LOG4J = 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1';

const reported = (more: Partial<ReportedVulnerability> = {}): ReportedVulnerability => ({
  scanner: 'grype',
  id: 'CVE-2021-44228',
  aliases: [],
  scores: [],
  component: { name: 'log4j-core', version: '2.14.1', purl: LOG4J },
  fixedInVersions: [],
  ...more,
});
const readingOf = (...entries: ReportedVulnerability[]): ScannerReading => ({
  scanner: { name: entries[0]?.scanner ?? 'grype' },
  reported: entries,
  unread: [],
});
const assess = (...entries: Partial<ReportedVulnerability>[]) =>
  assessFindings(
    entries.map((entry) => readingOf(reported(entry))),
    { at: '2026-11-21T12:00:00Z' },
  );
const only = (...entries: Partial<ReportedVulnerability>[]): Finding => {
  const { findings } = assess(...entries);
  expect(findings).toHaveLength(1);
  return findings[0] as Finding;
};
const idsOf = (...entries: Partial<ReportedVulnerability>[]) => assess(...entries).findings.map(({ id }) => id);
const codesOf = (...entries: Partial<ReportedVulnerability>[]) => assess(...entries).notes.map(({ code }) => code);

test('a finding has the shape of the contract, and who said what', () => {
  const finding = only({
    id: 'GHSA-jfh8-c2jp-5v3q',
    aliases: ['cve-2021-44228 '],
    severity: 'High',
    scores: [{ vector: V31, score: 10, source: 'nvd' }],
    fixedInVersions: ['2.15.0', '2.3.1', ' 2.15.0'],
    description: ' Remote code execution ',
    published: '2021-12-10T00:15:00+01:00',
  });
  expect(finding).toEqual({
    id: 'CVE-2021-44228',
    severity: 'critical',
    cvss: { score: 10, vector: V31 },
    component: { name: 'log4j-core', version: '2.14.1', purl: LOG4J },
    fixedInVersions: ['2.3.1', '2.15.0'],
    description: 'Remote code execution',
    aliases: ['GHSA-jfh8-c2jp-5v3q'],
    published: '2021-12-09',
    reportedBy: [
      { scanner: 'grype', id: 'GHSA-jfh8-c2jp-5v3q', severity: 'High', score: 10, vector: V31, source: 'nvd' },
    ],
  });
});

describe('scores', () => {
  test('of two numbers of one entry the newer version’s counts', () => {
    const [old, recent] = [{ score: 10, version: '2.0' } as const, { score: 9.1, version: '3.1' } as const];
    expect(only({ scores: [old, recent] }).cvss).toEqual({ score: 9.1 });
    expect(only({ scores: [recent, old] }).cvss).toEqual({ score: 9.1 });
  });

  test('a vector without a metric gives none, and no severity either', () => {
    const broken = { scores: [{ vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H', score: 0 }] };
    expect(only(broken)).toMatchObject({ severity: 'unknown' });
    expect(only(broken)).not.toHaveProperty('cvss');
    expect(codesOf(broken)).toEqual(['cvss.metric_missing']);
  });

  test('beside a broken vector a number counts as it was stated, and a word where there is no number', () => {
    const vector = 'AV:N/AC:L';
    expect(only({ scores: [{ vector, score: 7.2 }] })).toMatchObject({ severity: 'high', cvss: { score: 7.2 } });
    expect(only({ severity: 'Important', scores: [{ vector }] }).severity).toBe('high');
  });

  test.each([
    [[{ score: 0 }], undefined],
    [[{ score: 11 }], undefined],
    [[{ score: Number.NaN }], undefined],
    [[{ score: 5.5 }], 5.5],
    // The vector counts, not what is stated beside it.
    [[{ vector: V31, score: 7 }], 10],
    // A vector before a number; v4.0 before v3 before v2.
    [[{ score: 10, source: 'nvd' }, { vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' }], 7.5],
    [
      [
        { vector: 'AV:N/AC:L/Au:N/C:C/I:C/A:C', source: 'nvd' },
        { vector: 'CVSS:3.0/AV:N/AC:H/PR:H/UI:N/S:U/C:H/I:H/A:H' },
      ],
      6.6,
    ],
    [
      [{ vector: V31, source: 'nvd' }, { vector: 'CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:A/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N' }],
      7.5,
    ],
    // Of one version: NVD, then an advisory database, then another, then nobody; then the highest.
    [
      [
        { vector: V31, source: 'ghsa' },
        { vector: 'CVSS:3.0/AV:N/AC:H/PR:H/UI:N/S:U/C:H/I:H/A:H', source: 'nvd' },
      ],
      6.6,
    ],
    [
      [
        { vector: V31, source: 'redhat' },
        { vector: 'CVSS:3.1/AV:N/AC:H/PR:H/UI:N/S:U/C:H/I:H/A:H', source: 'ghsa' },
      ],
      6.6,
    ],
    [[{ vector: V31 }, { vector: 'CVSS:3.1/AV:N/AC:H/PR:H/UI:N/S:U/C:H/I:H/A:H', source: 'redhat' }], 6.6],
    [
      [
        { vector: V31, source: 'redhat' },
        { vector: 'CVSS:3.1/AV:N/AC:H/PR:H/UI:N/S:U/C:H/I:H/A:H', source: 'suse' },
      ],
      10,
    ],
  ])('of %j counts %s', (scores, score) => {
    expect(only({ scores }).cvss?.score).toBe(score);
    expect(only({ scores: [...scores].reverse() }).cvss?.score).toBe(score);
    expect(only(...scores.map((one, index) => ({ scanner: `s${index}`, scores: [one] }))).cvss?.score).toBe(score);
  });

  test.each([
    [{ vector: V31, score: 9.9 }, ['finding.score_differs']],
    [{ vector: V31, score: 9.95 }, []],
    [{ vector: V31, score: 10 }, []],
    [{ vector: `${V31}/E:U`, score: 10 }, []],
    [{ vector: `${V31}/E:U`, score: 9.1 }, []],
    [{ vector: `${V31}/E:U`, score: 8 }, ['finding.score_differs']],
    [{ score: -1 }, ['finding.score_invalid']],
    [{ vector: 'nonsense' }, ['cvss.malformed']],
  ])('%j is noted as %j', (score, codes) => {
    expect(codesOf({ scores: [score] })).toEqual(codes);
  });
});

describe('a score of 0, or one far below what others say', () => {
  const ZERO = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N';
  const zero = { vector: ZERO, score: 0, source: 'nvd' };
  const low = { vector: 'CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N', source: 'nvd' };
  const high = { vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:H/A:N', source: 'ghsa' };

  test.each([
    ['another source', { scores: [zero, high] }, 'high', 7.5, ['finding.score_zero']],
    [
      'an older method',
      { scores: [zero, { vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' }] },
      'high',
      7.5,
      ['finding.score_zero'],
    ],
    ['a number', { scores: [zero, { score: 5 }] }, 'medium', 5, ['finding.score_zero']],
    ['the word', { severity: 'CRITICAL', scores: [zero] }, 'critical', undefined, ['finding.score_zero']],
    ['a mild word', { severity: 'negligible', scores: [zero] }, 'low', undefined, ['finding.score_zero']],
    ['its own number', { scores: [{ ...zero, score: 7.5 }] }, 'high', 7.5, ['finding.score_differs']],
    ['nobody', { scores: [zero] }, 'none', 0, ['finding.score_zero']],
    ['a word that says nothing', { severity: 'unknown', scores: [zero] }, 'none', 0, ['finding.score_zero']],
    ['a word that agrees', { severity: 'Info', scores: [zero] }, 'none', 0, []],
  ])('beside 0 counts what is said by %s', (_title, entry, severity, score, codes) => {
    const reversed = { ...entry, scores: [...entry.scores].reverse() };
    for (const one of [entry, reversed]) {
      expect([only(one).severity, only(one).cvss?.score, codesOf(one)]).toEqual([severity, score, codes]);
    }
  });

  test('of several scanners the 0 of one decides nothing either, read once or twice', () => {
    const silent = { scanner: 'a', scores: [zero] };
    for (const [other, severity, score] of [
      [{ scanner: 'b', severity: 'High' }, 'high', undefined],
      [{ scanner: 'b', scores: [high] }, 'high', 7.5],
      [{ scanner: 'b', severity: 'none' }, 'none', 0],
    ] as const) {
      for (const entries of [
        [silent, other],
        [other, silent],
      ]) {
        const finding = only(...entries.map((one) => ({ ...one, scores: 'scores' in one ? one.scores : [] })));
        expect([finding.severity, finding.cvss?.score]).toEqual([severity, score]);
        expect(assessFindingsList([finding]).findings).toEqual([finding]);
        expect(combineFindings([[finding], [finding]]).findings).toEqual([finding]);
      }
    }
  });

  test.each([
    ['the word is two above', { severity: 'High', scores: [low] }, true],
    ['the word is one above', { severity: 'medium', scores: [low] }, false],
    ['the word is below', { severity: 'low', scores: [{ vector: V31 }] }, false],
    ['another source is two above', { scores: [low, high] }, true],
    ['another source is one above', { scores: [low, { score: 5 }] }, false],
    ['the word says nothing', { severity: 'unknown', scores: [low] }, false],
  ])('where %s that is noted: %j', (_title, entry, isNoted) => {
    expect(codesOf(entry)).toEqual(isNoted ? ['finding.severity_differs'] : []);
    expect(only(entry).cvss?.score).toBeDefined();
  });

  test('a score far below another scanner’s word or score is noted', () => {
    const own = { scanner: 'a', scores: [low] };
    expect(codesOf(own, { scanner: 'b', severity: 'critical' })).toEqual(['finding.severity_differs']);
    expect(codesOf(own, { scanner: 'b', scores: [high] })).toEqual(['finding.severity_differs']);
    expect(codesOf(own, { scanner: 'b', severity: 'medium', scores: [{ score: 5 }] })).toEqual([]);
    expect(codesOf(own, own)).toEqual([]);
  });
});

describe('severities without a score', () => {
  test('the worst word of all scanners counts, and that they differ is noted', () => {
    const words = [
      { scanner: 'a', severity: 'LOW' },
      { scanner: 'b', severity: 'moderate' },
      { scanner: 'c', severity: 'unassigned' },
    ];
    expect(only(...words).severity).toBe('medium');
    expect(codesOf(...words)).toEqual(['finding.severity_differs']);
    expect(codesOf({ scanner: 'a', severity: 'low' }, { scanner: 'b', severity: 'Low' })).toEqual([]);
  });

  test('a word that nobody knows is noted', () => {
    expect(only({ severity: 'blocker' }).severity).toBe('unknown');
    expect(codesOf({ severity: 'blocker' })).toEqual(['finding.severity_unknown']);
  });
});

describe('names', () => {
  test('a CVE and a GHSA that anybody ties together are one', () => {
    const tie = { scanner: 'osv', id: 'GHSA-aaaa-bbbb-cccc', aliases: ['CVE-2021-1111'] };
    const finding = only(tie, { scanner: 'npm', id: 'ghsa-AAAA-bbbb-cccc' }, { scanner: 'trivy', id: 'CVE-2021-1111' });
    expect(finding).toMatchObject({ id: 'CVE-2021-1111', aliases: ['GHSA-aaaa-bbbb-cccc'] });
    expect(finding.reportedBy.map(({ scanner }) => scanner)).toEqual(['npm', 'osv', 'trivy']);
  });

  test('what is tied in one component is known in every other', () => {
    const other = { name: 'other', version: '1', purl: 'pkg:npm/other@1' };
    const ids = idsOf(
      { id: 'CVE-2021-1111', aliases: ['GHSA-aaaa-bbbb-cccc'] },
      { scanner: 'npm', id: 'GHSA-aaaa-bbbb-cccc', component: other },
    );
    expect(ids).toEqual(['CVE-2021-1111', 'CVE-2021-1111']);
  });

  test('two CVEs are never one, whoever lists them together', () => {
    const both = { id: 'GHSA-aaaa-bbbb-cccc', aliases: ['CVE-2021-1111', 'CVE-2021-2222'] };
    expect(idsOf(both, { scanner: 'b', id: 'CVE-2021-2222' })).toEqual(['CVE-2021-1111', 'CVE-2021-2222']);
    expect(codesOf(both)).toEqual(['finding.several_cves']);
    expect(assess(both).findings.map(({ aliases }) => aliases)).toEqual([
      ['GHSA-aaaa-bbbb-cccc'],
      ['GHSA-aaaa-bbbb-cccc'],
    ]);
    expect(idsOf({ id: 'CVE-2021-1111', aliases: ['CVE-2021-2222'] })).toEqual(['CVE-2021-1111', 'CVE-2021-2222']);
    // Through a third name either.
    expect(
      idsOf(
        { id: 'CVE-2021-1111', aliases: ['GHSA-aaaa-bbbb-cccc'] },
        { id: 'CVE-2021-2222', aliases: ['GHSA-aaaa-bbbb-cccc'] },
      ),
    ).toEqual(['CVE-2021-1111', 'CVE-2021-2222']);
  });

  test('an advisory id alone is all the CVEs that it is about, but not those of a whole update', () => {
    const about = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: `CVE-2021-${1000 + index}`, aliases: ['ADV-1'] }));
    const alone = { scanner: 'b', id: 'ADV-1', component: { name: 'other', purl: 'pkg:npm/other@1' } };
    const found = (count: number) =>
      assess(...about(count), alone)
        .findings.filter(({ component }) => component.name === 'other')
        .map(({ id }) => id);
    expect(found(2)).toEqual(['CVE-2021-1000', 'CVE-2021-1001']);
    expect(found(9)).toEqual(['ADV-1']);
  });

  test('without a CVE a GHSA is the id, and the rest are its aliases', () => {
    expect(only({ id: 'SNYK-JS-X-1', aliases: ['GHSA-aaaa-bbbb-cccc', 'npm:x:1'] })).toMatchObject({
      id: 'GHSA-aaaa-bbbb-cccc',
      aliases: ['SNYK-JS-X-1', 'npm:x:1'],
    });
  });

  test('a malformed CVE is kept as it is and noted, and ties nothing together', () => {
    expect(only({ id: 'CVE-2021-12' }).id).toBe('CVE-2021-12');
    expect(codesOf({ id: 'CVE-2021-12' })).toEqual(['finding.cve_malformed']);
    expect(idsOf({ id: 'A-1', aliases: ['CVE-PENDING'] }, { id: 'B-1', aliases: ['CVE-PENDING'] })).toEqual([
      'A-1',
      'B-1',
    ]);
  });

  test('a weakness is no name', () => {
    expect(idsOf({ id: 'A-1', aliases: ['CWE-79'] }, { id: 'B-1', aliases: ['CWE-79'] })).toEqual(['A-1', 'B-1']);
  });

  test('10,000 names of one entry are too many', () => {
    const aliases = Array.from({ length: 10_000 }, (_, index) => `X-${index}`);
    expect(only({ aliases }).aliases.length).toBeLessThan(200);
    expect(codesOf({ aliases })).toEqual(['finding.names_left_out']);
  });
});

describe('components', () => {
  const npm = (version: string) => ({ name: 'lodash', version, purl: `pkg:npm/lodash@${version}` });

  test('the same vulnerability at two paths, or in two builds of one package, is one finding', () => {
    expect(only({}, {}, { component: { name: 'log4j-core', purl: `${LOG4J}?type=jar` } }).component.purl).toBe(
      `${LOG4J}?type=jar`,
    );
  });

  test('another version is another finding', () => {
    expect(idsOf({ component: npm('4.17.20') }, { component: npm('4.17.21') })).toHaveLength(2);
  });

  test('a component without package URL or version is the only one that it can be', () => {
    for (const component of [
      { name: 'lodash', version: '4.17.20' },
      { name: 'lodash' },
      { name: 'x', purl: 'pkg:npm/lodash' },
    ]) {
      expect(only({ component: npm('4.17.20') }, { scanner: 'b', component }).component).toEqual(npm('4.17.20'));
    }
  });

  test('where it can be several, or another, it stays by itself', () => {
    const [one, two] = [{ component: npm('4.17.20') }, { component: npm('4.17.21') }];
    expect(idsOf(one, two, { scanner: 'b', component: { name: 'lodash' } })).toHaveLength(3);
    expect(idsOf(one, { scanner: 'b', component: { name: 'lodash', version: '3.0.0' } })).toHaveLength(2);
    expect(idsOf(one, { scanner: 'b', id: 'CVE-2020-1111', component: { name: 'lodash' } })).toHaveLength(2);
  });

  test('20,000 components that could be any of 20,000 others are not searched for', () => {
    const components = Array.from({ length: 40_000 }, (_, index) =>
      index % 2 === 0 ? npm(`1.0.${index}`) : { name: 'lodash', version: `1.0.${index}` },
    );
    const { findings } = assessFindings([readingOf(...components.map((component) => reported({ component })))]);
    expect(findings).toHaveLength(40_000);
  });

  test('what a component was taken for can be read off the one that is shown', () => {
    const bad = { scanner: 'b', component: { name: 'lodash', version: '4.17.20', purl: 'lodash?a=b&c=d' } };
    const unversioned = { scanner: 'c', component: { name: 'lodash', purl: 'pkg:npm/lodash?a=b&c=d&e=f' } };
    expect(only({ component: npm('4.17.20') }, bad, unversioned).component).toEqual(npm('4.17.20'));
  });

  test('a package URL that is none is noted', () => {
    expect(codesOf({ component: { name: 'x', purl: 'x@1' } })).toEqual(['finding.purl_invalid']);
  });
});

describe('suppression', () => {
  test('a finding that everybody suppresses stays, with the reasons', () => {
    const finding = only({ suppressed: 'vex: not_affected' }, { scanner: 'trivy', suppressed: 'ignored' });
    expect(finding.suppressed).toBe('ignored; vex: not_affected');
    expect(finding.reportedBy.map(({ suppressed }) => suppressed)).toEqual(['vex: not_affected', 'ignored']);
  });

  test('one that a single scanner counts counts', () => {
    expect(only({ suppressed: 'x' }, { scanner: 'trivy' })).not.toHaveProperty('suppressed');
  });
});

test.each([
  ['2026-11-21T23:59:59Z', '2026-11-21', []],
  ['2026-11-22', undefined, ['finding.date_future']],
  ['2026-02-30', undefined, ['finding.date_invalid']],
  ['  ', undefined, []],
])('published %j on 2026-11-21 is %s, noted as %j', (published, day, codes) => {
  expect(only({ published }).published).toBe(day);
  expect(codesOf({ published })).toEqual(codes);
});

test('of several dates the earliest counts, of several descriptions the longest', () => {
  expect(
    only(
      { published: '2021-12-14', description: 'short' },
      { published: '2021-12-10', description: 'a longer one' },
      {},
    ),
  ).toMatchObject({ published: '2021-12-10', description: 'a longer one' });
});

/** Few names and components, so that much meets. */
const entries = fc.record(
  {
    scanner: fc.constantFrom('grype', 'trivy', 'osv'),
    id: fc.constantFrom('CVE-2021-1111', 'cve-2021-2222', 'GHSA-aaaa-bbbb-cccc', 'X-1', 'x-1', 'CVE-1', 'Y-1'),
    aliases: fc.subarray(['CVE-2021-1111', 'CVE-2021-2222', 'GHSA-AAAA-bbbb-cccc', 'X-1', 'Y-1', 'CVE-1']),
    severity: fc.constantFrom('High', 'LOW', 'unknown', 'odd'),
    scores: fc.array(
      fc.record(
        {
          vector: fc.constantFrom(V31, 'AV:N/AC:L/Au:N/C:P/I:P/A:P', 'CVSS:3.1/AV:N', `${V31}/E:U`),
          score: fc.constantFrom(0, 5, 10, 12),
          source: fc.constantFrom('nvd', 'ghsa', 'redhat'),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
    component: fc.record(
      {
        name: fc.constantFrom('a', 'b', 'A'),
        version: fc.constantFrom('1', '2'),
        purl: fc.constantFrom(
          'pkg:npm/a@1',
          'pkg:npm/a@2?arch=x',
          'pkg:npm/a@1?arch=x&distro=y',
          'pkg:pypi/a@1',
          'pkg:npm/b',
          'bad',
        ),
      },
      { requiredKeys: ['name'] },
    ),
    fixedInVersions: fc.subarray(['1.10', '1.9', '2', 'a']),
    description: fc.constantFrom('', 'x', 'y', 'zz'),
    published: fc.constantFrom('2021-12-10', '2021-12-11T00:00:00+02:00', '1639094400', 'bad', '2099-01-01'),
    suppressed: fc.constantFrom('vex', 'ignored'),
  },
  { requiredKeys: ['scanner', 'id', 'aliases', 'scores', 'component', 'fixedInVersions'] },
) as fc.Arbitrary<ReportedVulnerability>;
const at = { at: '2026-11-21T12:00:00Z' };

describe('laws', () => {
  test('the order of outputs, and of entries in them, says nothing', () => {
    fc.assert(
      fc.property(fc.array(fc.array(entries), { maxLength: 4 }), fc.infiniteStream(fc.nat()), (outputs, numbers) => {
        const shuffled = <T>(list: readonly T[]): T[] =>
          list
            .map((one) => [numbers.next().value as number, one] as const)
            .sort(([a], [b]) => a - b)
            .map(([, one]) => one);
        const one = assessFindings(
          outputs.map((list) => readingOf(...list)),
          at,
        );
        const other = assessFindings(
          shuffled(outputs).map((list) => readingOf(...shuffled(list))),
          at,
        );
        expect(JSON.stringify(other)).toBe(JSON.stringify(one));
      }),
      { numRuns: 1000 },
    );
  });

  test('what was assessed and written is read as the same, alone or with what it was made of', () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 12 }), (list) => {
        const { findings } = assessFindings([readingOf(...list)], at);
        const text = JSON.stringify(findings);
        const again = assessFindingsList(JSON.parse(text), at);
        expect(again.issues).toEqual([]);
        expect(JSON.stringify(again.findings)).toBe(text);
        expect(JSON.stringify(combineFindings([findings, again.findings]).findings)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  test('no reporter is lost, no CVE is another one’s alias, and nothing is listed twice', () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 12 }), (list) => {
        const { findings } = assessFindings([readingOf(...list)], at);
        for (const { scanner, id } of list) {
          const isThere = findings.some(({ reportedBy }) =>
            reportedBy.some((by) => by.scanner === scanner && by.id === id),
          );
          expect(`${scanner} ${id} ${isThere}`).toBe(`${scanner} ${id} true`);
        }
        const aliases = findings.flatMap((finding) => finding.aliases);
        expect(aliases.filter((alias) => /^CVE-\d{4}-\d{4}/.test(alias))).toEqual([]);
        const keys = findings.map(({ id, component }) => JSON.stringify([id, component]));
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });

  test('no score is 0 unless a whole vector says so', () => {
    fc.assert(
      fc.property(fc.array(entries, { maxLength: 6 }), (list) => {
        for (const { cvss } of assessFindings([readingOf(...list)], at).findings) expect(cvss?.score).not.toBe(0);
      }),
    );
    expect(only({ scores: [{ vector: 'AV:N/AC:L/Au:N/C:N/I:N/A:N' }] })).toMatchObject({
      severity: 'none',
      cvss: { score: 0 },
    });
  });
});
