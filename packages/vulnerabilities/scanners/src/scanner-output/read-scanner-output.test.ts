import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_OUTPUT_BYTES, MAX_OUTPUT_DEPTH, parseOutputDocument } from './output-document.ts';
import { OUTPUT_FORMATS, outputFormatOf, readOutputDocument, readScannerOutput } from './read-scanner-output.ts';
import { SCAN_ENTRY_CODES, SCAN_FILE_CODES } from './scan-issue.ts';

const read = (text: string) => readScannerOutput(new TextEncoder().encode(text));
const GRYPE = '{"matches":[],"descriptor":{"name":"grype","version":"0.104.1"}}';

/** A document of each format that says that nothing was found. */
const NOTHING_FOUND: ReadonlyArray<readonly [format: string, root: unknown]> = [
  ['grype', { matches: null, source: null }],
  ['trivy', { SchemaVersion: 2, ArtifactName: 'shop' }],
  ['trivy', { SchemaVersion: 2, ArtifactName: 'shop', Results: null }],
  ['trivy', { Results: [{ Target: 'go.mod', Vulnerabilities: null }] }],
  ['trivy k8s', { ClusterName: 'test', Resources: null }],
  ['trivy before 0.20', [{ Target: 'package-lock.json', Vulnerabilities: null }]],
  [
    'trivy operator',
    { apiVersion: 'aquasecurity.github.io/v1alpha1', kind: 'VulnerabilityReport', report: { vulnerabilities: [] } },
  ],
  ['osv-scanner', { results: null }],
  ['osv-scanner', { results: [], experimental_config: { licenses: { summary: false } } }],
  ['npm audit (npm 7 and later)', { auditReportVersion: 2, vulnerabilities: {} }],
  ['npm audit (npm 6)', { advisories: {}, metadata: {}, muted: [] }],
  ['yarn audit (Yarn 1)', { type: 'auditSummary', data: { vulnerabilities: {} } }],
  ['pip-audit', { dependencies: null }],
  ['pip-audit', { dependencies: [{ name: 'a', version: '1', vulns: [] }], fixes: [] }],
  ['pip-audit', [{ name: 'a', version: '1', vulns: null }]],
  ['cargo-audit', { lockfile: {}, vulnerabilities: { found: false, count: 0, list: null } }],
  ['govulncheck', { config: { scanner_name: 'govulncheck' } }],
  ['govulncheck', [{ config: {} }, { progress: { message: 'Scanning' } }]],
  ['govulncheck before 1.0', { Calls: {}, Requires: {}, Vulns: null }],
  ['govulncheck SARIF', { runs: [{ tool: { driver: { name: 'govulncheck' } }, results: null }] }],
  ['snyk', { ok: true, vulnerabilities: [], dependencyCount: 3 }],
  ['snyk', [{ vulnerabilities: null, packageManager: 'npm' }]],
  ['snyk issues', { jsonapi: { version: '1.0' }, data: [] }],
  ['Dependency-Track findings', { meta: { application: 'Dependency-Track' }, findings: null }],
  ['CycloneDX', { bomFormat: 'CycloneDX', specVersion: '1.6', vulnerabilities: [] }],
  ['empty list', []],
];

describe.each(NOTHING_FOUND)('%s: %j', (format, root) => {
  test('is known by its content', () => {
    expect(outputFormatOf(root)).toBe(format);
    expect(OUTPUT_FORMATS.filter(({ looksLike }) => looksLike(root))).toHaveLength(1);
  });

  test('has no findings', () => {
    expect(readOutputDocument(root)).toMatchObject({ ok: true, value: [{ reported: [] }] });
  });
});

const VECTORS = join(import.meta.dirname, '../../vectors/scanner-output');

test.each(readdirSync(VECTORS))('%s looks like one format, and no other', (name) => {
  const document = parseOutputDocument(readFileSync(join(VECTORS, name)));
  const root = document.ok ? document.value : undefined;
  expect(OUTPUT_FORMATS.filter(({ looksLike }) => looksLike(root))).toHaveLength(1);
});

test('an output of Yarn 1 without its summary says that some of it may be missing', () => {
  const advisory = { id: 7, module_name: 'a', findings: [{ version: '1.0.0' }] };
  const line = JSON.stringify({ type: 'auditAdvisory', data: { advisory } });
  const summary = '{"type":"auditSummary","data":{}}';
  expect(read(`${line}\n${summary}`)).toMatchObject({ value: [{ reported: [{ id: 'NPM-7' }], unread: [] }] });
  expect(read(line)).toMatchObject({ value: [{ reported: [{}], unread: [{ code: 'scan.incomplete' }] }] });
});

test.each([
  [
    'npm 7.0',
    { auditReportVersion: 2, vulnerabilities: { a: { via: [{ id: 755, url: 'https://npmjs.com/x/755' }] } } },
  ],
  [
    'Dependency-Track',
    [{ component: { name: 'a' }, vulnerability: { source: 'NPM', vulnId: '755' }, attribution: {} }],
  ],
])('a number of npm is an id under its own scheme, from %s', (_, root) => {
  expect(readOutputDocument(root)).toMatchObject({ value: [{ reported: [{ id: 'NPM-755' }] }] });
});

test('issues that Snyk was asked for by a package URL are of that package', () => {
  const purl = 'pkg:maven/org.example/wool@1.2';
  const representations = [{ resource_path: '[,1.3)' }, { package: { name: 'wool', version: '1.2', url: purl } }];
  const attributes = { key: 'SNYK-JAVA-WOOL-1', coordinates: [{ representations }] };
  expect(readOutputDocument({ jsonapi: {}, data: [{ type: 'issue', attributes }] })).toMatchObject({
    value: [{ reported: [{ component: { name: 'wool', version: '1.2', purl } }], unread: [] }],
  });
});

test('what Snyk says of code without a package manager has its name and version', () => {
  const entry = { id: 'SNYK-UNMANAGED-CPIO-1', name: 'https://example.org/pub|cpio@2.12', severity: 'low' };
  const root = { dependencyCount: 1, packageManager: 'Unmanaged (C/C++)', vulnerabilities: [entry] };
  expect(readOutputDocument(root)).toMatchObject({
    value: [{ reported: [{ component: { name: 'cpio', version: '2.12' } }] }],
  });
});

describe('a file is refused', () => {
  test.each([
    ['', 'scan.empty'],
    [' \r\n\t', 'scan.empty'],
    ['\ufeff', 'scan.empty'],
    ['null', 'scan.null_document'],
    ['{}', 'scan.unknown_format'],
    ['"text"', 'scan.unknown_format'],
    ['true', 'scan.unknown_format'],
    ['42', 'scan.unknown_format'],
    ['[null]', 'scan.unknown_format'],
    ['[[]]', 'scan.unknown_format'],
    ['{"results":[],"errors":[],"paths":{}}', 'scan.unknown_format'],
    ['{"dependencies":{"lodash":"1"}}', 'scan.unknown_format'],
    ['{"vulnerabilities":[]}', 'scan.unknown_format'],
    ['{"spdxVersion":"SPDX-2.3"}', 'scan.unknown_format'],
    ['{"matches":{},"source":{}}', 'scan.list_invalid'],
    ['{"SchemaVersion":2,"ArtifactName":"","Results":{}}', 'scan.list_invalid'],
    ['{"ClusterName":"","Resources":[{"Results":7}]}', 'scan.list_invalid'],
    [
      '{"apiVersion":"aquasecurity.github.io/v1","kind":"VulnerabilityReport","report":{"vulnerabilities":{}}}',
      'scan.list_invalid',
    ],
    ['[{"apiVersion":"aquasecurity.github.io/v1","kind":"VulnerabilityReport","report":{}}]', 'scan.list_missing'],
    ['{"results":"none"}', 'scan.list_invalid'],
    ['{"auditReportVersion":2,"vulnerabilities":[]}', 'scan.list_invalid'],
    ['{"advisories":[],"metadata":{}}', 'scan.list_invalid'],
    ['{"lockfile":{},"vulnerabilities":{"list":{}}}', 'scan.list_invalid'],
    ['{"Calls":{},"Vulns":{}}', 'scan.list_invalid'],
    ['{"vulnerabilities":{},"dependencyCount":1}', 'scan.list_invalid'],
    ['{"jsonapi":{},"data":{}}', 'scan.list_invalid'],
    ['{"meta":{"application":"Dependency-Track"},"findings":{}}', 'scan.list_invalid'],
    ['{"bomFormat":"CycloneDX","vulnerabilities":{}}', 'scan.list_invalid'],
    ['{"auditReportVersion":2}', 'scan.list_missing'],
    ['{"lockfile":{},"vulnerabilities":{"found":false}}', 'scan.list_missing'],
    ['{"meta":{"application":"Dependency-Track"},"project":{}}', 'scan.list_missing'],
    ['{"bomFormat":"CycloneDX","components":[]}', 'scan.not_a_scan'],
    ['{"runs":[{"tool":{"driver":{"name":"SnykCode"}},"results":[]}]}', 'scan.not_a_scan'],
    ['{"runs":[{"tool":{"driver":{"name":"Grype"}},"results":[]}]}', 'scan.format_unsupported'],
    ['{"runs":[{"tool":{"driver":{"name":"Snyk Open Source"}},"results":[]}]}', 'scan.format_unsupported'],
    ['{"error":{"code":"ENOLOCK","summary":"This command requires an existing lockfile."}}', 'scan.scanner_failed'],
    ['{"ok":false,"error":"Could not detect supported target files","path":"/src"}', 'scan.scanner_failed'],
    ['{"type":"warning","data":"x"}\n{"type":"error","data":"The registry is not there."}', 'scan.scanner_failed'],
    ['{"type":"warning","data":"x"}\n{"type":"info","data":"y"}', 'scan.not_json'],
    ['{"matches":[{"vulnerability":{"id":"CVE-20', 'scan.truncated'],
    ['{"matches":[', 'scan.truncated'],
    [`${GRYPE.slice(0, -1)}`, 'scan.truncated'],
    ['No vulnerabilities found', 'scan.not_json'],
    ['<!doctype html><html></html>', 'scan.not_json'],
    ['<?xml version="1.0"?><bom/>', 'scan.not_json'],
    ['bomFormat: CycloneDX\nvulnerabilities: []\n', 'scan.not_json'],
    ['{"a":1}\n{"b":2}\n', 'scan.not_json'],
    [`${GRYPE}\n${GRYPE}`, 'scan.not_json'],
    [`${GRYPE} and more`, 'scan.not_json'],
    ["{'matches': []}", 'scan.not_json'],
    ['{"matches":[],}', 'scan.not_json'],
  ])('%j with %s', (text, code) => {
    expect(read(text)).toMatchObject({ ok: false, issues: [{ code }] });
  });

  test.each([
    [`npm warn config\n${GRYPE}`, /^Before/, /2>&1/],
    [`[INFO] scanning\n{\n} done\n${GRYPE}\n`, /^Before/, /2>&1/],
    [`${GRYPE}\nA newer version is "there`, /^Behind/, /2>&1/],
    ['scanned\n{}\n["', /it is text/, /JSON/],
    ['Name,Version,Id\na,1,CVE-2024-1\n', /CSV/, /JSON/],
    ['"Id";"Severity";"Name"\n"CVE-2024-1";"high";"a, b"\n', /CSV/, /JSON/],
    ['a: [1, 2, 3]\nb: [1, 2, 3]\n', /YAML/, /JSON/],
    ['10:00:00,1 scan, begin\n10:00:01,2 scan, end\n', /it is text/, /JSON/],
    ['one; two, three\nfour, five, six\n', /it is text/, /JSON/],
    ['<?xml version="1.0"?>\n<bom xmlns="http://cyclonedx.org/schema/bom/1.5"/>', /CycloneDX as XML/, /converts/],
    [`${GRYPE}${GRYPE}`, /2 JSON documents/, /each file/],
    ['{"items":[{"apiVersion":"aquasecurity.github.io/v1alpha1"}]}', /Trivy operator/, /docs/],
    ['{"version":"15.0.0","vulnerabilities":[],"scan":{}}', /GitLab/, /docs/],
    ['{"advisories":{},"abandoned":[]}', /composer/, /docs/],
    ['{"matches":[],"descriptor":{"name":"xeol"},"source":{}}', /xeol/, /docs/],
    ['[{"infrastructureAsCodeIssues":[],"vulnerabilities":[],"projectName":"a"}]', /snyk iac/, /docs/],
    ['{"reportSchema":"1.1","dependencies":[]}', /Dependency-Check/, /docs/],
  ])('%j, and says why and what helps', (text, message, expected) => {
    const result = read(text);
    expect(result.ok ? [] : result.issues).toEqual([
      expect.objectContaining({
        message: expect.stringMatching(message),
        expected: expect.stringMatching(expected),
      }),
    ]);
  });

  test.each([
    ['UTF-16 with its mark', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
    ['a byte of another encoding', [0x22, 0xe9, 0x22]],
    ['gzip', [0x1f, 0x8b, 0x08, 0x00]],
    ['a ZIP archive', [0x50, 0x4b, 0x03, 0x04, 0xff]],
  ])('with scan.not_utf8: %s', (_, bytes) => {
    expect(readScannerOutput(Uint8Array.from(bytes))).toMatchObject({ issues: [{ code: 'scan.not_utf8' }] });
  });

  test('that is larger than is read, before it is looked at', () => {
    const bytes = { length: MAX_OUTPUT_BYTES + 1 } as Uint8Array;
    expect(readScannerOutput(bytes)).toMatchObject({ issues: [{ code: 'scan.too_large' }] });
  });

  test.each(['[', '{"a":'])('that is nested without end: %s', (open) => {
    expect(read(open.repeat(100_000))).toMatchObject({ issues: [{ code: 'scan.too_deep' }] });
    expect(read(`${'['.repeat(MAX_OUTPUT_DEPTH)}${']'.repeat(MAX_OUTPUT_DEPTH)}`)).toMatchObject({
      issues: [{ code: 'scan.unknown_format' }],
    });
  });

  test.each([
    [{ image_name: 'x', results: {} }, 'Aqua'],
    [{ version: '2', data: [], errors: [], time: 1 }, 'retire.js'],
    [{ policies: [], scanOriginResource: {} }, 'Wiz'],
    [{ '@context': 'https://openvex.dev/ns/v0.2.0', statements: [] }, 'OpenVEX'],
    [{ document: { csaf_version: '2.0' } }, 'CSAF'],
  ])('with what it looks like: %j', (root, name) => {
    const result = readOutputDocument(root);
    expect(!result.ok && result.issues[0]?.message).toContain(name);
  });

  test('with the members that it has, and not with endless names', () => {
    const result = readOutputDocument({ ['x'.repeat(10_000)]: 1, second: 2 });
    const message = (!result.ok && result.issues[0]?.message) || '';
    expect(message).toContain('"second"');
    expect(message.length).toBeLessThan(300);
  });
});

test('whatever the bytes are, reading them ends with a result', () => {
  const json = fc.json().map((text) => new TextEncoder().encode(text));
  const cut = fc.tuple(json, fc.nat()).map(([bytes, at]) => bytes.subarray(0, at % (bytes.length + 1)));
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), json, cut), (bytes) => {
      const result = readScannerOutput(bytes);
      expect(result.ok || SCAN_FILE_CODES.some((code) => code === result.issues[0]?.code)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('a byte order mark is passed over', () => {
  expect(read(`\ufeff${GRYPE}`)).toMatchObject({
    ok: true,
    value: [{ scanner: { name: 'grype', version: '0.104.1' } }],
  });
});

test('brackets and quotes inside of texts are no structure', () => {
  const text = JSON.stringify({ matches: [], source: { target: `${'[{"\\'.repeat(2000)}"` } });
  expect(read(text)).toMatchObject({ ok: true });
});

test('members of every object are no members of a document', () => {
  expect(read('{"__proto__":{"matches":[],"source":{}}}')).toMatchObject({ issues: [{ code: 'scan.unknown_format' }] });
  const polluting =
    '{"matches":[{"vulnerability":{"id":"CVE-2021-1","__proto__":{"severity":"Low"}},"artifact":{"name":"a","constructor":{"prototype":{"polluted":1}}}}],"source":{}}';
  expect(read(polluting)).toMatchObject({ ok: true, value: [{ reported: [{ id: 'CVE-2021-1' }] }] });
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(Object.hasOwn(Object.prototype, 'severity')).toBe(false);
});

test('whatever stands in a document, reading it ends with a result whose codes are listed', () => {
  const codes = new Set<string>([...SCAN_FILE_CODES, ...SCAN_ENTRY_CODES]);
  const names = fc.constantFrom(
    ...[
      'matches',
      'source',
      'vulnerability',
      'artifact',
      'id',
      'name',
      'cvss',
      'Results',
      'SchemaVersion',
      'Vulnerabilities',
    ],
    ...[
      'results',
      'packages',
      'groups',
      'vulnerabilities',
      'auditReportVersion',
      'via',
      'advisories',
      'metadata',
      'findings',
    ],
    ...[
      'dependencies',
      'vulns',
      'lockfile',
      'list',
      'advisory',
      'osv',
      'finding',
      'trace',
      'config',
      'Vulns',
      'Calls',
      'runs',
    ],
    ...[
      'packageManager',
      'jsonapi',
      'data',
      'attributes',
      'meta',
      'component',
      'bomFormat',
      'components',
      'affects',
      'ref',
    ],
    ...[
      'package',
      'version',
      'ClusterName',
      'Resources',
      'Target',
      'attribution',
      'coordinates',
      'ratings',
      '__proto__',
    ],
  );
  const leaf = fc.constantFrom(
    null,
    '',
    'CycloneDX',
    'Dependency-Track',
    'govulncheck',
    'npm',
    'pkg:npm/a@1',
    0,
    7.5,
    true,
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      leaf,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(names, tie('value'), { maxKeys: 5 }),
    ),
  }));
  fc.assert(
    fc.property(value, (root) => {
      const result = readOutputDocument(root);
      const found = result.ok ? result.value.flatMap(({ unread }) => unread) : result.issues;
      expect(found.every(({ code, message }) => codes.has(code) && message.length < 1000)).toBe(true);
      if (!result.ok) return;
      for (const { id, component } of result.value.flatMap(({ reported }) => reported)) {
        expect(id.trim() !== '' && component.name.trim() !== '').toBe(true);
      }
    }),
    { numRuns: 3000 },
  );
});

const readOne = (root: unknown) => {
  const result = readOutputDocument(root);
  if (!result.ok) throw new Error(JSON.stringify(result.issues));
  return result.value[0]!;
};
const component = { name: 'a', version: '1', purl: 'pkg:npm/a@1' };

test('a CycloneDX rating says the version of its vector, or of its number, by its method', () => {
  const bare = 'AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
  const ratings = [
    { method: 'CVSSv3', vector: bare },
    { method: 'CVSSv31', vector: `CVSS:3.1/${bare}`, score: 9.8 },
    { method: 'CVSSv2', vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' },
    { method: 'CVSSv4', score: 9.3 },
    { method: 'OWASP', score: 30, vector: 'SL:1/M:1' },
  ];
  const vulnerabilities = [{ id: 'CVE-2021-1', ratings, affects: [{ ref: 'a' }] }];
  const root = { bomFormat: 'CycloneDX', components: [{ 'bom-ref': 'a', ...component }], vulnerabilities };
  expect(readOne(root).reported[0]?.scores).toEqual([
    { vector: `CVSS:3.0/${bare}` },
    { vector: `CVSS:3.1/${bare}`, score: 9.8 },
    { vector: 'AV:N/AC:L/Au:N/C:P/I:P/A:P' },
    { score: 9.3, version: '4.0' },
  ]);
});

test('of Dependency-Track’s numbers each has its version', () => {
  const vulnerability = { vulnId: 'CVE-2021-1', source: 'NVD', cvssV2BaseScore: 10, cvssV3BaseScore: 9.8 };
  const [entry] = readOne([{ component, vulnerability, attribution: {} }]).reported;
  expect(entry?.scores).toEqual([
    { score: 9.8, source: 'NVD', version: '3.1' },
    { score: 10, source: 'NVD', version: '2.0' },
  ]);
});

test('a resource of a cluster that trivy could not look at is told', () => {
  const root = { ClusterName: 'test', Resources: [{ Kind: 'Pod', Error: 'the image cannot be had' }] };
  expect(readOne(root).unread).toEqual([expect.objectContaining({ path: '/Resources/0', code: 'scan.not_scanned' })]);
});

test('a distribution’s word in an OSV record is its severity', () => {
  const severity = [
    { type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' },
    { type: 'Ubuntu', score: 'medium' },
  ];
  const vulnerabilities = [{ id: 'UBUNTU-CVE-2021-1', severity }];
  const found = { package: { name: 'a', version: '1', ecosystem: 'Ubuntu:22.04:LTS' }, vulnerabilities };
  const [entry] = readOne({ results: [{ packages: [found] }] }).reported;
  expect(entry?.severity).toBe('medium');
});

test('the vector that a RustSec record has beside its list of none is read', () => {
  const cvss = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:H';
  const record = { id: 'RUSTSEC-2023-0015', severity: [], affected: [{ database_specific: { cvss } }] };
  const found = { package: { name: 'ascii', version: '1', ecosystem: 'crates.io' }, vulnerabilities: [record] };
  expect(readOne({ results: [{ packages: [found] }] }).reported[0]?.scores).toEqual([
    { vector: cvss, source: 'rustsec' },
  ]);
});

test('the one fixed version of a grype before 0.10 is read', () => {
  const match = { vulnerability: { id: 'CVE-2021-1', fixedInVersion: '1.1.1d-0+deb10u5' }, artifact: component };
  expect(readOne({ matches: [match], source: null }).reported[0]?.fixedInVersions).toEqual(['1.1.1d-0+deb10u5']);
});

test('the scanner of a CycloneDX document is the tool that looks for vulnerabilities', () => {
  const tools = { components: [{ name: 'cdxgen' }, { name: 'owasp-depscan', version: '6.0.0' }] };
  const root = { bomFormat: 'CycloneDX', metadata: { tools }, vulnerabilities: [] };
  expect(readOne(root).scanner).toEqual({ name: 'owasp-depscan', version: '6.0.0' });
});

test('a report of the Trivy operator of another kind is refused by its name', () => {
  const root = { apiVersion: 'aquasecurity.github.io/v1alpha1', kind: 'ConfigAuditReport', report: {} };
  expect(readOutputDocument(root)).toMatchObject({
    ok: false,
    issues: [{ code: 'scan.unknown_format', message: expect.stringContaining('Trivy operator') }],
  });
});
