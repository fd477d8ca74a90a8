import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { isMissing, run, TOOLS } from './programs.ts';

const REPOSITORY = join(import.meta.dirname, '..');
const COLOPHON = join(REPOSITORY, 'packages/program/cli/bin/colophon.js');
// It comes with npm ci, and its program lies where Colophon looks for what was installed with it.
const CYCLONEDX_NPM: { version: string } = JSON.parse(
  readFileSync(join(REPOSITORY, 'node_modules/@cyclonedx/cyclonedx-npm/package.json'), 'utf8'),
);
const EPOCH = '1763719200';

let folder: string;
const at = (...names: string[]) => join(folder, ...names);
const put = (name: string, content: string | object | Uint8Array) => {
  mkdirSync(dirname(at(name)), { recursive: true });
  const isBytes = typeof content === 'string' || content instanceof Uint8Array;
  writeFileSync(at(name), isBytes ? content : JSON.stringify(content));
};
const colophon = (args: readonly string[], env: Record<string, string> = {}) =>
  run(process.execPath, [COLOPHON, ...args], { cwd: folder, env });

/** Makes a document, twice, and answers with it: valid by every check, and the same bytes both times. */
async function create(args: readonly string[], env: Record<string, string> = {}) {
  const line = ['sbom', 'create', '--supplier-name', 'ACME', '--supplier-url', 'https://acme.example', ...args];
  const fixed = { SOURCE_DATE_EPOCH: EPOCH, ...env };
  const made = await colophon([...line, '--out', at('made.cdx.json')], fixed);
  expect(made.code, made.stderr).toBe(0);
  const text = readFileSync(at('made.cdx.json'), 'utf8');
  const again = await colophon(line, { ...fixed, TZ: 'Asia/Tokyo', LC_ALL: 'tr_TR.UTF-8' });
  expect(again.stdout).toBe(text);
  const valid = await colophon(['sbom', 'validate', '--fail-on', 'warning', at('made.cdx.json')]);
  expect(valid.code, valid.stdout).toBe(0);
  expect(text).not.toContain(folder);
  // biome-ignore lint/suspicious/noExplicitAny: the test says what must be in it
  return { said: made.stdout, document: JSON.parse(text) as any };
}

const namesOf = (document: { components: Array<{ group?: string; name: string; version: string }> }) =>
  document.components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`).sort();

beforeEach(() => {
  folder = temporaryFolder(onTestFinished);
});

function npmProject(): void {
  const manifest = {
    name: '@acme/app',
    version: '1.2.3',
    license: 'MIT',
    dependencies: { left: '^1.0.0', '@b/c': '^2.0.0' },
  };
  const left = { name: 'left', version: '1.0.0', license: 'MIT', dependencies: { '@b/c': '^2.0.0' } };
  const other = { name: '@b/c', version: '2.0.1', license: 'ISC' };
  put('app/package.json', manifest);
  put('app/node_modules/left/package.json', left);
  put('app/node_modules/@b/c/package.json', other);
  const { name, version } = manifest;
  put('app/package-lock.json', {
    ...{ name, version, lockfileVersion: 3 },
    packages: {
      '': manifest,
      'node_modules/left': { ...left, name: undefined },
      'node_modules/@b/c': { ...other, name: undefined },
    },
  });
}

describe('the real cyclonedx-npm', () => {
  test.each(['1.7', '1.6'])('is taken for an npm project, in CycloneDX %s', async (version) => {
    npmProject();
    const { said, document } = await create(['--spec-version', version, at('app')]);
    expect(said).toContain(`by cyclonedx-npm ${CYCLONEDX_NPM.version}`);
    expect(document.specVersion).toBe(version);
    expect(document.metadata.component).toMatchObject({
      ...{ type: 'application', group: '@acme', name: 'app', version: '1.2.3', purl: 'pkg:npm/%40acme/app@1.2.3' },
      supplier: { name: 'ACME', url: ['https://acme.example'] },
    });
    const tools = document.metadata.tools.components.map(({ name }: { name: string }) => name);
    expect(tools).toEqual(expect.arrayContaining(['cyclonedx-npm', 'colophon']));
    expect(namesOf(document)).toEqual(['@b/c@2.0.1', 'left@1.0.0']);
  });

  test('says the same components as the lockfile does', async () => {
    npmProject();
    const byProgram = await create([at('app')]);
    writeFileSync(at('program.cdx.json'), JSON.stringify(byProgram.document));
    const byLockfile = await create(['--generator', 'lockfile', at('app')]);
    expect(namesOf(byLockfile.document)).toEqual(namesOf(byProgram.document));
    const diff = await colophon(['sbom', 'diff', '-o', 'json', at('program.cdx.json'), at('made.cdx.json')]);
    const { added_components, removed_components, added_dependencies, removed_dependencies } = JSON.parse(diff.stdout);
    expect([added_components, removed_components, added_dependencies, removed_dependencies]).toEqual([[], [], [], []]);
  });

  test('without installed packages it reads the lockfile', async () => {
    npmProject();
    const { packages, ...lockfile } = JSON.parse(readFileSync(at('app/package-lock.json'), 'utf8'));
    put('bare/package.json', readFileSync(at('app/package.json')));
    put('bare/package-lock.json', { ...lockfile, packages });
    const { said, document } = await create([at('bare')]);
    expect(said).toContain('by cyclonedx-npm');
    expect(namesOf(document)).toEqual(['@b/c@2.0.1', 'left@1.0.0']);
  });

  test('its failure is told in its own words', async () => {
    npmProject();
    put('app/node_modules/left/package.json', { name: 'left', version: '9.0.0' });
    const failed = await colophon(['sbom', 'create', at('app'), '-o', 'json']);
    const { error } = JSON.parse(failed.stdout);
    expect([failed.code, error.code]).toEqual([2, 'feeds.generator_failed']);
    expect(error.found).toContain('left@9.0.0');
  });

  test('makes the SBOM of this repository, with every package of it', async () => {
    const { said, document } = await create([REPOSITORY]);
    expect(said).toContain('by cyclonedx-npm');
    const names = namesOf(document).map((name) => name.replace(/@[^@]*$/, ''));
    expect(names).toEqual(expect.arrayContaining(['@colophon/cli', '@colophon/sbom', 'fastify', 'ajv']));
    const root = document.dependencies.find(
      ({ ref }: { ref: string }) => ref === document.metadata.component['bom-ref'],
    );
    expect(root.dependsOn.length).toBeGreaterThan(15);
  });
});

describe.skipIf(isMissing('syft'))('the real syft', () => {
  const PATH = { PATH: [TOOLS, dirname(process.execPath), process.env['PATH']].join(delimiter) };

  test.each(['1.7', '1.6'])('is taken for a folder of another kind, in CycloneDX %s', async (version) => {
    put('--app/go.mod', 'module example.com/app\n\ngo 1.22\n\nrequire github.com/acme/lib v1.2.3\n');
    put('--app/requirements.txt', 'requests==2.31.0\n');
    // What the scanned folder says must not decide how it is scanned.
    put('--app/.syft.yaml', 'output: [json]\nexclude: ["**/requirements.txt"]\n');
    const { said, document } = await create(['--spec-version', version, '--component-version', '1', at('--app')], PATH);
    expect(said).toMatch(/by syft \d+\.\d+\.\d+/);
    expect(document.specVersion).toBe(version);
    expect(document.metadata.component).toMatchObject({ type: 'application', name: 'example.com/app', version: '1' });
    expect(namesOf(document)).toEqual(['github.com/acme/lib@v1.2.3', 'requests@2.31.0']);
  });

  test('is taken for an image layout and an image archive', async () => {
    ociLayout('image');
    const { said, document } = await create([at('image')], PATH);
    expect(said).toContain('by syft');
    expect(document.metadata.component).toMatchObject({ type: 'container', name: 'image' });
    expect(namesOf(document)).toEqual(expect.arrayContaining(['musl@1.2.5-r0']));
    const packed = await run('tar', ['-C', at('image'), '-cf', at('image.tar'), 'oci-layout', 'index.json', 'blobs']);
    expect(packed.code).toBe(0);
    const archive = await create(['--component-name', 'app', '--component-version', '1', at('image.tar')], PATH);
    expect(namesOf(archive.document)).toEqual(expect.arrayContaining(['musl@1.2.5-r0']));
  });

  test('what is no image is told in its own words', async () => {
    put('image/oci-layout', '{}');
    put('image/index.json', '{}');
    const failed = await colophon(['sbom', 'create', at('image'), '-o', 'json'], PATH);
    expect([failed.code, JSON.parse(failed.stdout).error.code]).toEqual([2, 'feeds.generator_failed']);
  });
});

/** An image of one layer with what apk writes down about one package. */
function ociLayout(name: string): void {
  const blob = (content: Uint8Array, mediaType: string) => {
    const hex = createHash('sha256').update(content).digest('hex');
    put(`${name}/blobs/sha256/${hex}`, content);
    return { mediaType, digest: `sha256:${hex}`, size: content.length };
  };
  const json = (value: object) => Buffer.from(JSON.stringify(value));
  const layer = tar({
    'etc/os-release': 'ID=alpine\nVERSION_ID=3.20.0\nNAME="Alpine Linux"\n',
    'lib/apk/db/installed': 'P:musl\nV:1.2.5-r0\nA:x86_64\nL:MIT\no:musl\nm:dana@example.com\n\n',
  });
  const layerBlob = blob(layer, 'application/vnd.oci.image.layer.v1.tar');
  const config = blob(
    json({
      ...{ architecture: 'amd64', os: 'linux', config: {} },
      rootfs: { type: 'layers', diff_ids: [layerBlob.digest] },
    }),
    'application/vnd.oci.image.config.v1+json',
  );
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = blob(json({ schemaVersion: 2, mediaType, config, layers: [layerBlob] }), mediaType);
  put(`${name}/oci-layout`, { imageLayoutVersion: '1.0.0' });
  put(`${name}/index.json`, { schemaVersion: 2, manifests: [manifest] });
}

/** POSIX ustar of regular files. */
function tar(files: Readonly<Record<string, string>>): Uint8Array {
  const blocks = Object.entries(files).flatMap(([path, text]) => {
    const content = Buffer.from(text);
    const header = Buffer.alloc(512);
    header.write(path, 0);
    header.write('0000644\u00000000000\u00000000000\u0000', 100, 'latin1');
    header.write(`${content.length.toString(8).padStart(11, '0')}\u000000000000000\u0000        0`, 124, 'latin1');
    header.write('ustar\u000000', 257, 'latin1');
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\u0000 `, 148, 'latin1');
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}
