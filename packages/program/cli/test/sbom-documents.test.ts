import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

const EPOCH = '1763719200';
const DATA = process.env['COLOPHON_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data');
const MANIFEST = { name: '@acme/app', version: '1.2.3', license: 'MIT', workspaces: ['packages/*'] };
const LOCKFILE = {
  name: '@acme/app',
  version: '1.2.3',
  lockfileVersion: 3,
  packages: {
    '': { ...MANIFEST, dependencies: { left: '1' }, devDependencies: { tool: '1' } },
    'node_modules/@acme/part': { resolved: 'packages/part', link: true },
    'node_modules/left': {
      version: '1.0.0',
      license: 'MIT',
      integrity: `sha512-${Buffer.alloc(64).toString('base64')}`,
    },
    'node_modules/tool': { version: '1.0.0', dev: true, license: 'Acme House', dependencies: { left: '1' } },
    'packages/part': { name: '@acme/part', version: '0.1.0', dependencies: { left: '1' } },
  },
};
const SUPPLIER = ['--supplier-name', 'ACME', '--supplier-url', 'https://acme.example'];
const LOCKED = ['sbom', 'create', '--generator', 'lockfile'];

let folder: string;
const at = (name: string) => join(folder, name);
const put = (name: string, content: unknown) => {
  mkdirSync(dirname(at(name)), { recursive: true });
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  return at(name);
};
const run = (...args: string[]) => runLine(args, { SOURCE_DATE_EPOCH: EPOCH, PATH: dirname(process.execPath) });
const withoutFolder = (document: unknown) => JSON.stringify(document, null, 2).replaceAll(folder, '<folder>');

beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  put('package.json', MANIFEST);
  put('package-lock.json', LOCKFILE);
});

describe('create', () => {
  test.each(['1.7', '1.6'])('the document of a project is what it was, in CycloneDX %s', async (version) => {
    const made = await run(...LOCKED, '--spec-version', version, ...SUPPLIER, folder);
    expect(made.exitCode).toBe(0);
    expect(made.stdout).not.toContain(folder);
    await expect(made.stdout).toMatchFileSnapshot(`golden/sbom-create.cdx-${version}.json`);
    const valid = await run('sbom', 'validate', '--fail-on', 'warning', put('made.json', made.stdout));
    expect([valid.exitCode, valid.stdout]).toEqual([0, expect.stringContaining('valid')]);
  });

  test('the record of it is what it was', async () => {
    const made = await run(...LOCKED, folder, '--out', at('x.json'), '-o', 'json');
    expect([made.exitCode, made.stderr]).toEqual([0, '']);
    await expect(`${withoutFolder(documentOf(made))}\n`).toMatchFileSnapshot('golden/sbom-create.json');
  });

  test('the same input gives the same bytes, and without a fixed time a serial number of its own', async () => {
    const first = await run(...LOCKED, folder);
    expect((await run(...LOCKED, folder)).stdout).toBe(first.stdout);
    const free = () => runLine([...LOCKED, folder], { PATH: '' });
    const [one, other] = [documentOf(await free()), documentOf(await free())];
    expect(one.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4/);
    expect(one.serialNumber).not.toBe(other.serialNumber);
    expect(one.components).toEqual(other.components);
  });

  test.each(['', '-1', 'now', '1.5', '1e9', '999999999999'])('SOURCE_DATE_EPOCH=%s is no time', async (epoch) => {
    const { exitCode, stdout } = await runLine([...LOCKED, folder, '-o', 'json'], { SOURCE_DATE_EPOCH: epoch });
    expect([exitCode, JSON.parse(stdout).error.code]).toEqual([1, 'cli.usage']);
  });

  test('what the command line says of the artifact is taken before what the project says', async () => {
    const made = await run(
      ...[...LOCKED, '--component-name', '@other/name', '--component-version', '9', '--component-type', 'library'],
      ...['--lifecycle', 'pre-build', ...SUPPLIER, at('package-lock.json')],
    );
    const { component, lifecycles } = documentOf(made).metadata;
    expect(component).toMatchObject({
      type: 'library',
      group: '@other',
      name: 'name',
      version: '9',
      supplier: { name: 'ACME', url: ['https://acme.example'] },
    });
    expect(component).not.toHaveProperty('purl');
    expect(lifecycles).toEqual([{ phase: 'pre-build' }]);
  });

  test.each([
    [['nowhere/at/all/'], 1, 'feeds.target_unknown'],
    [['--', '--help'], 1, 'feeds.target_unknown'],
    [['ghcr.io/acme/../app'], 1, 'feeds.target_unknown'],
    [['127.1:5000/app'], 1, 'feeds.target_unknown'],
    [['--generator', 'trivy', 'GHCR.io/acme/app'], 1, 'feeds.generator_missing'],
    [['--generator', 'trivy', '.'], 1, 'feeds.generator_missing'],
    [['--generator', 'nobody', '.'], 1, 'cli.usage'],
    [['--spec-version', '1.4', '.'], 1, 'cli.usage'],
    [['--timeout', '0', '.'], 1, 'cli.usage'],
    [['--supplier-name', '', '.'], 1, 'cli.usage'],
    [['--out', '/nonexistent/x.json', '.'], 2, 'cli.file_unwritable'],
  ])('%j ends with %i and %s', async (args, exitCode, code) => {
    const ran = await run('sbom', 'create', '-o', 'json', ...args);
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([exitCode, code]);
  });

  test('Ctrl-C ends the generator and leaves nothing behind', async () => {
    const pidFile = at('pid');
    put(
      'bin/syft',
      `#!/usr/bin/env node\nrequire('fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); setInterval(() => {}, 1000);\n`,
    );
    chmodSync(at('bin/syft'), 0o755);
    const scratch = at('scratch');
    mkdirSync(scratch);
    const bin = join(import.meta.dirname, '../bin/colophon.js');
    const child = spawn(
      process.execPath,
      [bin, 'sbom', 'create', '--generator', 'syft', folder, '--out', at('x.json')],
      {
        env: { ...process.env, TMPDIR: scratch, PATH: [at('bin'), dirname(process.execPath)].join(delimiter) },
        stdio: 'ignore',
      },
    );
    const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
    await expect.poll(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8')).toBeTruthy();
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect([existsSync(at('x.json')), readdirSync(scratch)]).toEqual([false, []]);
    expect(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0)).toThrow();
  });

  test('what a generator writes that is not valid is its fault, and is not written', async () => {
    const wrong = { bomFormat: 'CycloneDX', specVersion: '1.7', components: [{ type: 'nonsense', name: 'a' }] };
    put('bin/syft', `#!/usr/bin/env node\nconsole.log(${JSON.stringify(JSON.stringify(wrong))});\n`);
    chmodSync(at('bin/syft'), 0o755);
    const ran = await runLine(['sbom', 'create', '--generator', 'syft', folder, '--out', at('x.json'), '-o', 'json'], {
      PATH: [at('bin'), dirname(process.execPath)].join(delimiter),
    });
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([2, 'cli.sbom_invalid']);
    expect(documentOf(ran).error.message).toContain('syft');
    expect(existsSync(at('x.json'))).toBe(false);
  });
});

describe('patch', () => {
  let file: string;
  beforeEach(async () => {
    file = at('sbom.json');
    await run(...LOCKED, ...SUPPLIER, folder, '--out', file);
  });

  test('the file itself is changed, its version counted, and the record is what it was', async () => {
    const before = JSON.parse(readFileSync(file, 'utf8'));
    const ran = await run(
      ...['sbom', 'patch', file, '--set', '/metadata/component/description=our app', '--out', file, '-o', 'json'],
      ...['--component', 'pkg:npm/tool@1.0.0', '--license', 'Apache-2.0', '--property', 'acme:checked=yes'],
    );
    expect(ran.exitCode).toBe(0);
    await expect(`${withoutFolder(documentOf(ran))}\n`).toMatchFileSnapshot('golden/sbom-patch.json');
    const after = JSON.parse(readFileSync(file, 'utf8'));
    expect([after.version, after.serialNumber]).toEqual([2, before.serialNumber]);
    expect((await run('sbom', 'validate', file)).exitCode).toBe(0);

    const diff = await run('sbom', 'diff', put('before.json', before), file, '-o', 'json');
    await expect(`${withoutFolder(documentOf(diff))}\n`).toMatchFileSnapshot('golden/sbom-diff.json');
    const shown = await run('sbom', 'diff', at('before.json'), file, '-o', 'markdown');
    await expect(shown.stdout.replaceAll(folder, '<folder>')).toMatchFileSnapshot('golden/sbom-diff.md');
  });

  test('what changes nothing writes nothing', async () => {
    const compact = put('compact.json', JSON.stringify(JSON.parse(readFileSync(file, 'utf8'))));
    const text = readFileSync(compact, 'utf8');
    const ran = await run(
      'sbom',
      'patch',
      compact,
      '--set',
      '/metadata/component/version=1.2.3',
      '--out',
      compact,
      '-o',
      'json',
    );
    expect(documentOf(ran)).toMatchObject({ changed: false, previous_version: 1, version: 1 });
    expect(readFileSync(compact, 'utf8')).toBe(text);
    expect((await run('sbom', 'patch', compact, '--set', '/metadata/component/version=1.2.3')).stdout).toBe(text);
  });

  test('a JSON Patch comes first', async () => {
    const patch = put('patch.json', [{ op: 'add', path: '/metadata/component/version', value: '5' }]);
    const ran = await run('sbom', 'patch', file, '--patch', patch, '--remove', '/metadata/component/version');
    expect(documentOf(ran).metadata.component).not.toHaveProperty('version');
  });

  test('a document that breaks its schema is changed where that mends it', async () => {
    const broken = put('broken.json', { bomFormat: 'CycloneDX', specVersion: '1.7', version: 'one', foo: 1 });
    expect((await run('sbom', 'patch', broken, '--set', '/metadata/component/name=x')).exitCode).toBe(20);
    const mended = put('broken.json', { bomFormat: 'CycloneDX', specVersion: '1.7', foo: 1 });
    expect((await run('sbom', 'patch', mended, '--remove', '/foo')).exitCode).toBe(0);
  });

  test.each([
    [[], 1, 'cli.usage'],
    [['--set', '/x'], 1, 'cli.usage'],
    [['--component', 'pkg:npm/left@1.0.0'], 1, 'cli.usage'],
    [['--license', 'MIT'], 1, 'cli.usage'],
    [['--scope', 'often', '--component', 'x'], 1, 'cli.usage'],
    [['--patch', '/nonexistent'], 1, 'cli.file_unreadable'],
    [['--patch', join(import.meta.dirname, 'golden')], 1, 'cli.file_unreadable'],
    [['--component', 'pkg:npm/nobody@1', '--license', 'MIT'], 11, 'cli.patch_refused'],
    [['--set', '/version=7'], 20, 'cli.patch_refused'],
    [['--set', '/serialNumber=x'], 20, 'cli.patch_refused'],
    [['--set', '/__proto__/x=1'], 20, 'cli.patch_refused'],
    [['--set', '/components/0/nonsense=1'], 20, 'cli.sbom_invalid'],
  ])('%j is refused with %i and %s, and nothing is written', async (args, exitCode, code) => {
    const text = readFileSync(file, 'utf8');
    const ran = await run('sbom', 'patch', file, '--out', file, '-o', 'json', ...args);
    expect([ran.exitCode, documentOf(ran).error.code]).toEqual([exitCode, code]);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });
});

describe('diff', () => {
  const bom = (name: string) => ({
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    components: [{ type: 'library', name }],
  });

  test('exits with 12 on a difference where that is asked for', async () => {
    const [a, b] = [put('a.json', bom('a')), put('b.json', bom('b'))];
    expect((await run('sbom', 'diff', a, b)).exitCode).toBe(0);
    expect((await run('sbom', 'diff', '--exit-code', a, b)).exitCode).toBe(12);
    expect((await run('sbom', 'diff', '--exit-code', a, a)).exitCode).toBe(0);
  });

  test('text from outside stays on its line, and inside its fence', async () => {
    const [a, b] = [put('a.json', bom('a')), put('b.json', bom('x\n```\n# title\u001b[31m'))];
    for (const output of ['table', 'markdown']) {
      const { stdout } = await run('sbom', 'diff', a, b, '-o', output);
      expect(stdout).not.toMatch(/^# title/m);
      expect(stdout).not.toContain('\u001b');
      if (output === 'markdown') expect(stdout).toContain('````diff');
    }
  });

  test.each(['missing.json', '.', 'empty.json', 'text.json', 'other.json'])('%s cannot be compared', async (name) => {
    put('empty.json', '');
    put('text.json', 'text');
    put('other.json', {});
    const ran = await run('sbom', 'diff', at(name), put('a.json', bom('a')), '-o', 'json');
    expect(ran.exitCode).toBe(name.endsWith('.json') && name !== 'missing.json' ? 20 : 1);
    expect(documentOf(ran).ok).toBe(false);
  });
});

describe.skipIf(!existsSync(join(DATA, 'sbom-small')))('real documents', () => {
  test('stay valid when they are patched, and differ in what was patched alone', async () => {
    const files = readdirSync(join(DATA, 'sbom-small')).filter((name) => name.endsWith('.json'));
    expect(files.length).toBeGreaterThan(0);
    for (const name of files) {
      const file = join(DATA, 'sbom-small', name);
      const ran = await run(
        'sbom',
        'patch',
        file,
        '--set',
        '/metadata/component={"type":"library","name":"x","version":"1"}',
        '--out',
        at('x.json'),
      );
      // One that breaks its schema is not made valid by that.
      if ((await run('sbom', 'validate', '--profile', 'spec', file)).exitCode === 20) continue;
      expect(ran, name).toMatchObject({ exitCode: 0 });
      const diff = documentOf(await run('sbom', 'diff', file, at('x.json'), '-o', 'json'));
      expect([diff.added_components, diff.removed_components, diff.changed_components], name).toEqual([[], [], []]);
    }
  });
});
