import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

const AGENT = [
  { name: 'vendor:authored-by', value: 'autonomous_agent' },
  { name: 'vendor:agent-id', value: 'coder' },
  { name: 'vendor:agent-model', value: 'm-1' },
  { name: 'vendor:source-package', value: 'left-pad@1.3.0' },
  { name: 'vendor:source-similarity', value: '0.91' },
  { name: 'vendor:vendoring-method', value: 'inline-rewrite' },
];
const DOCUMENT = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  metadata: { component: { type: 'application', name: 'shop', version: '1.0.0' } },
  components: [
    { type: 'library', 'bom-ref': 'fine', name: 'fine', version: '1', licenses: [{ license: { id: 'MIT' } }] },
    { type: 'library', 'bom-ref': 'odd', name: 'odd|<b>', version: '1', licenses: [{ license: { name: 'BSD' } }] },
    {
      type: 'library',
      'bom-ref': 'vendored:src/pad.js',
      name: 'left-pad-vendored',
      version: '0.0.0-vendored',
      scope: 'required',
      licenses: [{ license: { id: 'GPL-3.0-only', acknowledgement: 'declared' } }],
      properties: AGENT,
    },
  ],
};

const cleanups: Array<() => void> = [];
afterAll(() => {
  for (const undo of cleanups) undo();
});
let folder: string;
let file: string;
beforeAll(() => {
  folder = temporaryFolder((undo) => cleanups.push(undo));
  file = join(folder, 'shop.cdx.json');
  writeFileSync(file, JSON.stringify(DOCUMENT, null, 2));
});
const licenses = (...args: string[]) => runLine(['sbom', 'licenses', ...args]);

test('a release is refused, and what an agent wrote is listed first, marked, with its origin', async () => {
  const { exitCode, stdout, stderr } = await licenses(file, '--allow', 'MIT,Apache-2.0');
  expect([exitCode, stderr]).toEqual([20, '']);
  expect(stdout.replaceAll(/\n +/g, ' ')).toMatch(/^refused .* 2 refused, 1 of them written by agents/);
  expect(stdout.split('\n\n')[1]!.replaceAll(/\n +/g, ' ')).toMatch(
    /\[agent\] left-pad-vendored@0\.0\.0-vendored .*GPL-3\.0-only/,
  );
  expect(stdout).toMatch(/written by +agent coder \(m-1\)/);
  expect(stdout).toMatch(/origin +made from left-pad@1\.3\.0, similarity 0\.91/);
  expect(stdout).toMatch(/vendored:src\/pad\.js at \/components\/2/);
  expect(stdout.indexOf('left-pad')).toBeLessThan(stdout.indexOf('odd|<b>'));
});

test('what is refused is told on lines that are not wider than the terminal', async () => {
  const properties = AGENT.map(({ name, value }) => ({ name, value: `${value} and ${'more '.repeat(12)}`.trimEnd() }));
  const licence = [{ license: { name: 'a licence that has a name of many words '.repeat(4).trimEnd() } }];
  const [, , vendored] = DOCUMENT.components;
  const own = join(folder, 'wide.cdx.json');
  const components = [{ ...vendored, properties, licenses: licence }];
  writeFileSync(own, JSON.stringify({ ...DOCUMENT, components }));
  const { stdout } = await licenses(own, '--allow', 'MIT', '--allow-unknown');
  for (const line of stdout.split('\n')) {
    expect(line.trim().includes(' ') ? line.length : 0, line).toBeLessThanOrEqual(80);
  }
});

test('the document for scripts is what it was', async () => {
  const ran = await licenses(file, '--allow', 'MIT', '--output', 'json');
  expect([ran.exitCode, ran.stderr]).toEqual([20, '']);
  const document = { ...documentOf(ran), file: 'shop.cdx.json' };
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('golden/sbom-licenses.refused.json');
});

test('the document of a release that is allowed is what it was', async () => {
  const passed = await licenses(file, '--allow', 'MIT,GPL-3.0-only', '--allow-unknown', '--output', 'json');
  expect(passed.exitCode).toBe(0);
  const golden = { ...documentOf(passed), file: 'shop.cdx.json' };
  await expect(`${JSON.stringify(golden, null, 2)}\n`).toMatchFileSnapshot('golden/sbom-licenses.json');
});

test('a code scanner gets every finding with its place, and the agent first', async () => {
  const { stdout } = await licenses(file, '--allow', 'MIT', '--output', 'sarif');
  const [run] = JSON.parse(stdout).runs;
  expect(run.results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
    'licence.not_allowed',
    'licence.unknown',
  ]);
  expect(run.results[0].locations[0].logicalLocations[0].fullyQualifiedName).toBe('/components/2');
  const { startLine } = run.results[0].locations[0].physicalLocation.region;
  expect(
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(startLine - 1, startLine + 3)
      .join(),
  ).toContain('vendored:src/pad.js');
  expect(run.results[0].message.text).toMatch(/^written by agent coder/);
});

test('Markdown shows text from outside as text', async () => {
  const { stdout } = await licenses(file, '--allow', 'MIT', '--output', 'markdown');
  const rows = stdout.split('\n').filter((line) => line.startsWith('|'));
  expect(rows).toHaveLength(4);
  for (const row of rows) expect(row.split('|')).toHaveLength(7);
  expect(stdout).not.toContain('<b>');
});

test('what the document says of its own evidence is shown as its claim, since nothing was verified', async () => {
  const says = (properties: Readonly<Record<string, string>>) => ({
    type: 'file',
    name: 'src/a.ts',
    properties: Object.entries(properties).map(([name, value]) => ({ name: `colophon:ai:${name}`, value })),
  });
  const own = join(folder, 'own-words.cdx.json');
  const fields = { agent: 'coder', model: 'm-1', basis: 'verified', bundle: `sha256:${'ab'.repeat(32)}` };
  const bases = { 'basis:agent': 'registry, signed by agent:coder', 'basis:model': 'witness-isolated' };
  const components = [says({ ...fields, ...bases }), says(fields), says({ agent: 'coder', basis: 'declared' })];
  writeFileSync(own, JSON.stringify({ ...DOCUMENT, components }));
  const { offending } = documentOf(await licenses(own, '--allow', 'MIT', '--output', 'json'));
  const { basis, bundle } = fields;
  const field_basis = { agent: { source: 'registry', signer: 'agent:coder' }, model: { source: 'witness-isolated' } };
  expect(offending.map(({ attribution }: { attribution: object }) => attribution)).toEqual([
    { agent: 'coder', model: 'm-1', claimed: { basis, field_basis, bundle } },
    { agent: 'coder', model: 'm-1', claimed: { basis, bundle } },
    { agent: 'coder', claimed: { basis: 'declared' } },
  ]);
  for (const format of ['table', 'sarif', 'markdown']) {
    const { stdout } = await licenses(own, '--allow', 'MIT', '--output', format);
    const words = stdout.replaceAll(/\n +/g, ' ').replaceAll('&#40;', '(').replaceAll('&#41;', ')');
    for (const worth of ['(claimed registry)', '(claimed witness-isolated)', ', claimed verified', ', declared']) {
      expect(words).toContain(worth);
    }
    expect(words).not.toMatch(/[(,] ?(?:registry|witness-isolated|verified)/);
  }
});

test('lists come from files, from the line, and several times', async () => {
  const list = join(folder, 'allowed.txt');
  writeFileSync(list, '# ours\nMIT\n"BSD"  # old, and fine\n');
  expect((await licenses(file, '--allow', list, '--allow', 'GPL-3.0')).exitCode).toBe(0);
  expect((await licenses(file, '--allow', list, '--allow', 'GPL-3.0', '--deny', 'GPL-2.0-or-later')).exitCode).toBe(20);
  expect((await licenses(file, '--deny', 'AGPL-3.0', '--allow-unknown')).exitCode).toBe(0);
});

describe('what cannot be used', () => {
  test.each([
    ['no list', () => [file], 'cli.usage', 1],
    ['an empty list', () => [file, '--allow', ','], 'cli.policy_invalid', 1],
    ['an empty value', () => [file, '--allow', ''], 'cli.usage', 1],
    ['a licence that nobody lists', () => [file, '--allow', 'Apache2'], 'cli.policy_invalid', 1],
    ['a list that is not there', () => [file, '--allow', 'missing.txt'], 'cli.file_unreadable', 1],
    ['a folder for a list', () => [file, '--allow', folder], 'cli.file_unreadable', 1],
    ['no file', () => [join(folder, 'missing'), '--allow', 'MIT'], 'cli.file_unreadable', 1],
    ['a folder', () => [folder, '--allow', 'MIT'], 'cli.file_unreadable', 1],
    ['no JSON', () => [join(folder, 'empty'), '--allow', 'MIT'], 'cli.sbom_invalid', 20],
    ['another document', () => [join(folder, 'other'), '--allow', 'MIT'], 'cli.sbom_invalid', 20],
  ])('%s', async (_, args, code, exit) => {
    writeFileSync(join(folder, 'empty'), '');
    writeFileSync(join(folder, 'other'), '{"bomFormat":"SPDX"}');
    const ran = await licenses(...args(), '--output', 'json');
    expect([documentOf(ran).error.code, ran.exitCode]).toEqual([code, exit]);
  });

  test('a document that breaks its schema is judged, and never allowed', async () => {
    const broken = join(folder, 'broken.json');
    writeFileSync(
      broken,
      JSON.stringify({
        ...DOCUMENT,
        components: [{ type: 'nothing', name: 'a', licenses: [{ license: { id: 'MIT' } }] }],
      }),
    );
    const ran = await licenses(broken, '--allow', 'MIT', '--output', 'json');
    expect([ran.exitCode, documentOf(ran)]).toMatchObject([20, { allowed: false, valid: false, offending: [] }]);
  });

  test('a file of the repository cannot change what a list on the command line says', async () => {
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(temporaryFolder(onTestFinished));
    const list = 'MIT,BSD-3-Clause';
    writeFileSync(list, 'GPL-3.0-only, MIT, "BSD"');
    const { offending } = documentOf(await licenses(file, '--allow', list, '--output', 'json'));
    expect(offending).toHaveLength(2);
  });

  test('an attribution that lacks something says nothing against a licence', async () => {
    const partial = join(folder, 'partial.json');
    const properties = [{ name: 'vendor:authored-by', value: 'autonomous_agent' }];
    const component = { type: 'library', name: 'a', licenses: [{ license: { id: 'MIT' } }], properties };
    writeFileSync(partial, JSON.stringify({ ...DOCUMENT, components: [component] }));
    const ran = await licenses(partial, '--allow', 'MIT', '--output', 'json');
    expect([ran.exitCode, documentOf(ran)]).toMatchObject([0, { allowed: true, valid: true, agent_authored_count: 1 }]);
  });
});

const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data');
const CORPORA = ['sbom', 'sbom-small'].map((name) => join(DATA, name)).filter(existsSync);

describe.skipIf(CORPORA.length === 0)('documents of real generators', () => {
  const files = CORPORA.flatMap((corpus) => readdirSync(corpus).map((name) => join(corpus, name)));
  test.each(files)('%s is decided, the same each time', async (path) => {
    const args = [path, '--allow', 'MIT,Apache-2.0,BSD-2-Clause,BSD-3-Clause,ISC', '--output', 'json'];
    const [first, second] = [await licenses(...args), await licenses(...args)];
    expect([0, 20]).toContain(first.exitCode);
    expect(second).toEqual(first);
    const { component_count, offending, valid, allowed, error } = documentOf(first);
    if (error !== undefined) {
      expect(error.code).toBe('cli.sbom_invalid');
      return;
    }
    expect(allowed).toBe(valid && offending.length === 0);
    expect(offending.length).toBeLessThanOrEqual(component_count);
    const text = readFileSync(path, 'utf8');
    for (const { name } of offending) expect(text).toContain(JSON.stringify(name).slice(1, -1).slice(0, 20));
  });
});
