import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from '../../../test/command-line.ts';

const GOOD = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  version: 1,
  components: [{ type: 'library', name: 'left-pad' }],
};
const BAD = { ...GOOD, components: [{ type: 'libary', name: 'left-pad' }] };
const ATTRIBUTED = { ...GOOD, components: [{ type: 'library', name: 'left-pad', 'x-ai-generated': { agent: 'a' } }] };

/** Writes files into a new folder, and gives their paths. */
function write(files: { readonly [name: string]: unknown }): (name: string) => string {
  const folder = temporaryFolder(onTestFinished);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  }
  return (name) => join(folder, name);
}

const validate = (...args: string[]) => runLine(['sbom', 'validate', ...args]);

test('a valid file: exit 0, and what it leaves open', async () => {
  const at = write({ 'good.json': GOOD });
  const ran = await validate(at('good.json'), '-o', 'json');
  expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
  const { files, summary } = documentOf(ran);
  expect(files).toMatchObject([{ file: at('good.json'), valid: true, spec_version: '1.6' }]);
  expect(files[0].issues.every((issue: { severity: string }) => issue.severity !== 'error')).toBe(true);
  expect(summary).toMatchObject({ file_count: 1, invalid_count: 0, error_count: 0 });
});

test('a token that stands where a file is named is not repeated, in any format', async () => {
  const part = (of: object) => Buffer.from(JSON.stringify(of)).toString('base64url');
  const token = `${part({ alg: 'ES256' })}.${part({ sub: 'a'.repeat(300) })}.${'s'.repeat(86)}`;
  for (const format of ['table', 'json', 'sarif']) {
    const ran = await validate(token, '-o', format);
    expect(ran.exitCode).toBe(1);
    expect(ran.stdout + ran.stderr).not.toContain('s'.repeat(86));
    expect(ran.stdout + ran.stderr).not.toContain('ENAMETOOLONG');
  }
  const read = await runLine(['inspect', token]);
  expect(read.stderr).toMatch(/expected +the name of a file/);
  expect(read.stderr).not.toContain('s'.repeat(86));
});

test('what is missing is said once', async () => {
  const at = write({ 'bare.json': { ...GOOD, components: [{ name: 'left-pad' }] } });
  const { stdout } = await validate(at('bare.json'));
  expect(stdout).toContain('The member "type" is missing. [');
  expect(stdout).not.toMatch(/Expected: type\./);
});

test('an invalid one among others: exit 20, each with its own issues and their places', async () => {
  const at = write({ 'good.json': GOOD, 'bad.json': BAD });
  const ran = await validate(at('good.json'), at('bad.json'), '-o', 'json');
  expect(ran.exitCode).toBe(20);
  const { files } = documentOf(ran);
  expect(files.map(({ valid }: { valid: boolean }) => valid)).toEqual([true, false]);
  expect(files[1].issues[0]).toEqual({
    path: '/components/0/type',
    line: 7,
    column: 15,
    code: 'sbom.schema_value',
    severity: 'error',
    message: expect.stringContaining('libary'),
    expected: expect.stringContaining('library'),
  });
});

test('people read the same, with a line that sums it up', async () => {
  const at = write({ 'bad.json': BAD });
  const { stdout, stderr } = await validate(at('bad.json'));
  expect(stderr).toBe('');
  expect(stdout).toContain(`${at('bad.json')}: INVALID (CycloneDX 1.6)\n  7:15      error   /components/0/type: `);
  expect(stdout).toMatch(/\n1 file, 1 invalid: 1 error, \d+ warnings, 0 notes\n$/);
});

test('--fail-on warning', async () => {
  const at = write({ 'good.json': GOOD });
  const ran = await validate(at('good.json'), '--fail-on', 'warning', '-o', 'json');
  expect(ran.exitCode).toBe(20);
  expect(documentOf(ran).files[0].valid).toBe(false);
});

test('--profile spec takes x-ai-generated, and looks whether it is whole', async () => {
  const at = write({ 'ai.json': ATTRIBUTED });
  const codesOf = async (profile: string) => {
    const ran = await validate(at('ai.json'), '--profile', profile, '-o', 'json');
    expect(ran.exitCode).toBe(20);
    const { issues } = documentOf(ran).files[0];
    return new Set(
      issues
        .filter(({ severity }: { severity: string }) => severity === 'error')
        .map(({ code }: { code: string }) => code),
    );
  };
  expect(await codesOf('spec')).toEqual(new Set(['sbom.ai_field_missing']));
  expect(await codesOf('standard')).toContain('sbom.schema_unknown_member');
});

test('what a mark says of itself is called a claim, since nothing was verified', async () => {
  const property = (name: string, value: string) => ({ name: `colophon:ai:${name}`, value });
  const properties = [property('agent', 'coder'), property('basis', 'verified')];
  const at = write({ 'marked.json': { ...GOOD, components: [{ type: 'file', name: 'a.ts', properties }] } });
  for (const format of ['table', 'json', 'sarif']) {
    const { stdout } = await validate(at('marked.json'), '-o', format);
    expect(stdout).toContain('a mark that claims to be verified');
    expect(stdout.replaceAll('claims to be verified', '')).not.toContain('verified');
  }
});

test('a pattern that the shell left to us, and one that nothing matches', async () => {
  const at = write({ 'a.cdx.json': GOOD, 'b.cdx.json': GOOD, 'c.txt': 'no' });
  const ran = await validate(at('*.cdx.json'), at('a.cdx.json'), '-o', 'json');
  expect(ran.exitCode).toBe(0);
  expect(documentOf(ran).files.map(({ file }: { file: string }) => file)).toEqual([at('a.cdx.json'), at('b.cdx.json')]);
  const none = await validate(at('*.xml'), '-o', 'json');
  expect(none.exitCode).toBe(1);
  expect(documentOf(none).files).toMatchObject([{ valid: false, issues: [{ code: 'cli.file_unreadable' }] }]);
});

test('a file that is called like a pattern is a file', async () => {
  const at = write({ 'a[1].json': GOOD, 'a1.json': BAD });
  expect((await validate(at('a[1].json'))).exitCode).toBe(0);
});

test('what cannot be read is said of that file, and takes nothing from the others', async () => {
  const at = write({ 'good.json': GOOD, 'bad.json': BAD });
  mkdirSync(at('folder'));
  symlinkSync(at('nowhere'), at('link'));
  const unreadable = await validate(at('missing'), at('folder'), at('link'), at('good.json'), '-o', 'json');
  expect(unreadable.exitCode).toBe(1);
  expect(documentOf(unreadable).files.map(({ valid }: { valid: boolean }) => valid)).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect((await validate(at('missing'), at('bad.json'))).exitCode).toBe(20);
});

test.each(['circle', 'a'.repeat(5000)])('what can be no file is said to be none: %.10s', async (name) => {
  const at = write({ 'good.json': GOOD });
  symlinkSync(at('circle'), at('circle'));
  const ran = await validate(at(name), at('good.json'), '-o', 'json');
  expect(ran.exitCode).toBe(1);
  expect(documentOf(ran).files).toMatchObject([{ issues: [{ code: 'cli.file_unreadable' }] }, { valid: true }]);
});

test('a file over the limit is refused before it is read, with the limit', async () => {
  const at = write({ 'huge.json': '' });
  truncateSync(at('huge.json'), 200_000_000);
  const ran = await validate(at('huge.json'), '-o', 'json');
  expect(ran.exitCode).toBe(20);
  expect(documentOf(ran).files[0].issues).toMatchObject([
    { code: 'cli.file_too_large', expected: 'at most 134217728 bytes' },
  ]);
});

test.each([
  ['an empty file', '', 'json.syntax'],
  ['no JSON', '{"bomFormat":', 'json.syntax'],
  ['XML', '<bom/>', 'sbom.not_cyclonedx'],
])('%s is an issue of that file', async (_title, content, code) => {
  const at = write({ file: content });
  const ran = await validate(at('file'), '-o', 'json');
  expect(ran.exitCode).toBe(20);
  expect(documentOf(ran).files[0].issues).toMatchObject([{ code, line: 1 }]);
});

test('SARIF: one log, a result for every issue', async () => {
  const at = write({ 'bad.json': BAD });
  const ran = await validate(at('bad.json'), at('missing'), '-o', 'sarif');
  expect(ran.exitCode).toBe(20);
  const { version, runs } = documentOf(ran);
  expect(version).toBe('2.1.0');
  expect(runs[0].results[0]).toMatchObject({
    ruleId: 'sbom.schema_value',
    level: 'error',
    locations: [{ physicalLocation: { region: { startLine: 7, startColumn: 15 } } }],
  });
  expect(runs[0].results.at(-1)).toMatchObject({ ruleId: 'cli.file_unreadable' });
});

test('text of a document cannot move a cursor', async () => {
  const at = write({ 'bad.json': JSON.stringify({ ...GOOD, components: [{ type: '\u001b[2J\u202e', name: 'a' }] }) });
  for (const output of ['table', 'json', 'sarif']) {
    const { stdout } = await validate(at('bad.json'), '-o', output);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  }
});

test.each([
  ['no file', []],
  ['a profile that is none', ['x', '--profile', 'lax']],
  ['a severity that is none', ['x', '--fail-on', 'note']],
  ['an empty namespace', ['x', '--namespace', '']],
])('%s is a usage error', async (_title, args) => {
  expect((await validate(...args)).exitCode).toBe(1);
});

describe('where an iri-reference has to stand', () => {
  const TWO_URLS = 'http://a.example http://b.example';
  /** Every place that a schema gives to a reference, with `url` in it. */
  const PLACES: ReadonlyArray<readonly [versions: readonly string[], path: string, document: (url: string) => object]> =
    [
      [['1.4', '1.7'], '/metadata/supplier/url/0', (url) => ({ metadata: { supplier: { name: 'a', url: [url] } } })],
      [
        ['1.3', '1.6'],
        '/components/0/licenses/0/license/url',
        (url) => withComponent({ licenses: [{ license: { name: 'a', url } }] }),
      ],
      [['1.4', '1.7'], '/components/0/swid/url', (url) => withComponent({ swid: { tagId: 'a', name: 'a', url } })],
      [
        ['1.2', '1.3', '1.7'],
        '/components/0/pedigree/commits/0/url',
        (url) => withComponent({ pedigree: { commits: [{ url }] } }),
      ],
      [
        ['1.4', '1.7'],
        '/components/0/pedigree/patches/0/diff/url',
        (url) => withComponent({ pedigree: { patches: [{ type: 'backport', diff: { url } }] } }),
      ],
      [
        ['1.4', '1.7'],
        '/components/0/pedigree/patches/0/resolves/0/references/0',
        (url) =>
          withComponent({
            pedigree: { patches: [{ type: 'backport', resolves: [{ type: 'defect', references: [url] }] }] },
          }),
      ],
      [
        ['1.3', '1.4', '1.5', '1.6', '1.7'],
        '/components/0/externalReferences/0/url',
        (url) => withComponent({ externalReferences: [{ type: 'vcs', url }] }),
      ],
      [
        ['1.7'],
        '/components/0/components/0/externalReferences/0/url',
        (url) =>
          withComponent({ components: [{ type: 'library', name: 'b', externalReferences: [{ type: 'vcs', url }] }] }),
      ],
      [
        ['1.5', '1.7'],
        '/metadata/tools/components/0/externalReferences/0/url',
        (url) => ({
          metadata: {
            tools: { components: [{ type: 'application', name: 'a', externalReferences: [{ type: 'vcs', url }] }] },
          },
        }),
      ],
      [['1.3', '1.7'], '/services/0/endpoints/0', (url) => ({ services: [{ name: 'a', endpoints: [url] }] })],
      [
        ['1.5', '1.7'],
        '/services/0/data/0/source/0',
        (url) => ({ services: [{ name: 'a', data: [{ flow: 'inbound', classification: 'a', source: [url] }] }] }),
      ],
      [
        ['1.4', '1.7'],
        '/vulnerabilities/0/advisories/0/url',
        (url) => ({ vulnerabilities: [{ advisories: [{ url }] }] }),
      ],
      [
        ['1.4', '1.7'],
        '/components/0/releaseNotes/featuredImage',
        (url) => withComponent({ releaseNotes: { type: 'major', featuredImage: url } }),
      ],
      [
        ['1.5', '1.7'],
        '/components/0/data/0/contents/url',
        (url) => withComponent({ data: [{ type: 'dataset', contents: { url } }] }),
      ],
    ];
  const withComponent = (members: object) => ({
    components: [{ type: 'library', name: 'a', version: '1', ...members }],
  });
  const each = PLACES.flatMap(([versions, path, document]) =>
    versions.map(
      (specVersion) =>
        [
          `${specVersion} ${path}`,
          path,
          { bomFormat: 'CycloneDX', specVersion, version: 1, ...document(TWO_URLS) },
        ] as const,
    ),
  );

  test.each(each)('%s: a warning and exit 0, an error for dependency-track', async (_title, path, document) => {
    const at = write({ 'a.json': document });
    const found = (severity: string) => ({
      code: 'sbom.reference_invalid',
      path,
      severity,
      line: expect.any(Number),
      expected: '%20',
    });
    const ran = await validate(at('a.json'), '-o', 'json');
    expect(ran.exitCode).toBe(0);
    expect(issuesOf(ran)).toMatchObject([found('warning')]);
    const forPeer = await validate(at('a.json'), '--for', 'dependency-track', '-o', 'json');
    expect(forPeer.exitCode).toBe(20);
    expect(issuesOf(forPeer)).toMatchObject([found('error')]);
  });

  const issuesOf = (ran: Awaited<ReturnType<typeof validate>>) =>
    documentOf(ran).files[0].issues.filter(({ code }: { code: string }) => code === 'sbom.reference_invalid');
  const referring = (url: string) => ({ ...GOOD, ...withComponent({ externalReferences: [{ type: 'vcs', url }] }) });

  test('a link to another document is a reference, and so is what stands beside a fault of the schema', async () => {
    const link = 'urn:cdx:f08a6ccd-4dce-4759-bd84-c626675d60a7/1';
    const at = write({ 'a.json': referring(link), 'b.json': { ...referring('a b'), version: 'one' } });
    expect(issuesOf(await validate(at('a.json'), '-o', 'json'))).toEqual([]);
    const both = await validate(at('b.json'), '-o', 'json');
    expect(both.exitCode).toBe(20);
    expect(issuesOf(both)).toMatchObject([{ severity: 'warning' }]);
  });

  test.each([
    ['git@example.com:group/repo.git', 'error'],
    ['https://example.com/{name}', 'error'],
    ['https://example.com/a\u00a0b', 'error'],
    // Measured with its own library: it takes host and port for the name of a registry.
    ['ssh://git@example.com:group/repo.git', 'warning'],
  ])('what dependency-track makes of %s: %s', async (url, severity) => {
    const at = write({ 'a.json': referring(url) });
    const ran = await validate(at('a.json'), '--for', 'dependency-track', '-o', 'json');
    expect(issuesOf(ran)).toMatchObject([{ severity }]);
    expect(ran.exitCode).toBe(severity === 'error' ? 20 : 0);
  });

  test('--fail-on warning counts it, and people read what to write', async () => {
    const at = write({ 'a.json': referring('https://example.com/a b') });
    const ran = await validate(at('a.json'), '--fail-on', 'warning');
    expect(ran.exitCode).toBe(20);
    expect(ran.stdout).toContain('a space at character 22. Expected: %20. [sbom.reference_invalid]');
  });

  test('dependency-track decides 1.2 and 1.3 by the strict schemas, and not every one reads 1.7', async () => {
    const old = { bomFormat: 'CycloneDX', specVersion: '1.3', version: 1, more: true };
    const named = {
      bomFormat: 'CycloneDX',
      specVersion: '1.2',
      version: 1,
      $schema: 'http://cyclonedx.org/schema/bom-1.2b.schema.json',
    };
    const at = write({ '2.json': named, '3.json': old, '7.json': { ...GOOD, specVersion: '1.7' } });
    const files = [at('2.json'), at('3.json'), at('7.json')];
    expect((await validate(...files)).exitCode).toBe(0);
    const ran = await validate(...files, '--for', 'dependency-track', '-o', 'json');
    expect(documentOf(ran).files).toMatchObject([
      {
        valid: false,
        issues: expect.arrayContaining([expect.objectContaining({ code: 'sbom.reader_version', path: '/$schema' })]),
      },
      {
        valid: false,
        issues: expect.arrayContaining([
          expect.objectContaining({ code: 'sbom.schema_unknown_member', severity: 'error' }),
        ]),
      },
      {
        valid: true,
        issues: expect.arrayContaining([expect.objectContaining({ code: 'sbom.reader_version', severity: 'warning' })]),
      },
    ]);
  });

  test('--for and --profile spec do not go together', async () => {
    const at = write({ 'a.json': GOOD });
    const ran = await validate(at('a.json'), '--for', 'dependency-track', '--profile', 'spec');
    expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cli.usage') });
  });
});
