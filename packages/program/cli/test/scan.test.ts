import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readScans, scanInvalid } from '../src/scan-file/scan-file.ts';
import { documentOf, runLine } from './command-line.ts';

const V31 = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H';
const LOG4J = 'pkg:maven/org.apache.logging.log4j/log4j-core@2.14.1';

const GRYPE = {
  matches: [
    {
      vulnerability: {
        id: 'GHSA-jfh8-c2jp-5v3q',
        severity: 'Critical',
        cvss: [{ version: '3.1', vector: V31, metrics: { baseScore: 10 } }],
        fix: { versions: ['2.15.0'], state: 'fixed' },
        description: 'Remote code execution',
      },
      relatedVulnerabilities: [{ id: 'CVE-2021-44228', cvss: [] }],
      artifact: { name: 'log4j-core', version: '2.14.1', type: 'java-archive', purl: LOG4J },
    },
  ],
  source: { type: 'file', target: 'shop.cdx.json' },
  descriptor: { name: 'grype', version: '0.104.0', db: { status: { built: '2026-11-20T01:00:00Z' } } },
};
const TRIVY = {
  SchemaVersion: 2,
  ArtifactName: 'shop.cdx.json',
  Results: [
    {
      Target: 'Java',
      Class: 'lang-pkgs',
      Type: 'jar',
      Vulnerabilities: [
        {
          VulnerabilityID: 'CVE-2021-44228',
          PkgName: 'org.apache.logging.log4j:log4j-core',
          PkgIdentifier: { PURL: LOG4J },
          InstalledVersion: '2.14.1',
          FixedVersion: '2.15.0, 2.12.2',
          Severity: 'HIGH',
          PublishedDate: '2021-12-10T10:15:00Z',
        },
      ],
    },
  ],
};
const SBOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 3,
  metadata: { timestamp: '2026-11-20T10:00:00Z', component: { type: 'application', name: 'shop', version: '1.2.0' } },
  components: [{ type: 'library', name: 'log4j-core', version: '2.14.1', purl: `${LOG4J}?type=jar` }],
};

/** A folder with the files that are named, and the path of each. */
function folderWith(files: Readonly<Record<string, unknown>>): (name: string) => string {
  const folder = temporaryFolder(onTestFinished);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return (name) => join(folder, name);
}
const importing = (...line: string[]) => runLine(['scan', 'import', ...line]);

describe('scan import', () => {
  test('two scanners’ outputs are one array of findings, and nothing else stands on standard output', async () => {
    const at = folderWith({ 'grype.json': GRYPE, 'trivy.json': TRIVY });
    const ran = await importing(at('*.json'), '--output', 'json');
    expect(ran.exitCode).toBe(0);
    expect(documentOf(ran)).toEqual([
      {
        id: 'CVE-2021-44228',
        severity: 'critical',
        cvss: { score: 10, vector: V31 },
        component: expect.objectContaining({ version: '2.14.1', purl: LOG4J }),
        fixedInVersions: ['2.12.2', '2.15.0'],
        description: 'Remote code execution',
        aliases: ['GHSA-jfh8-c2jp-5v3q'],
        published: '2021-12-10',
        reportedBy: [
          expect.objectContaining({ scanner: 'grype', id: 'GHSA-jfh8-c2jp-5v3q', severity: 'Critical', score: 10 }),
          expect.objectContaining({ scanner: 'trivy', id: 'CVE-2021-44228', severity: 'HIGH' }),
        ],
      },
    ]);
    expect(ran.stderr).toContain('2 scans with 2 findings, 1 after merging: 1 critical');
  });

  test('what it prints is read as the same', async () => {
    const at = folderWith({ 'grype.json': GRYPE, 'trivy.json': TRIVY });
    const { stdout } = await importing(at('*.json'), '-o', 'json');
    writeFileSync(at('findings'), stdout);
    expect((await importing(at('findings'), '-o', 'json')).stdout).toBe(stdout);
    expect((await importing(at('findings'), at('trivy.json'), at('grype.json'), '-o', 'json')).stdout).toBe(stdout);
  });

  test('people see the worst first, and on standard error what was read', async () => {
    const at = folderWith({ 'grype.json': GRYPE });
    const { stdout, stderr } = await importing(at('grype.json'));
    expect(stdout).toMatch(/^SEVERITY .*\ncritical +10\.0 +CVE-2021-44228 +log4j-core +2\.14\.1 +2\.15\.0 +grype\n$/);
    expect(stderr).toMatch(/grype\.json: grype 0\.104\.0 of shop\.cdx\.json, 1 finding, database of 2026-11-20/);
  });

  test('one file that cannot be read keeps nothing from the others, and the exit code says so', async () => {
    const at = folderWith({ 'grype.json': GRYPE, 'bad.json': '<html>', 'other.json': { hello: 1 } });
    const ran = await importing(at('bad.json'), at('grype.json'), at('missing.json'), at('other.json'), '-o', 'json');
    expect(ran.exitCode).toBe(20);
    expect(documentOf(ran)).toHaveLength(1);
    for (const code of ['cli.scan_invalid', 'cli.file_unreadable', 'scan.not_json', 'scan.unknown_format']) {
      expect(ran.stderr).toContain(code);
    }
  });

  test.each([
    ['an SBOM', { bomFormat: 'CycloneDX', specVersion: '1.6' }, 'colophon scan run --sbom'],
    ['a VEX document', { '@context': 'https://openvex.dev/ns/v0.2.0', statements: [] }, 'colophon vex apply'],
    ['a known-exploited catalog', { catalogVersion: '1', count: 0, vulnerabilities: [] }, 'colophon kev enrich'],
  ])('%s in the place of a scan is told where it belongs', async (_what, content, next) => {
    const at = folderWith({ 'x.json': content });
    expect(documentOf(await importing(at('x.json'), '-o', 'json')).error.next).toContain(next);
  });

  test.each([
    ['an empty file', '', 'scan.empty', 20],
    ['null', 'null', 'scan.null_document', 20],
    ['half a file', '{"matches": [', 'scan.truncated', 20],
    ['a list of findings that are none', [{ id: '', component: {} }], 'finding.field_empty', 20],
    ['a broken record', { format: 'colophon-scan/v1' }, 'scan_record.field_missing', 20],
  ])(
    'of %s there is an error and no empty list, which would say that nothing was found',
    async (_what, content, code, exit) => {
      const at = folderWith({ 'x.json': content });
      const ran = await importing(at('x.json'), '-o', 'json');
      expect(ran.exitCode).toBe(exit);
      const { ok, error } = documentOf(ran);
      expect(ok).toBe(false);
      expect(error.issues.map((issue: { code: string }) => issue.code)).toContain(code);
    },
  );

  test('a pattern that matches nothing, and a list without files, say so', async () => {
    const ran = await importing('/nowhere/*.json', '-o', 'json');
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([1, 'cli.file_unreadable']);
    expect((await importing()).exitCode).toBe(1);
  });

  test('a broken entry of a list of findings is listed as not read; the others are', async () => {
    const finding = { id: 'CVE-2021-44228', component: { name: 'log4j-core' } };
    const at = folderWith({ 'x.json': [finding, { id: 5, component: { name: 'a' } }] });
    const ran = await importing(at('x.json'), '-o', 'json');
    expect(documentOf(ran)).toHaveLength(1);
    expect(ran.stderr).toMatch(/not read:\n {2}finding\.field_type 1\n/);
  });

  test('a member of another type is listed as not read, and its finding is kept', async () => {
    const finding = { id: 'CVE-2021-44228', severity: 'critical', component: { name: 'log4j-core', version: 2 } };
    const ran = await importing(folderWith({ 'x.json': [finding] })('x.json'), '-o', 'json', '--fail-on', 'critical');
    expect(ran.exitCode).toBe(21);
    expect(documentOf(ran)).toMatchObject([{ id: 'CVE-2021-44228', severity: 'critical' }]);
    expect(ran.stderr).toMatch(/not read:\n {2}finding\.field_type 1\n.*\/0\/component\/version/);
  });

  const FINDING = { id: 'CVE-2021-44228', component: { name: 'log4j-core', version: '2.14.1' } };

  test.each([
    ['one alone', FINDING],
    ['a list in a member', { findings: [FINDING] }],
    ['another one', { generatedAt: '2026-11-21', vulnerabilities: [FINDING] }],
    ['one on each line', `${JSON.stringify(FINDING)}\n${JSON.stringify(FINDING)}\n`],
  ])('findings are read as %s', async (_what, content) => {
    const at = folderWith({ 'x.json': content });
    expect(documentOf(await importing(at('x.json'), '-o', 'json'))).toMatchObject([FINDING]);
  });

  test('a kept scan in a list of lines is a kept scan', async () => {
    const at = folderWith({ 'grype.json': GRYPE });
    await importing(at('grype.json'), '--record', at('scan.json'));
    const line = JSON.stringify(JSON.parse(readFileSync(at('scan.json'), 'utf8')));
    const ran = await importing(folderWith({ 'x.json': `${line}\n${line}\n` })('x.json'), '-o', 'json');
    expect(documentOf(ran)).toMatchObject([{ reportedBy: [{ scanner: 'grype' }] }]);
  });

  test('nothing in a scanner’s output leaves its line', async () => {
    const name = 'log4j\u001b[2J\ncore';
    const [match] = GRYPE.matches;
    const at = folderWith({
      'x.json': { ...GRYPE, matches: [{ ...match, artifact: { ...match?.artifact, name, purl: name } }] },
    });
    const { stdout, stderr } = await importing(at('x.json'), '--wide');
    expect(stdout + stderr).not.toContain('\u001b');
    expect(stdout.split('\n')).toHaveLength(3);
  });

  test.each([
    ['critical', 21],
    ['low', 21],
  ])('--fail-on %s ends with %d where something is as severe', async (severity, exitCode) => {
    const at = folderWith({ 'grype.json': GRYPE });
    expect((await importing(at('grype.json'), '--fail-on', severity, '-o', 'json')).exitCode).toBe(exitCode);
  });

  const trivyOf = (Severity: string, CVSS: object) => ({
    ...TRIVY,
    Results: [{ ...TRIVY.Results[0], Vulnerabilities: [{ ...TRIVY.Results[0]!.Vulnerabilities[0], Severity, CVSS }] }],
  });
  const NO_IMPACT = { V3Vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:N/I:N/A:N', V3Score: 0 };
  const MILD = { V3Vector: 'CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N', V3Score: 1.8 };
  const GRAVE = { V3Vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H', V3Score: 9.8 };

  test.each([
    ['beside another source', trivyOf('UNKNOWN', { nvd: NO_IMPACT, redhat: GRAVE }), 'critical'],
    ['beside the scanner’s word', trivyOf('CRITICAL', { nvd: NO_IMPACT }), 'critical'],
    ['beside a number', trivyOf('UNKNOWN', { nvd: NO_IMPACT, redhat: { V3Score: 7.5 } }), 'high'],
  ])('a vector without any impact decides nothing %s, and --fail-on hears that', async (_title, output, severity) => {
    const at = folderWith({ 'trivy.json': output });
    const ran = await importing(at('trivy.json'), '--fail-on', severity, '-o', 'json');
    expect([ran.exitCode, documentOf(ran)[0].severity]).toEqual([21, severity]);
    expect(ran.stderr).toContain('finding.score_zero');
    writeFileSync(at('findings'), ran.stdout);
    expect((await importing(at('findings'), '-o', 'json')).stdout).toBe(ran.stdout);
  });

  test('a score far below what the scanner or another source says is told', async () => {
    const at = folderWith({
      'word.json': trivyOf('CRITICAL', { nvd: MILD }),
      'source.json': trivyOf('UNKNOWN', { nvd: MILD, redhat: GRAVE }),
      'near.json': trivyOf('MEDIUM', { nvd: MILD }),
      'zero.json': trivyOf('UNKNOWN', { nvd: NO_IMPACT }),
    });
    const toldOf = async (name: string) => {
      const ran = await importing(at(name), '-o', 'json');
      return [documentOf(ran)[0].severity, /finding\.\w+/.exec(ran.stderr)?.[0]];
    };
    expect(await toldOf('word.json')).toEqual(['low', 'finding.severity_differs']);
    expect(await toldOf('source.json')).toEqual(['low', 'finding.severity_differs']);
    expect(await toldOf('near.json')).toEqual(['low', undefined]);
    expect(await toldOf('zero.json')).toEqual(['none', 'finding.score_zero']);
  });

  test('--fail-on does not count what is less severe, or what every scanner suppresses', async () => {
    const finding = { id: 'CVE-2021-44228', severity: 'medium', component: { name: 'a' } };
    const at = folderWith({ 'a.json': [finding], 'b.json': [{ ...finding, severity: 'critical', suppressed: 'vex' }] });
    expect((await importing(at('a.json'), '--fail-on', 'high')).exitCode).toBe(0);
    expect((await importing(at('b.json'), '--fail-on', 'high')).exitCode).toBe(0);
    expect((await importing(at('b.json'), '--fail-on', 'severe')).exitCode).toBe(1);
  });

  test('SARIF and Markdown are for other readers', async () => {
    const at = folderWith({ 'grype.json': GRYPE });
    const sarif = documentOf(await importing(at('grype.json'), '-o', 'sarif'));
    expect(sarif.runs[0].results).toMatchObject([{ ruleId: 'CVE-2021-44228', level: 'error' }]);
    expect(sarif.runs[0].tool.driver.rules).toEqual([
      { id: 'CVE-2021-44228', help: { text: 'Remote code execution' } },
    ]);
    const { stdout } = await importing(at('grype.json'), '-o', 'markdown');
    expect(stdout).toMatch(/^### 1 finding\n\n\| Severity .*\n\|---.*\n\| critical \| 10\.0 \| CVE-2021-44228 \| /);
  });

  test('an array of more findings than are written at once is one document', async () => {
    const findings = Array.from({ length: 2_500 }, (_, index) => ({
      id: `CVE-2021-${10_000 + index}`,
      component: { name: 'a' },
    }));
    const at = folderWith({ 'x.json': findings });
    const ran = await importing(at('x.json'), '-o', 'json');
    expect(documentOf(ran)).toHaveLength(2_500);
    expect(ran.stdout).toBe(`${JSON.stringify(documentOf(ran), null, 2)}\n`);
    expect((await importing(at('x.json'))).stdout).toMatch(/… and 2300 more: --output json has them all\n$/);
  });
});

describe('kept scans', () => {
  test('a record says who looked, at what, with which knowledge, and is read back as a scan', async () => {
    const at = folderWith({ 'grype.json': GRYPE, 'shop.cdx.json': SBOM });
    const line = [at('grype.json'), '--sbom', at('shop.cdx.json'), '--scanned-at', '2026-11-21T10:00:00+01:00'];
    const first = await importing(...line, '--record', at('scan.json'), '-o', 'json');
    const record = JSON.parse(readFileSync(at('scan.json'), 'utf8'));
    expect(record).toMatchObject({
      format: 'colophon-scan/v1',
      scanner: { name: 'grype', version: '0.104.0', databaseBuiltAt: '2026-11-20T01:00:00Z' },
      scannedAt: '2026-11-21T09:00:00.000Z',
      sbom: {
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        serialNumber: SBOM.serialNumber,
        version: 3,
        timestamp: '2026-11-20T10:00:00Z',
        artifact: 'shop',
        artifactVersion: '1.2.0',
      },
      source: { name: 'grype.json', digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) },
    });
    const again = await importing(at('scan.json'), '-o', 'json');
    expect(again.stdout).toBe(first.stdout);
    expect(await readScans([at('scan.json')])).toHaveLength(1);
    expect(first.stderr).not.toContain('finding.not_in_sbom');
  });

  test('several scans are kept as one list, each by itself, and read back as several', async () => {
    const at = folderWith({ 'grype.json': GRYPE, 'trivy.json': TRIVY });
    await importing(at('grype.json'), at('trivy.json'), '--record', at('scans.json'), '--database-time', '2026-11-19');
    const scans = await readScans([at('scans.json')]);
    expect(scans.map(({ scanner, findings }) => [scanner.name, scanner.databaseBuiltAt, findings.length])).toEqual([
      // What the output says itself counts.
      ['grype', '2026-11-20T01:00:00Z', 1],
      ['trivy', '2026-11-19T00:00:00Z', 1],
    ]);
  });

  test('what is not in the SBOM that was scanned is noticed', async () => {
    const at = folderWith({ 'grype.json': GRYPE, 'shop.cdx.json': { ...SBOM, components: [] } });
    const { stderr, exitCode } = await importing(at('grype.json'), '--sbom', at('shop.cdx.json'));
    expect(stderr).toContain('finding.not_in_sbom 1');
    expect(exitCode).toBe(0);
  });

  test.each(['--scanned-at', '--database-time'])('%s is not yet to come', async (flag) => {
    const ran = await importing('x.json', flag, '2999-01-01T00:00:00Z');
    expect([ran.exitCode, ran.stderr]).toEqual([1, expect.stringContaining('is in the future')]);
  });

  test.each(['2026-02-30', '2026-11-21T10:00:00', '2026-11-20T24:00:00Z', 'yesterday'])(
    '--scanned-at %s is no time',
    async (time) => {
      const ran = await importing('x.json', '--scanned-at', time);
      expect([ran.exitCode, ran.stderr]).toEqual([1, expect.stringContaining('It is a time such as')]);
    },
  );

  test('--scanned-at may have a space between day and hour, as scanners write it', async () => {
    const at = folderWith({ 'grype.json': GRYPE });
    expect((await importing(at('grype.json'), '--scanned-at', '2026-11-20 23:00:00Z')).exitCode).toBe(0);
  });

  test('a scan that cannot be kept is known before anything is read', async () => {
    const ran = await importing('/nowhere/x.json', '--record', '/nowhere/scan.json', '-o', 'json');
    expect(documentOf(ran).error.code).toBe('cli.file_unwritable');
  });
});

describe('scan run', () => {
  /** A program that answers as grype does. */
  function fakeGrype(folder: string, output: unknown): string {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'answer.json'), JSON.stringify(output));
    const script = `#!/bin/sh
case "$1" in
  version) echo '{"version":"0.104.0"}' ;;
  db) echo '{"built":"2026-11-20T01:00:00Z"}' ;;
  *) cat "${bin}/answer.json" ;;
esac
`;
    writeFileSync(join(bin, 'grype'), script);
    chmodSync(join(bin, 'grype'), 0o755);
    return `${bin}:/usr/bin:/bin`;
  }

  test('calls what is installed on the SBOM, and keeps scan and output', async () => {
    const at = folderWith({ 'shop.cdx.json': SBOM });
    const PATH = fakeGrype(at('.'), GRYPE);
    const line = ['scan', 'run', '--scanner', 'grype', '--sbom', at('shop.cdx.json'), '--record', at('scan.json')];
    const ran = await runLine([...line, '--keep', at('outputs'), '-o', 'json'], { PATH });
    expect(ran.stderr).toMatch(/^installed: .*grype/);
    expect(documentOf(ran)).toMatchObject([{ id: 'CVE-2021-44228', severity: 'critical' }]);
    expect(readdirSync(at('outputs'))).toEqual(['grype.json']);
    const [scan] = await readScans([at('scan.json')]);
    expect(scan).toMatchObject({
      scanner: { name: 'grype', databaseBuiltAt: '2026-11-20T01:00:00Z' },
      sbom: { version: 3 },
    });
    expect(scan?.scannedAt).toBeDefined();
    // What was kept is what the record was made of.
    const [again] = await readScans([join(at('outputs'), 'grype.json')]);
    expect(again?.source).toEqual(scan?.source);
  });

  test.each([
    ['nothing to scan', ['--scanner', 'grype'], 'cli.usage', 1],
    ['two things at a time', ['--sbom', 'x', '--image', 'y'], 'cli.usage', 1],
    ['a scanner that nobody knows', ['--scanner', 'nessus', '--image', 'y'], 'cli.usage', 1],
    ['a scanner that is not there', ['--scanner', 'trivy', '--image', 'y:1'], 'feeds.scanner_missing', 1],
  ])('%s is an error with what to do', async (_what, line, code, exitCode) => {
    const at = folderWith({});
    const ran = await runLine(['scan', 'run', ...line, '-o', 'json'], { PATH: fakeGrype(at('.'), GRYPE) });
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([exitCode, code]);
  });
});

const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data');

describe.skipIf(!existsSync(join(DATA, 'scan-grype')))('the collected outputs of real scanners', () => {
  test('all of them are imported or refused with a reason, and what comes of them is read as the same', async () => {
    const ran = await importing(join(DATA, 'scan-*', '*'), '-o', 'json');
    const findings = documentOf(ran) as { id: string; severity: string; cvss?: { score: number; vector?: string } }[];
    expect(findings.length).toBeGreaterThan(1_000);
    expect(ran.exitCode).toBe(20);
    expect(ran.stderr.match(/^error (\S+?):/gm)).toEqual(Array(6).fill('error cli.scan_invalid:'));
    // What is stated beside a vector is what it gives, but where a scanner pairs it with another version's number.
    expect(ran.stderr).toMatch(/finding\.score_differs 6$/m);
    for (const { cvss } of findings) expect(cvss?.score).not.toBe(0);
    const at = folderWith({ 'findings.json': ran.stdout });
    expect((await importing(at('findings.json'), '-o', 'json')).stdout).toBe(ran.stdout);
  });
});

test('what came on standard input is called so', () => {
  expect(scanInvalid('-', []).message).toMatch(/^standard input has /);
});
