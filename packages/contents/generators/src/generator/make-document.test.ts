import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { makeDocument } from './make-document.ts';
import { parseTarget } from './target.ts';

const LOCKFILE = JSON.stringify({ name: 'app', version: '1.0.0', lockfileVersion: 3, packages: { '': {} } });
const WELL = `
  const version = process.argv.join(' ').match(/1\\.[567]/)?.[0] ?? '1.6';
  const name = require('path').basename(process.argv[1]);
  console.log(JSON.stringify({ bomFormat: 'CycloneDX', specVersion: version,
    metadata: { tools: { components: [{ type: 'application', name, version: '9.9.9' }] } } }));`;

let folder: string;
let programs: string;
const calls = (name: string) =>
  readFileSync(join(programs, `${name}.calls`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { args: string[]; cwd: string; env: Record<string, string> });

beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
  programs = temporaryFolder(onTestFinished);
});

/** A program of this name that notes how it was called. */
function install(name: string, script = WELL): void {
  const log = JSON.stringify(join(programs, `${name}.calls`));
  const note = `require('fs').appendFileSync(${log}, JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), env: process.env }) + '\\n');`;
  writeFileSync(join(programs, name), `#!/usr/bin/env node\n${note}\n${script}\n`);
  chmodSync(join(programs, name), 0o755);
}

function put(files: Record<string, string>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

const make = (target = folder, options: Partial<Parameters<typeof makeDocument>[1]> = {}) =>
  makeDocument(parseTarget(target), {
    specVersion: '1.7',
    env: { ...process.env, PATH: [programs, dirname(process.execPath)].join(delimiter) },
    ...options,
  });

test.each([
  [['syft', 'trivy', 'cdxgen'], { 'go.mod': 'module a' }, 'syft'],
  [['trivy', 'cdxgen'], { 'go.mod': 'module a' }, 'trivy'],
  [['cdxgen'], { 'go.mod': 'module a', 'yarn.lock': '' }, 'cdxgen'],
  [['cyclonedx-npm', 'syft'], { 'package.json': '{}', 'package-lock.json': LOCKFILE }, 'cyclonedx-npm'],
  [['cyclonedx-npm', 'syft'], { 'package.json': '{}', 'pnpm-lock.yaml': '' }, 'syft'],
  [[], { 'go.mod': 'module a' }, 'cyclonedx-library'],
])('of %j, for a folder with %j, %s is taken', async (installed, files, expected) => {
  for (const name of installed) install(name, name === 'cdxgen' ? CDXGEN : WELL);
  put(files);
  expect((await make()).tool.name).toBe(expected);
});

// It writes into a file, not to standard output.
const CDXGEN = `
  const out = process.argv[process.argv.indexOf('--output') + 1];
  require('fs').writeFileSync(out, JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6' }));`;

test('an image is for syft, else for trivy, and for nobody else', async () => {
  install('cdxgen', CDXGEN);
  await expect(make('alpine:3')).rejects.toMatchObject({ code: 'feeds.generator_missing' });
  install('trivy');
  expect((await make('alpine:3')).tool).toEqual({ name: 'trivy', version: '9.9.9' });
  install('syft');
  expect((await make('alpine:3')).tool).toEqual({ name: 'syft', version: '9.9.9' });
  expect(calls('syft')[0]?.args.slice(-2)).toEqual(['--', 'docker.io/library/alpine:3']);
});

test('what was asked for by name is taken, or said to be missing', async () => {
  put({ 'package.json': '{}', 'package-lock.json': LOCKFILE });
  install('syft');
  expect((await make(folder, { generator: 'syft' })).tool.name).toBe('syft');
  expect((await make(folder, { generator: 'lockfile' })).lockfile).toBe(join(folder, 'package-lock.json'));
  await expect(make(folder, { generator: 'trivy' })).rejects.toMatchObject({ code: 'feeds.generator_missing' });
});

test('without generator and lockfile the error names both', async () => {
  put({ 'yarn.lock': '# yarn' });
  const error = await make().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'feeds.generator_missing' });
  expect((error as { facts: { expected: string; found: string } }).facts.expected).toMatch(/pnpm-lock\.yaml.*syft/);
  expect((error as { facts: { found: string } }).facts.found).toContain('yarn.lock');
});

test('a generator that does not know the version is asked for an older one', async () => {
  install(
    'syft',
    `if (process.argv.join().includes('@1.7')) { console.error('unsupported output format'); process.exit(1); }\n${WELL}`,
  );
  expect((await make()).bom.specVersion).toBe('1.6');
  expect(calls('syft')).toHaveLength(2);
});

test('another failure is told with the last words of the generator, and not tried again', async () => {
  install('syft', `console.error('first\\n'.repeat(50) + 'it broke'); process.exit(3)`);
  const error = await make().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'feeds.generator_failed' });
  const { found } = (error as { facts: { found: string } }).facts;
  expect(found.endsWith('it broke')).toBe(true);
  expect(found.split(' | ')).toHaveLength(5);
  expect(calls('syft')).toHaveLength(1);
});

test.each(['', 'no JSON', '[]', '{"bomFormat":"CycloneDX"}', '{"bomFormat":"CycloneDX","specVersion":"9"}'])(
  'output %j is no document',
  async (output) => {
    install('syft', `process.stdout.write(${JSON.stringify(output)})`);
    await expect(make()).rejects.toMatchObject({ code: 'feeds.generator_output' });
  },
);

test('a generator runs apart from the folder, in one locale, without what can sign', async () => {
  install('syft');
  await make(folder, {
    env: {
      ...process.env,
      PATH: [programs, dirname(process.execPath)].join(delimiter),
      COLOPHON_TOKEN: 'secret',
      SIGSTORE_ID_TOKEN: 'secret',
      DTRACK_API_KEY: 'secret',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret',
      HTTPS_PROXY: 'http://proxy.example',
    },
  });
  const [call] = calls('syft');
  expect(call?.cwd.startsWith(folder)).toBe(false);
  expect(JSON.stringify(call?.env)).not.toContain('secret');
  expect(call?.env).toMatchObject({ TZ: 'UTC', LC_ALL: 'C', HTTPS_PROXY: 'http://proxy.example' });
});

test('a folder or name that looks like a flag stays an argument', async () => {
  install('syft');
  put({ '--output=x/go.mod': 'module a' });
  await make(join(folder, '--output=x'), { generator: 'syft', name: '--help' });
  expect(calls('syft')[0]?.args.slice(-2)).toEqual(['--', `dir:${join(folder, '--output=x')}`]);
  expect(calls('syft')[0]?.args).toContain('--source-name=--help');
  for (const [image, reference] of [
    ['registry:2', 'docker.io/library/registry:2'],
    ['acme/app', 'docker.io/acme/app'],
    ['localhost/app', 'localhost/app'],
    ['127.0.0.1:5000/a/b__c:V1', '127.0.0.1:5000/a/b__c:V1'],
    [`ghcr.io/acme/app:1@sha256:${'0'.repeat(64)}`, `ghcr.io/acme/app:1@sha256:${'0'.repeat(64)}`],
  ]) {
    expect(parseTarget(image!)).toEqual({ kind: 'image', reference });
  }
  for (const image of [
    'dir:/etc',
    'oci-archive:/x.tar',
    'http://host/x',
    '-o=json',
    '--help',
    'a b',
    '../nothing',
    'UPPER',
    'a@sha256:12',
    `a${'/a'.repeat(300)}`,
  ]) {
    expect(() => parseTarget(image)).toThrow(expect.objectContaining({ code: 'feeds.target_unknown' }));
  }
});

test('no program of the folder itself is run', async () => {
  put({ 'go.mod': 'module a', 'node_modules/.bin/syft': '#!/bin/sh\necho', syft: '#!/bin/sh\necho' });
  chmodSync(join(folder, 'node_modules/.bin/syft'), 0o755);
  chmodSync(join(folder, 'syft'), 0o755);
  const made = await make(folder, { env: { ...process.env, PATH: ['', '.', 'node_modules/.bin'].join(delimiter) } });
  expect(made.lockfile).toBe(join(folder, 'go.mod'));
});

test('other lockfiles of the folder are said to be left out', async () => {
  put({ 'package-lock.json': LOCKFILE, 'Cargo.lock': '', 'yarn.lock': '' });
  expect((await make(folder, { generator: 'lockfile' })).notes.join()).toMatch(/Cargo\.lock, yarn\.lock/);
});

const DEV_LOCKFILE = JSON.stringify({
  ...{ name: 'app', version: '1.0.0', lockfileVersion: 3 },
  packages: {
    '': { name: 'app', version: '1.0.0', dependencies: { a: '1' }, devDependencies: { b: '1' } },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/b': { version: '1.0.0', dev: true, dependencies: { a: '1' } },
  },
});

test('what is for development alone is left out by the lockfile, and by a generator that can', async () => {
  put({ 'package.json': '{}', 'package-lock.json': DEV_LOCKFILE });
  const { bom } = await make(folder, { omitsDev: true, generator: 'lockfile' });
  expect(bom.components?.map(({ name }) => name)).toEqual(['a']);
  expect(bom.dependencies?.[0]).toEqual({ ref: 'pkg:npm/app@1.0.0', dependsOn: ['pkg:npm/a@1.0.0'] });
  install('cyclonedx-npm');
  await make(folder, { omitsDev: true });
  await make(folder);
  expect(calls('cyclonedx-npm').map(({ args }) => args.includes('--omit'))).toEqual([true, false]);
});

test('a generator that cannot leave it out is not taken, and refused where it is asked for', async () => {
  install('syft');
  put({ 'package.json': '{}', 'pnpm-lock.yaml': "lockfileVersion: '9.0'" });
  expect((await make(folder, { omitsDev: true })).tool.name).toBe('cyclonedx-library');
  await expect(make(folder, { omitsDev: true, generator: 'syft' })).rejects.toMatchObject({
    code: 'feeds.generator_missing',
    facts: { next: expect.stringMatching('lockfile') },
  });
});

test('a lockfile that does not say what is for development says so', async () => {
  put({ 'requirements.txt': 'a==1.0' });
  const { bom, notes } = await make(folder, { omitsDev: true });
  expect(bom.components).toHaveLength(1);
  expect(notes).toEqual([expect.stringMatching('development')]);
});

test('an npm project without a lockfile is told how to get one', async () => {
  put({ 'package.json': '{}' });
  await expect(make(folder)).rejects.toMatchObject({ facts: { next: 'npm install --package-lock-only' } });
});

test('an image layout and an archive are told from folders and files', () => {
  put({
    'image/oci-layout': '{}',
    'image/index.json': '{}',
    'Cargo.lock': '',
    'text.tar': 'x'.repeat(2000),
    'empty.tar': '',
  });
  expect(parseTarget(join(folder, 'image')).kind).toBe('image-layout');
  expect(parseTarget(join(folder, 'Cargo.lock')).kind).toBe('file');
  expect(parseTarget(folder).kind).toBe('folder');
  for (const name of ['text.tar', 'empty.tar']) expect(parseTarget(join(folder, name)).kind).toBe('file');
  execFileSync('tar', ['-cf', 'oci.tar', '-C', 'image', '.'], { cwd: folder });
  expect(parseTarget(join(folder, 'oci.tar'))).toMatchObject({ kind: 'image-archive', format: 'oci' });
  put({ 'saved/layer/layer.tar': 'x'.repeat(5000), 'saved/manifest.json': '[]' });
  execFileSync('tar', ['-cf', 'docker.tar', '-C', 'saved', 'layer', 'manifest.json'], { cwd: folder });
  expect(parseTarget(join(folder, 'docker.tar'))).toMatchObject({ kind: 'image-archive', format: 'docker' });
  execFileSync('tar', ['-cf', 'source.tar', 'saved/layer'], { cwd: folder });
  expect(parseTarget(join(folder, 'source.tar')).kind).toBe('file');
});

test('links in a circle and a name that is too long are no target', () => {
  symlinkSync(join(folder, 'circle'), join(folder, 'circle'));
  for (const path of [join(folder, 'circle'), join(folder, 'a'.repeat(5000))]) {
    expect(() => parseTarget(path)).toThrow(expect.objectContaining({ code: 'feeds.target_unknown' }));
  }
});

test('a file that is neither image nor lockfile is said to be none', async () => {
  put({ 'README.md': '#' });
  install('syft');
  await expect(make(join(folder, 'README.md'))).rejects.toMatchObject({ code: 'feeds.lockfile_unsupported' });
});
