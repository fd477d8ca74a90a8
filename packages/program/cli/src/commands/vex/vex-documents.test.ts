import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from '../../../test/command-line.ts';

/** 2026-02-01T00:00:00Z */
const ENV = { SOURCE_DATE_EPOCH: '1769904000' };
const vex = (...args: string[]) => runLine(['vex', ...args], ENV);

const STATEMENT = {
  vulnerability: { name: 'CVE-2021-44228' },
  products: [{ '@id': 'pkg:npm/app@1.0.0' }],
  status: 'not_affected',
  justification: 'vulnerable_code_not_in_execute_path',
};
const OPENVEX = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://example.com/vex/1',
  author: 'Dana',
  timestamp: '2026-01-30T12:00:00Z',
  version: 1,
  statements: [STATEMENT],
};
const SPEC = {
  '@context': 'https://openvex.dev/ns/v0.2.0',
  statements: [
    {
      vulnerability: { id: 'CVE-2021-44228' },
      timestamp: '2026-01-30T12:00:00Z',
      components: [{ identifiers: { purl: 'pkg:npm/app@1.0.0' } }],
      status: 'affected',
      details: 'update to 1.0.1',
    },
  ],
};
const BOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  metadata: { timestamp: '2026-01-30T12:00:00Z' },
  components: [{ type: 'library', name: 'app', 'bom-ref': 'app', purl: 'pkg:npm/app@1.0.0' }],
  vulnerabilities: [
    {
      id: 'CVE-2021-44228',
      analysis: { state: 'not_affected', justification: 'protected_at_perimeter' },
      affects: [{ ref: 'app' }],
      cwes: [502],
    },
  ],
};

/** Writes a document into a new folder, and gives its path. */
function file(content: unknown, name = 'doc.vex.json'): string {
  const path = join(temporaryFolder(onTestFinished), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return path;
}

test('a valid document: exit 0, with its family and its statements', async () => {
  const path = file(OPENVEX);
  const ran = await vex('validate', path, '-o', 'json');
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  expect(documentOf(ran)).toEqual({
    ok: true,
    files: [{ file: path, valid: true, shape: 'openvex', statement_count: 1, issues: [] }],
    summary: { file_count: 1, invalid_count: 0, error_count: 0, warning_count: 0, note_count: 0 },
  });
});

test('an invalid one among others: exit 20, each issue with its line', async () => {
  const bad = file({ ...OPENVEX, statements: [{ ...STATEMENT, status: 'Not Affected' }] });
  const ran = await vex('validate', file(OPENVEX), bad, '-o', 'json');
  expect(ran.exitCode).toBe(20);
  const { files } = documentOf(ran);
  expect(files.map(({ valid }: { valid: boolean }) => valid)).toEqual([true, false]);
  expect(files[1].issues).toMatchObject([
    { path: '/statements/0/status', line: 17, column: 17, code: 'vex.status_unknown' },
  ]);
});

test('the contract’s shape is valid for its profile', async () => {
  const path = file(SPEC);
  const ran = await vex('validate', path);
  expect(ran.exitCode).toBe(20);
  expect(ran.stdout.split('\n')[1]).toContain('--shape spec, or OpenVEX: colophon vex convert');
  expect((await vex('validate', '--shape', 'spec', path)).exitCode).toBe(0);
});

test('CycloneDX is held against its official schema, too', async () => {
  expect((await vex('validate', file(BOM))).exitCode).toBe(0);
  const ran = await vex(
    'validate',
    file({ ...BOM, components: [{ ...BOM.components[0], type: 'libary' }] }),
    '-o',
    'json',
  );
  expect(ran.exitCode).toBe(20);
  expect(documentOf(ran).files[0].issues[0]).toMatchObject({
    path: '/components/0/type',
    code: 'sbom.schema_value',
    line: 10,
  });
});

test('a file that is not there is a mistake of the caller, and takes nothing from the others', async () => {
  const ran = await vex('validate', join(temporaryFolder(onTestFinished), 'none.json'), file(OPENVEX), '-o', 'json');
  expect(ran.exitCode).toBe(1);
  expect(documentOf(ran).files.map(({ valid }: { valid: boolean }) => valid)).toEqual([false, true]);
});

test('syntax that is broken has its line, and SARIF has every issue', async () => {
  const path = file('{\n  "statements": [\n}');
  const { stdout } = await vex('validate', path);
  expect(stdout).toContain('  3:1       error');
  const sarif = documentOf(await vex('validate', path, '-o', 'sarif'));
  expect(sarif.runs[0].results).toMatchObject([{ ruleId: 'json.syntax', level: 'error' }]);
});

test('text from a document moves no cursor', async () => {
  const { stdout } = await vex('validate', file({ ...OPENVEX, '\u001b[2J': 1 }));
  expect(stdout).not.toContain('\u001b');
});

test('the contract’s shape becomes OpenVEX and is itself again', async () => {
  const converted = await vex('convert', '--to', 'openvex', '--author', 'Dana', file(SPEC));
  expect(converted).toMatchObject({ exitCode: 0, stderr: '' });
  expect(documentOf(converted)).toMatchObject({
    author: 'Dana',
    timestamp: '2026-02-01T00:00:00Z',
    statements: [{ action_statement: 'update to 1.0.1', products: [{ '@id': 'pkg:npm/app@1.0.0' }] }],
  });
  const back = await vex('convert', '--to', 'spec', file(converted.stdout));
  expect(documentOf(back)).toEqual(SPEC);
  expect(back.stderr).toContain('lost /author');
});

test('that OpenVEX is written for nobody is told', async () => {
  const converted = await vex('convert', '--to', 'openvex', file(SPEC));
  expect(documentOf(converted).author).toBe('Unknown Author');
  expect(converted.stderr).toContain('--author NAME');
});

test('what another shape says and cannot be held is told, and may be refused', async () => {
  const path = file(BOM);
  const told = await vex('convert', '--to', 'openvex', path);
  expect(told.exitCode).toBe(0);
  expect(told.stderr).toContain('lost /vulnerabilities/0/cwes');
  expect(told.stderr).toContain('protected_at_perimeter');
  const refused = await vex('convert', '--to', 'openvex', '--fail-on-loss', path, '-o', 'json');
  expect(refused.exitCode).toBe(20);
  expect(documentOf(refused).error).toMatchObject({ code: 'cli.vex_lossy', issues: [{}, {}] });
});

test.each(['1.6', '1.7'])('CycloneDX %s is written without a loss', async (version) => {
  const ran = await vex('convert', '--to', 'cyclonedx', '--spec-version', version, '--fail-on-loss', file(OPENVEX));
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  expect(documentOf(ran).specVersion).toBe(version);
  expect((await vex('validate', file(ran.stdout))).exitCode).toBe(0);
});

test.each([
  [{ '@id': 'nginx' }],
  [{ '@id': 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#app' }],
  [{ '@id': 'pkg:maven/@1.3.4' }],
  [{ identifiers: { cpe22: 'cpe:/a:b:c', cpe23: 'cpe:2.3:a:b:c:*:*:*:*:*:*:*:*' } }],
  [
    {
      '@id': `hash://sha-256/${'AB'.repeat(32)}`,
      hashes: { 'sha-256': 'AB'.repeat(32), md5: 'x', 'blake2s-256': 'ab' },
    },
  ],
  [{ '@id': 'pkg:oci/app@sha256%3Aab', subcomponents: [{ '@id': 'pkg:npm/a@1' }, { '@id': 'pkg:npm/a@1' }] }],
])('whatever a product is known by, CycloneDX is valid and is read back: %j', async (product) => {
  const document = { ...OPENVEX, statements: [{ ...STATEMENT, products: [product, { '@id': 'pkg:npm/other' }] }] };
  const ran = await vex('convert', '--to', 'cyclonedx', file(document));
  expect(ran.exitCode).toBe(0);
  const back = await vex('convert', '--to', 'openvex', file(ran.stdout));
  const [first] = documentOf(back).statements[0].products;
  expect(first).toEqual(
    'subcomponents' in product ? { ...product, subcomponents: [{ '@id': 'pkg:npm/a@1' }] } : product,
  );
});

test('a document that OpenVEX does not allow is not written', async () => {
  const { justification: _, ...bare } = STATEMENT;
  const refused = await vex('convert', '--to', 'openvex', file({ ...OPENVEX, statements: [bare] }), '-o', 'json');
  expect(refused.exitCode).toBe(20);
  expect(documentOf(refused).error).toMatchObject({
    code: 'cli.vex_invalid',
    issues: [{ code: 'vex.justification_missing' }],
  });
  // The standard allows this one, and only we ask for more.
  const impact = await vex(
    'convert',
    '--to',
    'openvex',
    file({ ...OPENVEX, statements: [{ ...bare, impact_statement: 'i' }] }),
  );
  expect(impact.exitCode).toBe(0);
  expect(impact.stderr).toContain('1 fault');
});

test('with --out the document goes to the file, and one line or document says so', async () => {
  const out = file('', 'out.json');
  const ran = await vex('convert', '--to', 'spec', file(OPENVEX), '--out', out, '-o', 'json');
  expect(ran.stderr).toBe('');
  expect(documentOf(ran)).toMatchObject({ shape: 'spec', out, statement_count: 1, losses: [{}, {}, {}, {}] });
  expect(JSON.parse(readFileSync(out, 'utf8')).statements).toHaveLength(1);
});

const AFFECTED = ['--vulnerability', 'CVE-2021-45046', '--status', 'affected', '--action', 'Update', '--product'];
test.each<[string, string[]]>([
  ['convert', ['FILE', '--to', 'spec']],
  ['merge', ['FILE', '--author', 'Dana']],
  ['create', [...AFFECTED, 'pkg:npm/app@1.0.0', '--author', 'Dana']],
  ['set', ['FILE', ...AFFECTED, 'pkg:npm/app@1.0.0', '--out', '-']],
])('vex %s on standard output is the document alone, with --output json too', async (command, line) => {
  const args = line.map((word) => (word === 'FILE' ? file(OPENVEX) : word));
  const ran = await vex(command, ...args, '--output', 'json');
  expect(ran).toEqual(await vex(command, ...args));
  expect([ran.exitCode, Object.keys(documentOf(ran))[0]]).toEqual([0, '@context']);
});

test('documents of several shapes become one', async () => {
  const out = file('', 'merged.json');
  const other = {
    ...OPENVEX,
    statements: [{ ...STATEMENT, timestamp: '2026-01-31T00:00:00Z', status: 'fixed', justification: undefined }],
  };
  const ran = await vex(
    'merge',
    file(OPENVEX),
    file(OPENVEX),
    file(other),
    '--author',
    'Eve',
    '--id',
    OPENVEX['@id'],
    '--out',
    out,
    '-o',
    'json',
  );
  expect(ran.exitCode).toBe(0);
  expect(documentOf(ran)).toMatchObject({ statement_count: 2, repeated_count: 1, conflicts: [] });
  expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
    '@id': OPENVEX['@id'],
    author: 'Eve',
    version: 2,
    timestamp: '2026-02-01T00:00:00Z',
    statements: [{ status: 'not_affected' }, { status: 'fixed' }],
  });
  expect((await vex('validate', out)).exitCode).toBe(0);
});

test('documents that contradict each other are not merged unless somebody says so', async () => {
  const files = [file(OPENVEX), file(SPEC)];
  const refused = await vex('merge', ...files, '--author', 'Eve', '-o', 'json');
  expect(refused.exitCode).toBe(20);
  expect(documentOf(refused).error).toMatchObject({
    code: 'cli.vex_conflict',
    issues: [{ path: '/statements/1', code: 'vex.statement_contradicts' }],
  });
  const allowed = await vex('merge', ...files, '--author', 'Eve', '--allow-conflicts');
  expect(documentOf(allowed).statements).toHaveLength(2);
  expect(allowed.stderr).toContain('note /statements/1');
});

test('what breaks rules of OpenVEX is merged, and that is said', async () => {
  const { justification: _, ...unreasoned } = STATEMENT;
  const ran = await vex('merge', file({ ...OPENVEX, statements: [unreasoned] }), '--author', 'Eve');
  expect(documentOf(ran).statements).toHaveLength(1);
  expect(ran.stderr).toContain('note 1 fault that the merge does not mend: colophon vex validate');
  expect((await vex('merge', file(OPENVEX), '--author', 'Eve')).stderr).not.toContain('fault');
});

test('of more notes than are shown it is said that there are more', async () => {
  const said = (count: number, status: string) => ({
    ...OPENVEX,
    statements: Array.from({ length: count }, (_, index) => ({
      ...STATEMENT,
      products: [{ '@id': `pkg:npm/app@${index}` }],
      status,
      justification: undefined,
    })),
  });
  const files = [file(said(60, 'fixed')), file(said(60, 'under_investigation'))];
  expect((await vex('merge', ...files, '--author', 'Eve', '--allow-conflicts')).stderr).toMatch(/… and \d+ more notes/);
});

test('of more statements than are shown it is said how many, and where they all are', async () => {
  const statements = Array.from({ length: 203 }, (_, index) => ({
    ...STATEMENT,
    products: [{ '@id': `pkg:npm/app@${index}` }],
  }));
  const { stdout } = await vex('show', file({ ...OPENVEX, statements }));
  expect(stdout).toMatch(/\n… and 3 more: --output json has them all\n/);
});

test('a reason of several lines is shown on one', async () => {
  const [statement] = SPEC.statements;
  const said = { ...SPEC, statements: [{ ...statement, details: 'first line\n\n  second line' }] };
  const { stdout } = await vex('show', file(said), '--wide');
  expect(stdout).toContain('first line second line');
});

test('the statements of a document are shown, and the model is its JSON', async () => {
  const path = file(BOM);
  const { stdout } = await vex('show', path, '--wide');
  expect(stdout).toMatch(/^cyclonedx: 1 statement\n/);
  expect(stdout).toMatch(
    /CVE-2021-44228 +not_affected +pkg:npm\/app@1\.0\.0 +2026-01-30\S* +inline_mitigations_already_exist/,
  );
  expect(documentOf(await vex('show', path, '-o', 'json'))).toMatchObject({
    file: path,
    document: { shape: 'cyclonedx', statements: [{}] },
  });
  const { exitCode, stderr } = await vex('show', file({ runs: [] }));
  expect(exitCode).toBe(20);
  expect(stderr).toContain('SARIF');
});

test('a separate CycloneDX document speaks by BOM-Links of what the SBOM has, and of no other version of it', async () => {
  const { vulnerabilities: _, ...sbom } = { ...BOM, serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79' };
  const shop = { ...sbom, metadata: { ...sbom.metadata, component: { type: 'application', name: 'shop' } } };
  const findings = [{ id: 'CVE-2021-44228', component: { name: 'app', purl: 'pkg:npm/app@1.0.0' } }];
  const linked = { ...BOM, components: [] };
  const [vulnerability] = BOM.vulnerabilities;
  const affects = [{ ref: 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#app' }];
  const apply = async (version: number) => {
    const said = file({ ...linked, vulnerabilities: [{ ...vulnerability, affects }] });
    const args = ['--scan', file(findings, 'findings.json'), '--sbom', file({ ...shop, version }, 'shop.cdx.json')];
    return documentOf(await vex('apply', said, ...args, '-o', 'json')).suppressed_count;
  };
  expect(await apply(1)).toBe(1);
  expect(await apply(2)).toBe(0);
});

const imagePurl = (place: string) => `pkg:oci/app?repository_url=${encodeURIComponent(place)}&tag=1.0`;

test.each([
  [imagePurl('ghcr.io/acme/app'), 'ghcr.io/acme/app:1.0', 1],
  [imagePurl('ghcr.io/acme/app'), 'ghcr.io/acme/app:2.0', 0],
  // The names of Docker Hub are one registry, and capitals do not count in a host's.
  [imagePurl('index.docker.io/acme/app'), 'registry-1.docker.io/acme/app:1.0', 1],
  [imagePurl('ghcr.io/acme/app'), 'GHCR.io/acme/app:1.0', 1],
  // No registry has an image of this name.
  [imagePurl('ghcr.io/a..b/app'), 'ghcr.io/a..b/app:1.0', 0],
])('a statement of the image %s speaks of a scan of %s: %i', async (stated, scanned, suppressed) => {
  const document = file({ ...OPENVEX, statements: [{ ...STATEMENT, products: [{ '@id': stated }] }] });
  const findings = file(
    [
      {
        id: 'CVE-2021-44228',
        severity: 'high',
        component: { name: 'left', version: '1.0.0', purl: 'pkg:npm/left@1.0.0' },
      },
    ],
    'findings.json',
  );
  const ran = await vex('apply', document, '--scan', findings, '--product', scanned, '-o', 'json');
  expect(documentOf(ran).suppressed_count).toBe(suppressed);
});

test('a version with a slash stays the version of its package in another format', async () => {
  const path = file({
    ...OPENVEX,
    statements: [{ ...STATEMENT, products: [{ '@id': 'pkg:github/acme/repo@main/feature' }] }],
  });
  const { components } = documentOf(await vex('convert', path, '--to', 'cyclonedx'));
  expect(components).toMatchObject([{ name: 'repo', version: 'main/feature' }]);
});
