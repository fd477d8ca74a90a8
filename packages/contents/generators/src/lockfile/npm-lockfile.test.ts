import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GeneratorError } from '../generator-error/generator-error.ts';
import type { LockedProject } from './locked-project.ts';
import { readNpmLockfile } from './npm-lockfile.ts';

const NOWHERE = '/nonexistent';
const SHA512 = `sha512-${Buffer.alloc(64, 1).toString('base64')}`;
const read = (packages: Record<string, unknown>, folder = NOWHERE) =>
  readNpmLockfile({ name: 'app', version: '1.0.0', lockfileVersion: 3, packages }, folder);
const named = (project: LockedProject, name: string) => project.packages.filter((locked) => locked.name === name);
const needs = ({ packages, dependsOn = [] }: LockedProject, name?: string) => {
  const keys = name === undefined ? dependsOn : packages.find((locked) => locked.name === name)!.dependsOn!;
  return keys.map((key) => packages.find((locked) => locked.key === key)!.purl).sort();
};

describe('a lockfile of version 3', () => {
  test('gives name, purl, hashes, licence and where a package is from', () => {
    const project = read({
      '': { name: '@acme/app', version: '1.0.0', license: 'MIT', dependencies: { '@b/c': '^1' } },
      'node_modules/@b/c': {
        version: '1.2.3',
        resolved: 'https://user:pass@registry.example/@b/c/-/c-1.2.3.tgz',
        integrity: `${SHA512}?note sha1-notbase64 md4-AAAA sha384-${'A'.repeat(63)} sha1-${'A'.repeat(27)}\n`,
        license: '(MIT OR ISC)',
      },
    });
    expect(project.root).toEqual({
      group: '@acme',
      name: 'app',
      version: '1.0.0',
      purl: 'pkg:npm/%40acme/app@1.0.0',
      licence: 'MIT',
    });
    expect(project.packages).toEqual([
      {
        key: '@b/c@1.2.3',
        group: '@b',
        name: 'c',
        version: '1.2.3',
        purl: 'pkg:npm/%40b/c@1.2.3',
        scope: 'required',
        licence: '(MIT OR ISC)',
        hashes: [{ alg: 'SHA-512', content: '01'.repeat(64) }],
        source: { kind: 'distribution', url: 'https://registry.example/@b/c/-/c-1.2.3.tgz' },
        properties: [['cdx:npm:package:path', 'node_modules/@b/c']],
        dependsOn: [],
      },
    ]);
  });

  test('finds what a package needs as Node does: beside it, then above', () => {
    const project = read({
      '': { dependencies: { a: '1', b: '1' } },
      'node_modules/a': { version: '1.0.0', dependencies: { b: '2', c: '1' } },
      'node_modules/a/node_modules/b': { version: '2.0.0', dependencies: { c: '1' } },
      'node_modules/b': { version: '1.0.0', peerDependencies: { c: '1', absent: '1' } },
      'node_modules/c': { version: '1.0.0', dependencies: { a: '1' } },
    });
    expect(needs(project)).toEqual(['pkg:npm/a@1.0.0', 'pkg:npm/b@1.0.0']);
    expect(needs(project, 'a')).toEqual(['pkg:npm/b@2.0.0', 'pkg:npm/c@1.0.0']);
    expect(named(project, 'b').map(({ dependsOn }) => dependsOn)).toEqual([['c@1.0.0'], ['c@1.0.0']]);
    expect(needs(project, 'c')).toEqual(['pkg:npm/a@1.0.0']);
  });

  test('workspaces are packages of the project, each with what it needs', () => {
    const project = read({
      '': { name: 'root', workspaces: ['packages/*'], devDependencies: { tool: '1' } },
      'node_modules/@acme/one': { resolved: 'packages/one', link: true },
      'node_modules/@acme/two': { resolved: 'packages/two', link: true },
      'node_modules/dep': { version: '1.0.0' },
      'node_modules/tool': { version: '1.0.0', dev: true },
      'packages/one': { name: '@acme/one', version: '0.1.0', dependencies: { '@acme/two': '0.1.0', dep: '2' } },
      'packages/one/node_modules/dep': { version: '2.0.0' },
      'packages/two': { name: '@acme/two', version: '0.1.0', devDependencies: { dep: '1' } },
    });
    expect(needs(project)).toEqual(['pkg:npm/%40acme/one@0.1.0', 'pkg:npm/%40acme/two@0.1.0', 'pkg:npm/tool@1.0.0']);
    expect(needs(project, 'one')).toEqual(['pkg:npm/%40acme/two@0.1.0', 'pkg:npm/dep@2.0.0']);
    expect(needs(project, 'two')).toEqual(['pkg:npm/dep@1.0.0']);
  });

  test('an alias is the package that it stands for', () => {
    const project = read({
      '': { dependencies: { short: 'npm:@acme/long@1' } },
      'node_modules/short': { name: '@acme/long', version: '1.0.0' },
    });
    expect(needs(project)).toEqual(['pkg:npm/%40acme/long@1.0.0']);
  });

  test('one version in several places is one package, needed in the strongest way', () => {
    const project = read({
      'node_modules/a': { version: '1.0.0', dev: true, dependencies: { x: '1' } },
      'node_modules/b/node_modules/a': { version: '1.0.0', optional: true, dependencies: { y: '1' } },
      'node_modules/x': { version: '1.0.0' },
      'node_modules/y': { version: '1.0.0' },
    });
    expect(named(project, 'a')).toMatchObject([{ scope: 'optional', dependsOn: ['x@1.0.0', 'y@1.0.0'] }]);
    expect(named(project, 'a')[0]?.properties?.map(([, value]) => value)).toEqual([
      'node_modules/a',
      'true',
      'node_modules/b/node_modules/a',
    ]);
  });

  test.each([
    [{ dev: true }, 'excluded'],
    [{ dev: true, optional: true }, 'excluded'],
    [{ optional: true }, 'optional'],
    [{ devOptional: true }, 'optional'],
    [{ peer: true }, 'required'],
    [{}, 'required'],
  ])('%j is of scope %s', (flags, scope) => {
    expect(read({ 'node_modules/a': { version: '1.0.0', ...flags } }).packages[0]?.scope).toBe(scope);
  });

  test('a bundled package is marked', () => {
    const [bundled] = read({ 'node_modules/a/node_modules/b': { version: '1.0.0', inBundle: true } }).packages;
    expect(bundled?.properties).toContainEqual(['cdx:npm:package:bundled', 'true']);
  });

  test.each([
    [
      'git+ssh://git@github.com/a/b.git#abc',
      'vcs',
      'pkg:npm/a@1.0.0?vcs_url=git%2Bssh%3A%2F%2Fgit%40github.com%2Fa%2Fb.git%23abc',
    ],
    [
      'git+https://me:secret@host.example/b.git#abc',
      'vcs',
      'pkg:npm/a@1.0.0?vcs_url=git%2Bhttps%3A%2F%2Fhost.example%2Fb.git%23abc',
    ],
    ['https://host.example/a.tgz', 'distribution', 'pkg:npm/a@1.0.0?download_url=https%3A%2F%2Fhost.example%2Fa.tgz'],
    ['https://mirror.example/a/-/a-1.0.0.tgz', 'distribution', 'pkg:npm/a@1.0.0'],
    ['file:../a', undefined, 'pkg:npm/a@1.0.0'],
  ])('resolved from %s', (resolved, kind, purl) => {
    const [locked] = read({ 'node_modules/a': { version: '1.0.0', resolved } }).packages;
    expect({ kind: locked?.source?.kind, purl: locked?.purl }).toEqual({ kind, purl });
    expect(JSON.stringify(locked?.source ?? '')).not.toContain('secret');
  });

  test('a licence that the lockfile does not say is looked for where the package is installed, and nowhere else', () => {
    const folder = temporaryFolder(onTestFinished);
    const put = (path: string, licence: unknown) => {
      mkdirSync(dirname(join(folder, 'app', path)), { recursive: true });
      writeFileSync(join(folder, 'app', path), JSON.stringify({ license: licence }));
    };
    put('node_modules/a/package.json', 'ISC');
    put('node_modules/old/package.json', { type: 'BSD-3-Clause' });
    put('node_modules/two/package.json', ['MIT', { type: 'ISC' }]);
    put('../outside/package.json', 'MIT');
    const { packages } = read(
      Object.fromEntries(
        ['a', 'old', 'two', '../../outside', 'absent'].map((name) => [`node_modules/${name}`, { version: '1.0.0' }]),
      ),
      join(folder, 'app'),
    );
    expect(packages.map(({ licence }) => licence)).toEqual([
      'ISC',
      'BSD-3-Clause',
      '(MIT OR ISC)',
      undefined,
      undefined,
    ]);
  });
});

describe('a lockfile of version 1', () => {
  const old = {
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 1,
    dependencies: {
      a: {
        version: '1.0.0',
        integrity: SHA512,
        requires: { b: '^2', 'c-alias': 'npm:c@1' },
        dependencies: { b: { version: '2.0.0', bundled: true } },
      },
      b: { version: '1.0.0', dev: true },
      'c-alias': { version: 'npm:c@1.0.0' },
      g: { version: 'git+https://host.example/g.git#abc', from: 'g' },
    },
  };

  test('is read like the others', () => {
    const project = readNpmLockfile(old, NOWHERE, { dependencies: { a: '1', g: '*' }, devDependencies: { b: '1' } });
    expect(needs(project)).toEqual([
      'pkg:npm/a@1.0.0',
      'pkg:npm/b@1.0.0',
      'pkg:npm/g?vcs_url=git%2Bhttps%3A%2F%2Fhost.example%2Fg.git%23abc',
    ]);
    expect(needs(project, 'a')).toEqual(['pkg:npm/b@2.0.0', 'pkg:npm/c@1.0.0']);
    expect(named(project, 'b').map(({ scope }) => scope)).toEqual(['required', 'excluded']);
  });

  test('without the manifest, the project needs what nobody else does', () => {
    expect(needs(readNpmLockfile(old, NOWHERE))).toEqual([
      'pkg:npm/a@1.0.0',
      'pkg:npm/g?vcs_url=git%2Bhttps%3A%2F%2Fhost.example%2Fg.git%23abc',
    ]);
  });
});

test('a version that nobody knows is refused', () => {
  expect(() => readNpmLockfile({ lockfileVersion: 9 }, NOWHERE)).toThrow(
    expect.objectContaining({ code: 'feeds.lockfile_unsupported' }),
  );
});

test.each(
  [[], null, 'text', { lockfileVersion: 3, packages: { 'node_modules/a': 1 } }, { dependencies: [] }].map((x) => [x]),
)('%j is no lockfile', (document) => {
  expect(() => readNpmLockfile(document, NOWHERE)).toThrow(expect.objectContaining({ code: 'feeds.lockfile_invalid' }));
});

test('names that mean something to JavaScript are names', () => {
  const packages = JSON.parse(
    '{"": {"dependencies": {"__proto__": "1", "constructor": "1"}}, "node_modules/__proto__": {"version": "1.0.0"}, "node_modules/constructor": {"version": "1.0.0"}}',
  );
  expect(needs(read(packages))).toEqual(['pkg:npm/__proto__@1.0.0', 'pkg:npm/constructor@1.0.0']);
});

test('whatever stands in it, it is read or refused', () => {
  const entry = fc.dictionary(
    fc.constantFrom('version', 'resolved', 'integrity', 'license', 'dependencies', 'link', 'name', 'workspaces', 'dev'),
    fc.oneof(fc.jsonValue(), fc.constantFrom('1.0.0', '../..', 'a', '')),
  );
  const location = fc.constantFrom(
    '',
    'a',
    'node_modules/a',
    'node_modules/a/node_modules/b',
    '//',
    '../x',
    'node_modules/',
  );
  const document = fc.record(
    {
      lockfileVersion: fc.constantFrom(1, 2, 3),
      name: fc.jsonValue(),
      version: fc.jsonValue(),
      packages: fc.oneof(fc.dictionary(location, entry), fc.jsonValue()),
      dependencies: fc.oneof(fc.dictionary(fc.constantFrom('a', 'b'), entry), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  // What has a `toString` of its own is no text, and cannot be made one.
  const odd = {
    version: { toString: [] },
    resolved: { toString: [] },
    name: { toString: [] },
    integrity: { toString: [] },
  };
  fc.assert(
    fc.property(document, (value) => {
      try {
        readNpmLockfile(value, NOWHERE);
      } catch (error) {
        expect(error).toBeInstanceOf(GeneratorError);
      }
    }),
    { numRuns: 500, examples: [[{ packages: { 'node_modules/a': odd } }], [{ dependencies: { a: odd } }]] },
  );
});
