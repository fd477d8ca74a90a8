import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { createBomValidator } from '@colophon/sbom';
import { temporaryFolder } from '@colophon/testkit';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { GeneratorError } from '../generator-error/generator-error.ts';
import type { LockedProject } from './locked-project.ts';
import { lockfileBom } from './lockfile-bom.ts';
import { LOCKFILE_NAMES, readLockfile } from './read-lockfile.ts';

const LIBRARY = dirname(createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json'));
const validator = createBomValidator((file) => JSON.parse(readFileSync(join(LIBRARY, 'res', 'schema', file), 'utf8')));
const HEX = '0f'.repeat(32);
const SHA512 = `sha512-${Buffer.alloc(64, 1).toString('base64')}`;

async function read(files: Record<string, string>): Promise<LockedProject> {
  const folder = temporaryFolder(onTestFinished);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return readLockfile(join(folder, Object.keys(files)[0]!));
}

const said = ({ packages }: LockedProject) =>
  packages.map(({ purl, scope, dependsOn }) => [purl, scope, dependsOn && [...dependsOn].sort()]).sort();

const SAMPLES: Record<string, Record<string, string>> = {
  'pnpm-lock.yaml': {
    'pnpm-lock.yaml': `
lockfileVersion: '9.0'
importers:
  .:
    dependencies:
      a: {specifier: ^1, version: 1.0.0(p@3.0.0)}
      short: {specifier: 'npm:@x/long@1', version: '@x/long@1.0.0'}
    devDependencies:
      tool: {specifier: ^1, version: 1.0.0}
  packages/one:
    dependencies:
      two: {specifier: 'workspace:*', version: link:../two}
packages:
  a@1.0.0: {resolution: {integrity: ${SHA512}}, peerDependencies: {p: '*'}}
  p@3.0.0: {resolution: {integrity: ${SHA512}}}
  '@x/long@1.0.0': {resolution: {integrity: ${SHA512}}}
  tool@1.0.0: {resolution: {integrity: ${SHA512}}}
  maybe@1.0.0: {resolution: {integrity: ${SHA512}}}
snapshots:
  a@1.0.0(p@3.0.0): {dependencies: {p: 3.0.0}, optionalDependencies: {maybe: 1.0.0}}
  p@3.0.0: {}
  '@x/long@1.0.0': {}
  tool@1.0.0: {dependencies: {p: 3.0.0}}
  maybe@1.0.0: {optional: true}
`,
    'package.json': '{"name": "@acme/app", "version": "2.0.0", "license": "MIT"}',
  },
  'Cargo.lock': {
    'Cargo.lock': `
version = 4
[[package]]
name = "app"
version = "0.1.0"
dependencies = ["dup 1.0.0", "git-dep"]
[[package]]
name = "dup"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "${HEX}"
dependencies = ["dup 2.0.0"]
[[package]]
name = "dup"
version = "2.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "${HEX}"
[[package]]
name = "git-dep"
version = "0.2.0"
source = "git+https://host.example/g?rev=abc#abc"
`,
  },
  'poetry.lock': {
    'poetry.lock': `
[[package]]
name = "Flask"
version = "3.0.0"
optional = false
groups = ["main"]
files = [{file = "x.whl", hash = "sha256:${HEX}"}]
[package.dependencies]
Werk_zeug = ">=3"
absent = "*"
[[package]]
name = "werk-zeug"
version = "3.1.0"
optional = true
groups = ["main"]
[[package]]
name = "pytest"
version = "8.0.0"
optional = false
groups = ["dev"]
`,
    'pyproject.toml': '[project]\nname = "app"\nversion = "1.0"\nlicense = "MIT"\ndependencies = ["flask>=3"]\n',
  },
  'uv.lock': {
    'uv.lock': `
version = 1
[[package]]
name = "app"
version = "0.1.0"
source = { editable = "." }
dependencies = [{ name = "requests" }]
[[package]]
name = "requests"
version = "2.31.0"
source = { registry = "https://pypi.example/simple" }
dependencies = [{ name = "idna" }]
[[package]]
name = "idna"
version = "3.6"
source = { registry = "https://pypi.example/simple" }
`,
  },
  'requirements.txt': {
    'requirements.txt': `# made by pip-compile
-r other.txt
--index-url https://pypi.example/simple
Requests[socks]==2.31.0 ; python_version > "3.8" \\
    --hash=sha256:${HEX}
loose>=1.0
at-url @ https://host.example/x-1.0.whl
`,
  },
  'go.mod': {
    'go.mod': `module example.com/app

go 1.22

require github.com/Acme/Lib v1.2.3 // comment
require (
	golang.org/x/text v0.14.0 // indirect
	example.com/old v1.0.0
	example.com/local v1.0.0
)
replace (
	example.com/old => example.com/new v2.0.0+incompatible
	example.com/local v1.0.0 => ../local
)
exclude example.com/no v1.0.0
`,
  },
};

test('pnpm: scopes, aliases, peers and workspaces', async () => {
  const project = await read(SAMPLES['pnpm-lock.yaml']!);
  expect(project.root).toEqual({
    group: '@acme',
    name: 'app',
    version: '2.0.0',
    purl: 'pkg:npm/%40acme/app@2.0.0',
    licence: 'MIT',
  });
  expect(said(project)).toEqual([
    ['pkg:npm/%40x/long@1.0.0', 'required', []],
    ['pkg:npm/a@1.0.0', 'required', ['maybe@1.0.0', 'p@3.0.0']],
    ['pkg:npm/maybe@1.0.0', 'optional', []],
    ['pkg:npm/p@3.0.0', 'required', []],
    ['pkg:npm/tool@1.0.0', 'excluded', ['p@3.0.0']],
  ]);
  expect(project.packages[0]?.hashes).toEqual([{ alg: 'SHA-512', content: '01'.repeat(64) }]);
});

test('pnpm of version 6 is read too, and of version 5 is not', async () => {
  const six = `
lockfileVersion: '6.0'
dependencies:
  a: {specifier: ^1, version: 1.0.0}
packages:
  /a@1.0.0: {resolution: {integrity: ${SHA512}}, dependencies: {'@b/c': 2.0.0}}
  /@b/c@2.0.0: {resolution: {integrity: ${SHA512}}}
`;
  expect(said(await read({ 'pnpm-lock.yaml': six }))).toEqual([
    ['pkg:npm/%40b/c@2.0.0', 'required', []],
    ['pkg:npm/a@1.0.0', 'required', ['/@b/c@2.0.0']],
  ]);
  await expect(read({ 'pnpm-lock.yaml': 'lockfileVersion: 5.4' })).rejects.toMatchObject({
    code: 'feeds.lockfile_unsupported',
  });
});

test('Cargo: the only crate without a source is the project', async () => {
  const project = await read(SAMPLES['Cargo.lock']!);
  expect(project.root).toMatchObject({ name: 'app', version: '0.1.0', purl: 'pkg:cargo/app@0.1.0' });
  expect(project.dependsOn?.map((key) => key.split(' (')[0])).toEqual(['dup 1.0.0', 'git-dep 0.2.0']);
  expect(project.packages.map(({ purl, hashes }) => [purl, hashes?.length])).toEqual([
    ['pkg:cargo/dup@1.0.0', 1],
    ['pkg:cargo/dup@2.0.0', 1],
    ['pkg:cargo/git-dep@0.2.0?vcs_url=git%2Bhttps%3A%2F%2Fhost.example%2Fg%3Frev%3Dabc%23abc', 0],
  ]);
});

test('Cargo: of several members the one that the manifest describes is the project, the others are its parts', async () => {
  const members = ['one', 'app', 'two'].map((name) => `[[package]]\nname = "${name}"\nversion = "0.1.0"\n`).join('');
  const nobody = await read({ 'Cargo.lock': members });
  expect([nobody.root, nobody.dependsOn?.length]).toEqual([{}, 3]);
  const project = await read({ 'Cargo.lock': members, 'Cargo.toml': '[package]\nname = "app"\n' });
  expect([project.root.name, project.dependsOn]).toEqual(['app', ['one 0.1.0', 'two 0.1.0']]);
});

test('poetry: groups are scopes, names are compared as Python does', async () => {
  const project = await read(SAMPLES['poetry.lock']!);
  expect(project.root).toMatchObject({ name: 'app', version: '1.0', licence: 'MIT' });
  expect(project.dependsOn).toEqual(['flask']);
  expect(said(project)).toEqual([
    ['pkg:pypi/flask@3.0.0', 'required', ['werk-zeug']],
    ['pkg:pypi/pytest@8.0.0', 'excluded', []],
    ['pkg:pypi/werk-zeug@3.1.0', 'optional', []],
  ]);
});

test('uv: the package of the folder is the project', async () => {
  const project = await read(SAMPLES['uv.lock']!);
  expect([project.root.name, project.dependsOn]).toEqual(['app', ['requests']]);
  expect(said(project).map(([purl]) => purl)).toEqual(['pkg:pypi/idna@3.6', 'pkg:pypi/requests@2.31.0']);
});

test('requirements: what has one version has it, what has none is named and noted', async () => {
  const project = await read(SAMPLES['requirements.txt']!);
  expect(said(project).map(([purl]) => purl)).toEqual([
    'pkg:pypi/at-url?download_url=https%3A%2F%2Fhost.example%2Fx-1.0.whl',
    'pkg:pypi/loose',
    'pkg:pypi/requests@2.31.0',
  ]);
  expect(project.notes?.map((note) => note.split(':')[0])).toEqual([
    'line 2 (other.txt)',
    'line 3',
    'line 4',
    'line 6 (loose)',
  ]);
  expect(project.packages.map(({ dependsOn }) => dependsOn)).toEqual([undefined, undefined, undefined]);
  expect(project.isIncomplete).toBe(true);
});

test('go.mod: replacements are made, indirect requirements are no need of the project', async () => {
  const project = await read(SAMPLES['go.mod']!);
  expect(project.root).toMatchObject({ name: 'example.com/app', purl: 'pkg:golang/example.com/app' });
  expect(said(project).map(([purl]) => purl)).toEqual([
    'pkg:golang/example.com/local',
    'pkg:golang/example.com/new@v2.0.0+incompatible',
    'pkg:golang/github.com/Acme/Lib@v1.2.3',
    'pkg:golang/golang.org/x/text@v0.14.0',
  ]);
  expect(project.dependsOn).toEqual(['github.com/Acme/Lib', 'example.com/old', 'example.com/local']);
  expect(project.notes).toEqual([
    expect.stringMatching(/^line 15: no module of the build/),
    expect.stringMatching(/^line 13 \(example\.com\/local\): replaced by a folder/),
  ]);
  expect(project.packages.map(({ dependsOn }) => dependsOn)).toEqual([undefined, undefined, undefined, undefined]);
});

test.each(
  Object.keys(SAMPLES).flatMap((name) => (['1.5', '1.6', '1.7'] as const).map((version) => [name, version] as const)),
)('the document of %s is valid CycloneDX %s', async (name, version) => {
  const bom = await lockfileBom(await read(SAMPLES[name]!), version);
  expect(validator.validateBom(bom).issues.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(bom.components?.length).toBeGreaterThan(1);
});

test('licences are ids, expressions or names, and one of a page is a name', async () => {
  const licences = [
    'MIT',
    'MIT OR ISC',
    'Acme House Licence',
    'UNLICENSED',
    'SEE LICENSE IN x',
    `MIT${' OR MIT'.repeat(5000)}`,
  ];
  const bom = await lockfileBom(
    {
      root: {},
      packages: licences.map((licence, i) => ({ key: String(i), name: `p${i}`, licence, dependsOn: [] })),
    },
    '1.7',
  );
  expect(bom.components?.map(({ licenses }) => Object.keys(licenses?.[0]?.license ?? licenses?.[0] ?? {})[0])).toEqual([
    'id',
    'expression',
    'name',
    'name',
    'name',
    'name',
  ]);
  expect(validator.validateBom(bom).valid).toBe(true);
});

test('files that are not what they are called are refused', async () => {
  for (const name of LOCKFILE_NAMES.filter((known) => !/txt$|mod$/.test(known))) {
    await expect(read({ [name]: '{"a": [}' }), name).rejects.toMatchObject({
      code: expect.stringMatching(/^feeds\.lockfile_/),
    });
  }
  await expect(read({ 'yarn.lock': '' })).rejects.toMatchObject({ code: 'feeds.lockfile_unsupported' });
  await expect(readLockfile('/nonexistent/Cargo.lock')).rejects.toMatchObject({ code: 'feeds.lockfile_invalid' });
});

test('aliases of YAML, which can grow without end, are not followed', async () => {
  const bomb = `lockfileVersion: '9.0'\na: &a [1,1]\nb: &b [*a,*a]\npackages: {c: *b}\n`;
  await expect(read({ 'pnpm-lock.yaml': bomb })).rejects.toMatchObject({ code: 'feeds.lockfile_invalid' });
});

test('whatever stands in it, a lockfile is read or refused', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...LOCKFILE_NAMES),
      fc.nat(),
      fc.nat(40),
      fc.string(),
      async (name, at, cut, put) => {
        const sample =
          SAMPLES[name]?.[name] ?? '{"lockfileVersion": 3, "packages": {"node_modules/a": {"version": "1"}}}';
        const place = at % sample.length;
        try {
          const project = await read({ [name]: sample.slice(0, place) + put + sample.slice(place + cut) });
          await lockfileBom(project, '1.7');
        } catch (error) {
          expect(error).toBeInstanceOf(GeneratorError);
        }
      },
    ),
    { numRuns: 200 },
  );
});
