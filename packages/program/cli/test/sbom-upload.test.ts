import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Dashboard,
  type DashboardOptions,
  deadUrl,
  startDashboard,
  startPeer,
  temporaryFolder,
} from '@colophon/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { bomValidator } from '../src/sbom-file/official-schemas.ts';
import { documentOf, type Ran, runLine } from './command-line.ts';

const KEY = 'odt_CanaryOfTheDashboard0123456789';
const PROJECT = { uuid: '11111111-2222-4333-8444-555555555555', name: 'acme/webshop', version: '1.4.0' };
const ALL = [
  'BOM_UPLOAD',
  'PROJECT_CREATION_UPLOAD',
  'VIEW_PORTFOLIO',
  'VIEW_VULNERABILITY',
  'VULNERABILITY_ANALYSIS',
] as const;

const BOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.7',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 1,
  metadata: {
    timestamp: '2026-11-21T10:00:00Z',
    component: { type: 'application', 'bom-ref': 'root', group: 'acme', name: 'webshop', version: '1.4.0' },
  },
  components: [{ type: 'library', 'bom-ref': 'a', name: 'left-pad', version: '1.3.0', purl: 'pkg:npm/left-pad@1.3.0' }],
};
const IN_SPEC_PROFILE = {
  ...BOM,
  components: [
    {
      ...BOM.components[0],
      'x-ai-generated': {
        agent: 'refactor-bot',
        model: 'm-1',
        model_version: '2026-11',
        prompt: `sha256:${'a'.repeat(64)}`,
        generated_at: '2026-11-21T09:00:00Z',
        reviewed_by: 'alice@example.com',
        reviewed_at: '2026-11-21T09:30:00Z',
      },
    },
  ],
};
const VEX = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  vulnerabilities: [{ id: 'CVE-2026-0001', analysis: { state: 'not_affected' } }],
};

function finding(severity: string, vulnId: string, component = 'left-pad') {
  return {
    component: { uuid: component, name: component, version: '1.3.0', purl: `pkg:npm/${component}@1.3.0` },
    vulnerability: { uuid: vulnId, source: 'NVD', vulnId, severity, cvssV3BaseScore: 7.5 },
    analysis: { isSuppressed: false },
    attribution: {},
    matrix: `${PROJECT.uuid}:${component}:${vulnId}`,
  };
}

const validator = bomValidator();
let folder: string;
let sbom: string;

beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  sbom = file('bom.cdx.json', BOM);
});

function file(name: string, document: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document));
  return path;
}

function dashboard(options: Partial<DashboardOptions> = {}): Promise<Dashboard> {
  return startDashboard(onTestFinished, {
    keys: { [KEY]: ALL },
    projects: [PROJECT],
    // Every document that arrives is held against the official schema, as the real one does.
    validate: (bytes) =>
      validator
        .validateBytes(bytes, { for: 'dependency-track' })
        .issues.filter(({ severity }) => severity === 'error')
        .map(({ path, message }) => `${path}: ${message}`),
    ...options,
  });
}

async function upload(url: string, ...flags: string[]): Promise<Ran> {
  const line = flags.some((flag) => flag.endsWith('.json') && !flag.includes('vex')) ? flags : [sbom, ...flags];
  const ran = await runLine(['sbom', 'upload', '--dashboard', url, ...line], { COLOPHON_DASHBOARD_API_KEY: KEY });
  expect(ran.stdout + ran.stderr).not.toContain(KEY);
  return ran;
}

function codeOf(ran: Ran): string {
  return documentOf(ran).error.code;
}

describe('a document that the dashboard takes', () => {
  test('is sent whole, for the project that it describes, and its findings come back', async () => {
    const { url, requests } = await dashboard({
      polls: 2,
      findings: [finding('MEDIUM', 'CVE-2026-0003'), finding('CRITICAL', 'CVE-2026-0001'), finding('LOW', 'CVE-1')],
    });
    const ran = await upload(url, '-o', 'json');
    expect(ran.exitCode).toBe(0);
    const report = documentOf(ran);
    expect(report).toMatchObject({ processed: true, converted: false, project: PROJECT, token: expect.any(String) });
    expect(report.findings.map((one: { severity: string }) => one.severity)).toEqual(['critical', 'medium', 'low']);
    expect(report.severity_counts).toEqual({ critical: 1, high: 0, medium: 1, low: 1, info: 0, unassigned: 0 });
    const [sent] = requests;
    expect(sent?.form?.fields).toEqual({ projectName: 'acme/webshop', projectVersion: '1.4.0', autoCreate: 'false' });
    expect(JSON.parse(String(sent?.form?.files['bom']?.bytes))).toEqual(BOM);
    expect(sent?.form?.files['bom']?.mediaType).toBe('application/json');
    expect(requests.every(({ headers }) => headers['x-api-key'] === KEY)).toBe(true);
    expect(requests.filter(({ path }) => path.startsWith('/api/v1/event/token/'))).toHaveLength(3);
  });

  test('makes a project under a parent, with tags, as the latest', async () => {
    const { url, requests, projects } = await dashboard();
    const flags = ['--project-name', 'new', '--project-version', '2', '--auto-create', '--tag', 'a', '--tag', 'b'];
    const ran = await upload(url, ...flags, '--parent', PROJECT.uuid, '--is-latest', '-o', 'json');
    expect(ran.exitCode).toBe(0);
    expect(requests[0]?.form?.fields).toEqual({
      projectName: 'new',
      projectVersion: '2',
      autoCreate: 'true',
      projectTags: 'a,b',
      parentUUID: PROJECT.uuid,
      isLatest: 'true',
    });
    expect(projects).toHaveLength(2);
  });

  test('goes to a project by its id, without name', async () => {
    const { url, requests } = await dashboard();
    expect((await upload(url, '--project', PROJECT.uuid)).exitCode).toBe(0);
    expect(requests[0]?.form?.fields).toEqual({ project: PROJECT.uuid });
  });

  test('has its project looked up where the dashboard does not name it', async () => {
    const { url } = await dashboard({ isBefore5: true, findings: [finding('HIGH', 'CVE-2')] });
    const ran = await upload(url, '-o', 'json');
    expect(documentOf(ran)).toMatchObject({ project: { uuid: PROJECT.uuid }, severity_counts: { high: 1 } });
  });

  test('has all its findings read, page after page, each once', async () => {
    const findings = Array.from({ length: 1234 }, (_, i) => finding('HIGH', `CVE-2026-${1000 + i}`));
    for (const isBefore5 of [false, true]) {
      const { url } = await dashboard({ findings, isBefore5 });
      expect(documentOf(await upload(url, '-o', 'json')).findings).toHaveLength(1234);
    }
  });

  test('is not waited for with --no-wait', async () => {
    const { url, requests } = await dashboard({ polls: 9 });
    const ran = await upload(url, '--no-wait', '-o', 'json');
    expect(documentOf(ran)).toMatchObject({ processed: false });
    expect(requests).toHaveLength(1);
  });

  test('is converted where it is in a profile that no dashboard takes, and that is said', async () => {
    const { url, requests } = await dashboard();
    const spec = file('spec.json', IN_SPEC_PROFILE);
    const ran = await upload(url, spec, '-o', 'json');
    expect(documentOf(ran)).toMatchObject({ converted: true, losses: [] });
    const sent = String(requests[0]?.form?.files['bom']?.bytes);
    expect(sent).toContain('colophon:ai:');
    expect(sent).not.toContain('x-ai-generated');
    expect((await upload(url, spec)).stdout).toContain('standard profile');
  });

  test('is shown with its findings, and what the dashboard says stays on its line', async () => {
    const hostile = finding('HIGH', 'CVE-1\u001b[2J\nforged: line', 'a\u202eb');
    const { url } = await dashboard({ findings: [hostile] });
    const { stdout } = await upload(url);
    expect(stdout).toContain('findings: 0 critical, 1 high');
    expect(stdout).not.toContain('\u001b');
    expect(stdout).not.toContain('\u202e');
    expect(stdout).not.toMatch(/^forged/m);
  });
});

describe('a threshold', () => {
  test.each([
    ['critical', 'HIGH', 0],
    ['high', 'HIGH', 21],
    ['medium', 'CRITICAL', 21],
    ['low', 'INFO', 0],
    ['unassigned', 'ODD', 21],
  ])('--fail-on %s with a finding of severity %s ends with exit %i', async (threshold, severity, exit) => {
    const { url } = await dashboard({ findings: [finding(severity, 'CVE-1')] });
    const ran = await upload(url, '--fail-on', threshold, '-o', 'json');
    expect(ran.exitCode).toBe(exit);
    expect(documentOf(ran).over_threshold_count).toBe(exit === 0 ? 0 : 1);
  });

  test.each([['--no-wait'], ['--no-findings']])('is refused with %s, which would never meet it', async (flag) => {
    const { url, requests } = await dashboard();
    expect((await upload(url, '--fail-on', 'high', flag)).exitCode).toBe(1);
    expect(requests).toHaveLength(0);
  });
});

/** What 1.6 has no place for: one member of 1.7, and licences of both kinds in one list. */
const OF_1_7 = {
  ...BOM,
  citations: [{ timestamp: '2026-11-21T10:00:00Z', pointers: ['/components/0/name'], attributedTo: 'root' }],
  components: [{ ...BOM.components[0], isExternal: true }],
};

describe('the version of CycloneDX that is sent', () => {
  test.each([
    ['4.11.4', '1.6'],
    ['4.13.2', '1.6'],
    ['4.14.3', '1.6'],
    ['5.0.4', '1.6'],
    ['5.1.0', '1.7'],
    ['5.1.0-SNAPSHOT', '1.7'],
    ['5.10.0', '1.7'],
    ['10.0.0', '1.7'],
  ])('is one that Dependency-Track %s reads: %s', async (version, sent) => {
    const { url, requests, probes } = await dashboard({ version });
    const ran = await upload(url, file('bom.json', OF_1_7), '-o', 'json');
    expect(ran.exitCode).toBe(0);
    const report = documentOf(ran);
    expect(report.upload_version).toMatchObject({ document: '1.7', sent, basis: 'server' });
    expect(report.upload_version.server).toBe(`Dependency-Track ${version}`);
    expect(report.converted).toBe(sent === '1.6');
    const lost = report.losses.map(({ path }: { path: string }) => path);
    expect(lost).toEqual(sent === '1.6' ? ['/components/0/isExternal', '/citations'] : []);
    const bytes = requests[0]?.form?.files['bom']?.bytes;
    expect(JSON.parse(String(bytes))).toMatchObject({ specVersion: sent });
    expect(probes.map(({ headers }) => headers['x-api-key'])).toEqual([undefined]);
  });

  test.each([
    ['refuses', { status: 403 }, 'HTTP 403'],
    ['is no dashboard', { status: 200, body: '<html>' }, 'no version'],
    ['is another program', { status: 200, body: '{"application":"Other","version":"9.9.9"}' }, 'Other 9.9.9'],
    ['has no version', { status: 200, body: '{"application":"Dependency-Track","version":"next"}' }, 'next'],
    ['redirects', { status: 302, headers: { location: 'http://127.0.0.1:1/' } }, 'HTTP 302'],
    ['fails', { status: 502 }, 'HTTP 502'],
  ])('is the one that every release reads where the answer %s, and that is said', async (_what, answer, reason) => {
    const { url } = await dashboard({
      version: '4.14.3',
      answer: (_method, path) => (path === '/api/version' ? answer : undefined),
    });
    const ran = await upload(url, '-o', 'json');
    expect(ran.exitCode).toBe(0);
    expect(documentOf(ran).upload_version).toMatchObject({ document: '1.7', sent: '1.6', basis: 'assumed' });
    expect(documentOf(ran).upload_version.server).toContain(reason);
    expect((await upload(url)).stdout).toContain('sent as CycloneDX 1.6');
  });

  test('is as it stands in the file where the server reads that', async () => {
    const { url, requests } = await dashboard({ version: '4.14.3' });
    const old = { ...BOM, specVersion: '1.4' };
    const ran = await upload(url, file('old.json', old), '-o', 'json');
    expect(documentOf(ran)).toMatchObject({ converted: false, upload_version: { document: '1.4', sent: '1.4' } });
    expect(JSON.parse(String(requests[0]?.form?.files['bom']?.bytes))).toEqual(old);
  });

  test('is the one that is asked for, and then nobody is asked', async () => {
    const { url, probes } = await dashboard({ version: '4.14.3' });
    const ran = await upload(url, '--spec-version', '1.7', '-o', 'json');
    expect([codeOf(ran), ran.exitCode]).toEqual(['dashboard.refused', 20]);
    expect(ran.stdout).toContain('Unrecognized specVersion 1.7');
    expect((await upload(url, '--spec-version', '1.6')).stdout).toContain('sent as CycloneDX 1.6, not 1.7');
    expect(probes).toHaveLength(0);
  });

  test('does not exist for a server that reads nothing that we write, and nothing is sent', async () => {
    const { url, requests } = await dashboard({ version: '4.11.3' });
    const ran = await upload(url, '-o', 'json');
    expect([codeOf(ran), ran.exitCode]).toEqual(['dashboard.version_unsupported', 20]);
    expect(requests).toHaveLength(0);
    const old = file('old.json', { ...BOM, specVersion: '1.5' });
    expect((await upload(url, old)).exitCode).toBe(0);
  });

  test('tells people what was lost, also of a VEX', async () => {
    const { url, requests } = await dashboard({ version: '5.0.4' });
    const vex = file('vex.json', { ...VEX, specVersion: '1.7', citations: OF_1_7.citations });
    const { stdout } = await upload(url, file('bom.json', OF_1_7), '--vex', vex);
    expect(stdout).toContain(
      'document sent as CycloneDX 1.6: Dependency-Track 5.0.4 reads up to 1.6\n2 losses\n  /components/0/isExternal',
    );
    expect(stdout).toContain('VEX sent as CycloneDX 1.6: Dependency-Track 5.0.4 reads up to 1.6\n1 loss\n  /citations');
    const sent = requests.find(({ path }) => path === '/api/v1/vex')?.form?.files['vex']?.bytes;
    expect(JSON.parse(String(sent))).toMatchObject({ specVersion: '1.6' });
  });
});

describe('a VEX', () => {
  test('follows the document that it is about, when that was processed', async () => {
    const { url, requests } = await dashboard({ polls: 1 });
    const ran = await upload(url, '--vex', file('vex.json', VEX), '-o', 'json');
    expect(documentOf(ran).vex).toMatchObject({ token: expect.any(String) });
    const posts = requests.map(({ method, path }) => `${method} ${path.split('/').slice(0, 5).join('/')}`);
    expect(posts.indexOf('POST /api/v1/vex')).toBeGreaterThan(posts.indexOf('GET /api/v1/event/token'));
    const vex = requests.find(({ path }) => path === '/api/v1/vex');
    expect(vex?.form?.fields).toEqual({ project: PROJECT.uuid });
    expect(JSON.parse(String(vex?.form?.files['vex']?.bytes))).toEqual(VEX);
  });

  test('that is no CycloneDX stops everything before something is sent', async () => {
    const { url, requests } = await dashboard();
    const ran = await upload(url, '--vex', file('open.vex.json', { '@context': 'https://openvex.dev/ns/v0.2.0' }));
    expect(ran.exitCode).toBe(20);
    expect(requests).toHaveLength(0);
  });

  test('needs a permission of its own, which the error names', async () => {
    const { url } = await dashboard({ keys: { [KEY]: ['BOM_UPLOAD', 'VIEW_VULNERABILITY'] } });
    const ran = await upload(url, '--vex', file('vex.json', VEX), '-o', 'json');
    expect([codeOf(ran), ran.exitCode]).toEqual(['dashboard.forbidden', 4]);
    expect(documentOf(ran).error.expected).toContain('VULNERABILITY_ANALYSIS');
  });
});

describe('a document that must not leave', () => {
  test.each([
    ['an empty file', ''],
    ['no JSON', 'hello'],
    ['another JSON', '[]'],
    ['a document that breaks its schema', { ...BOM, components: [{ type: 'libary', name: 'x' }] }],
    [
      'a document with half an attribution',
      { ...BOM, components: [{ type: 'library', name: 'x', 'x-ai-generated': {} }] },
    ],
  ])('%s is refused here', async (_what, content) => {
    const { url, requests } = await dashboard();
    const ran = await upload(url, file('bad.json', content), '-o', 'json');
    expect([codeOf(ran), ran.exitCode]).toEqual(['cli.sbom_invalid', 20]);
    expect(requests).toHaveLength(0);
  });

  test('one with a reference that the dashboard refuses is refused here, with its place', async () => {
    const { url, requests, probes } = await dashboard();
    const reference = { type: 'vcs', url: 'git@example.com:group/repo.git' };
    const bad = file('bad.json', { ...BOM, components: [{ ...BOM.components[0], externalReferences: [reference] }] });
    const ran = await upload(url, bad, '-o', 'json');
    expect([codeOf(ran), ran.exitCode]).toEqual(['cli.sbom_invalid', 20]);
    const { issues, next } = documentOf(ran).error;
    expect(issues).toMatchObject([
      { code: 'sbom.reference_invalid', path: '/components/0/externalReferences/0/url', line: 1 },
    ]);
    expect(next).toContain('--for dependency-track');
    expect([...requests, ...probes]).toHaveLength(0);
    // An example with a login would be printed without it, as every login in an error is.
    expect(issues[0].expected).toBe('a URI such as ssh://host/path');
    expect((await upload(url, bad)).stderr).toContain('expected a URI such as ssh://host/path\n');
  });

  test('a missing file and a folder are named', async () => {
    const { url } = await dashboard();
    for (const path of [join(folder, 'none.json'), folder]) {
      const ran = await runLine(['sbom', 'upload', path, '--dashboard', url], { DTRACK_API_KEY: KEY });
      expect(ran.exitCode).toBe(1);
      expect(ran.stderr).toContain('cli.file_unreadable');
    }
  });

  test('one that does not say what it describes asks for a name', async () => {
    const { url } = await dashboard();
    const nameless = file('nameless.json', { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
    expect((await upload(url, nameless)).exitCode).toBe(1);
    expect((await upload(url, nameless, '--project', PROJECT.uuid)).exitCode).toBe(0);
  });
});

describe('an answer that is no success', () => {
  const PROBLEM = {
    status: 400,
    headers: { 'content-type': 'application/problem+json' },
    body: JSON.stringify({
      title: 'The uploaded BOM is invalid',
      detail: `you sent ${KEY}`,
      errors: ['$.a: \u001b[1mb'],
    }),
  };
  test.each([
    ['400 with problem details', PROBLEM, 'dashboard.refused', 20],
    [
      '409',
      { status: 409, body: 'A project with the specified name and version already exists.' },
      'dashboard.refused',
      20,
    ],
    ['413', { status: 413, body: '<html>Too Large</html>' }, 'dashboard.refused', 20],
    ['401', { status: 401 }, 'dashboard.unauthorized', 4],
    ['403', { status: 403, body: `no ${KEY}` }, 'dashboard.forbidden', 4],
    ['404', { status: 404, body: 'The project could not be found.' }, 'dashboard.not_found', 11],
    ['429', { status: 429 }, 'dashboard.unreachable', 3],
    ['500', { status: 500, body: KEY }, 'dashboard.outcome_unknown', 3],
    ['502', { status: 502, body: '<html>' }, 'dashboard.outcome_unknown', 3],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'dashboard.redirect_refused', 3],
    ['no JSON', { status: 200, body: '<html>' }, 'dashboard.answer_invalid', 3],
    ['JSON without token', { status: 200, body: '{}' }, 'dashboard.answer_invalid', 3],
    ['a token that is no UUID', { status: 200, body: '{"token":"../../x"}' }, 'dashboard.answer_invalid', 3],
  ])('%s to the upload has its code and exit, and is asked for once', async (_what, wrong, code, exit) => {
    const { url, requests } = await dashboard({
      answer: (method) => (method === 'POST' ? { headers: {}, ...wrong } : undefined),
    });
    const ran = await upload(url, '-o', 'json');
    expect([codeOf(ran), ran.exitCode]).toEqual([code, exit]);
    expect(requests).toHaveLength(1);
    expect(ran.stdout).not.toContain('\\u001b');
  });

  test('lists every fault that the dashboard names', async () => {
    const { url } = await dashboard({ answer: () => PROBLEM });
    const { issues, found } = documentOf(await upload(url, '-o', 'json')).error;
    expect(issues).toEqual([{ code: 'dashboard.refused', message: '$.a: \\u{1b}[1mb' }]);
    expect(found).toContain('you sent <api key>');
  });

  test('to a question is asked again, and a passing fault is not the end', async () => {
    let faults = 2;
    const { url, requests } = await dashboard({
      answer: (method) => (method === 'GET' && faults-- > 0 ? { status: 503 } : undefined),
    });
    expect((await upload(url)).exitCode).toBe(0);
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('never sends the key to where a redirect points', async () => {
    const elsewhere = await startPeer(onTestFinished, (_request, response) => response.end('{}'));
    const location = `${elsewhere.url}/api/v1/bom`;
    for (const method of ['POST', 'GET']) {
      const { url } = await dashboard({
        answer: (asked) => (asked === method ? { status: 302, headers: { location } } : undefined),
      });
      expect(codeOf(await upload(url, '-o', 'json'))).toBe('dashboard.redirect_refused');
    }
    expect(elsewhere.requests).toHaveLength(0);
  });

  test('that never comes while it is processed ends after the time that was given', async () => {
    const { url } = await dashboard({ polls: Number.MAX_SAFE_INTEGER });
    const ran = await upload(url, '--timeout', '1', '-o', 'json');
    expect([codeOf(ran), ran.exitCode]).toEqual(['dashboard.processing_timeout', 3]);
  });

  test('of a key that may not see findings names the permission', async () => {
    const { url } = await dashboard({ keys: { [KEY]: ['BOM_UPLOAD'] } });
    const ran = await upload(url, '-o', 'json');
    expect([codeOf(ran), ran.exitCode]).toEqual(['dashboard.forbidden', 4]);
    const { expected, found } = documentOf(ran).error;
    expect(expected).toContain('VIEW_VULNERABILITY');
    expect(found).toContain('the SBOM itself was taken');
    expect((await upload(url, '--no-findings')).exitCode).toBe(0);
  });

  test('for a project that may not be made, or is not there', async () => {
    const { url } = await dashboard({ keys: { [KEY]: ['BOM_UPLOAD'] }, projects: [] });
    expect(codeOf(await upload(url, '-o', 'json'))).toBe('dashboard.not_found');
    const ran = await upload(url, '--auto-create', '-o', 'json');
    expect(codeOf(ran)).toBe('dashboard.unauthorized');
    expect(documentOf(ran).error.found).toContain('does not have permission to create project');
  });

  test('when nobody is there says so, and that nothing was sent', async () => {
    const ran = await upload(await deadUrl(), '-o', 'json');
    expect([codeOf(ran), ran.exitCode]).toEqual(['dashboard.unreachable', 3]);
  });
});

describe('the key', () => {
  test('comes from a file, which warns where others can read it', async () => {
    const { url } = await dashboard();
    const path = file('key', `${KEY}\n`);
    chmodSync(path, 0o600);
    const line = ['sbom', 'upload', sbom, '--dashboard', url, '--api-key-file', path];
    expect(await runLine(line)).toMatchObject({ exitCode: 0, stderr: '' });
    chmodSync(path, 0o644);
    expect((await runLine(line)).stderr).toContain('others can read');
  });

  test.each([
    ['none', {}, 'cli.no_api_key', 4],
    ['two lines', { COLOPHON_DASHBOARD_API_KEY: `${KEY}\n${KEY}` }, 'cli.api_key_invalid', 1],
    ['a short one', { COLOPHON_DASHBOARD_API_KEY: 'abc' }, 'cli.api_key_invalid', 1],
  ])('that is %s is an error before anything is sent, and not repeated', async (_what, env, code, exit) => {
    const { url, requests } = await dashboard();
    const ran = await runLine(['sbom', 'upload', sbom, '--dashboard', url, '-o', 'json'], env);
    expect([codeOf(ran), ran.exitCode]).toEqual([code, exit]);
    expect(ran.stdout + ran.stderr).not.toContain(KEY);
    expect(requests).toHaveLength(0);
  });

  test('is not sent over plain http to another machine', async () => {
    const ran = await upload('http://dashboard.invalid', '-o', 'json');
    expect([codeOf(ran), ran.exitCode]).toEqual(['dashboard.address_refused', 1]);
    expect(codeOf(await upload('http://dashboard.invalid', '--allow-http', '-o', 'json'))).toBe(
      'dashboard.unreachable',
    );
  });

  test('file that is a folder or missing is named', async () => {
    const { url } = await dashboard();
    mkdirSync(join(folder, 'keys'));
    for (const name of ['keys', 'none']) {
      const ran = await runLine(['sbom', 'upload', sbom, '--dashboard', url, '--api-key-file', join(folder, name)]);
      expect(ran.exitCode).toBe(1);
      expect(ran.stderr).toContain('cli.file_unreadable');
    }
  });
});

// What scripts rely on. `npm test -- -u` writes the files anew; the difference is to be read before it is committed.
test.each([
  ['sbom-upload', ALL, 21],
  ['sbom-upload.refused', ['BOM_UPLOAD'], 4],
] as const)('colophon %s --output json is what it was', async (name, permissions, exit) => {
  const findings = [finding('LOW', 'CVE-2026-0002'), finding('CRITICAL', 'CVE-2026-0001')];
  const { url } = await dashboard({ keys: { [KEY]: permissions }, findings });
  const ran = await upload(url, '--vex', file('vex.json', VEX), '--fail-on', 'high', '-o', 'json');
  expect(ran.exitCode).toBe(exit);
  const uuids = /(?<="token": "|token )[0-9a-f-]{36}/g;
  const golden = ran.stdout.replaceAll(url, 'http://dashboard').replace(uuids, '00000000-0000-4000-8000-000000000000');
  await expect(golden).toMatchFileSnapshot(`golden/${name}.json`);
});

test.each([
  [['--project', 'not-a-uuid']],
  [['--project', PROJECT.uuid, '--project-name', 'x']],
  [['--timeout', '0']],
  [['--timeout', '1e3']],
  [['--tag', 'a,b', '--auto-create']],
  [['--parent', PROJECT.uuid]],
  [['--auto-create', '--parent-version', '1']],
  [['--vex', 'x.vex', '--no-wait']],
  [['--fail-on', 'severe']],
])('%j is a mistake on the command line', async (flags) => {
  const { url, requests } = await dashboard();
  expect((await upload(url, ...flags)).exitCode).toBe(1);
  expect(requests).toHaveLength(0);
});
