import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { tarGz, zip } from '@colophon/testkit/package-registry/archives';
import { type Registry, startRegistry } from '@colophon/testkit/package-registry/registry';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_REGISTRIES } from './default-registries.ts';
import { fetchSourcePackage, type SourcePackageOptions } from './source-package.ts';

const TOKEN = 'npm_CanaryOfTheRegistry0123456789';
let registry: Registry;
let home: string;

beforeEach(async () => {
  registry = await startRegistry(onTestFinished);
  home = temporaryFolder(onTestFinished);
});

function get(purl: string, options: Partial<SourcePackageOptions> = {}) {
  return fetchSourcePackage(purl, { ...options, env: { HOME: home, ...options.env } });
}

function hash(algorithm: string, bytes: Uint8Array, encoding: 'hex' | 'base64' = 'hex'): string {
  return createHash(algorithm).update(bytes).digest(encoding);
}

async function publishNpm(name = 'pad', { integrity }: { integrity?: string } = {}): Promise<Uint8Array> {
  const archive = await tarGz({ 'package/package.json': '{"license":"MIT"}', 'package/index.js': 'x' });
  const tarball = `${registry.url}/${name}/-/pad-1.0.0.tgz`;
  const dist = { tarball, integrity: integrity ?? `sha512-${hash('sha512', archive, 'base64')}` };
  registry.files[`/${name.replace('/', '%2F').replace('@', '%40')}`] = JSON.stringify({
    versions: { '1.0.0': { dist } },
  });
  registry.files[`/${name}/-/pad-1.0.0.tgz`] = archive;
  return archive;
}

describe('npm', () => {
  test('a package comes from the configured registry, held against its integrity', async () => {
    await publishNpm();
    const source = await get('pkg:npm/pad@1.0.0', { env: { npm_config_registry: registry.url } });
    expect(source).toMatchObject({ name: 'pad', version: '1.0.0', licence: 'MIT', integrity: 'sha512' });
    expect(source.files.map(({ path }) => path)).toEqual(['index.js', 'package.json']);
    expect(source.origin).toBe(`${registry.url}/pad/-/pad-1.0.0.tgz`);
  });

  test('a scoped one from the registry of its scope, with the token of that registry', async () => {
    await publishNpm('@acme/pad');
    const { host } = new URL(registry.url);
    writeFileSync(join(home, '.npmrc'), `@acme:registry=${registry.url}\n//${host}/:_authToken=\${ACME_TOKEN}\n`);
    const env = { ACME_TOKEN: TOKEN, npm_config_registry: 'http://127.0.0.1:1/' };
    expect(await get('pkg:npm/%40acme/pad@1.0.0', { env })).toMatchObject({ name: '@acme/pad' });
    expect(registry.requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${TOKEN}`,
      `Bearer ${TOKEN}`,
    ]);
  });

  const BY_NPM = [
    { npm_execpath: '/usr/lib/node_modules/npm/bin/npm-cli.js' },
    { npm_command: 'exec' },
    { npm_lifecycle_event: 'npx' },
    { npm_config_user_agent: 'yarn/1.22.22 npm/? node/v24.0.0 linux x64' },
  ];

  test.each(BY_NPM)('what npm hands on may be the project’s, and is refused: %o', async (started) => {
    const project = temporaryFolder(onTestFinished);
    writeFileSync(join(project, '.npmrc'), `registry=${registry.url}\n`);
    for (const handedOn of [
      { npm_config_registry: registry.url },
      { npm_config_userconfig: join(project, '.npmrc') },
      { npm_config_userconfig: join(project, '.npmrc'), NPM_CONFIG_REGISTRY: registry.url },
    ]) {
      await expect(get('pkg:npm/pad@1.0.0', { env: { ...started, ...handedOn } })).rejects.toMatchObject({
        code: 'feeds.registry_unclear',
        facts: { checked: Object.keys(handedOn)[0] },
      });
    }
    expect(registry.requests).toHaveLength(0);
  });

  test.each(BY_NPM)('but not what the reader has anyway, or wrote in capitals: %o', async (started) => {
    await publishNpm();
    const npm = { ...started, npm_config_userconfig: join(home, '.npmrc') };
    const capitals = { ...npm, npm_config_registry: 'http://127.0.0.1:1/', NPM_CONFIG_REGISTRY: registry.url };
    expect(await get('pkg:npm/pad@1.0.0', { env: capitals })).toMatchObject({ name: 'pad' });
    const other = join(temporaryFolder(onTestFinished), 'npmrc');
    writeFileSync(other, `registry=${registry.url}\n`);
    const chosen = { ...npm, npm_config_userconfig: '/nowhere', NPM_CONFIG_USERCONFIG: other };
    expect(await get('pkg:npm/pad@1.0.0', { env: chosen })).toMatchObject({ name: 'pad' });
    writeFileSync(join(home, '.npmrc'), `registry=${registry.url}\n`);
    // npm writes the address out.
    for (const handedOn of [{}, { npm_config_registry: registry.url }, { npm_config_registry: `${registry.url}/` }]) {
      expect(await get('pkg:npm/pad@1.0.0', { env: { ...npm, ...handedOn } })).toMatchObject({ name: 'pad' });
    }
    // Not even the public registry in the place of the reader's own.
    const env = { ...npm, npm_config_registry: DEFAULT_REGISTRIES.npm };
    await expect(get('pkg:npm/pad@1.0.0', { env })).rejects.toMatchObject({ code: 'feeds.registry_unclear' });
  });

  test('a token follows neither a tarball nor a redirect to another host', async () => {
    const archive = await publishNpm();
    const elsewhere = await startRegistry(onTestFinished, { '/pad.tgz': archive });
    const other = elsewhere.url.replace('127.0.0.1', 'localhost');
    writeFileSync(join(home, '.npmrc'), `//${new URL(registry.url).host}/:_authToken=${TOKEN}\n`);
    registry.files['/pad/-/pad-1.0.0.tgz'] = () => ({ status: 302, headers: { location: `${other}/pad.tgz` } });
    const env = { npm_config_registry: registry.url };
    await expect(get('pkg:npm/pad@1.0.0', { env })).rejects.toMatchObject({ code: 'feeds.address_refused' });
    expect(elsewhere.requests).toHaveLength(0);
    // Over TLS such a redirect is followed, without the token.
    const asked: Array<[string, unknown]> = [];
    const fetch = async (input: unknown, init?: RequestInit) => {
      const url = new URL(String(input));
      asked.push([url.host, new Headers(init?.headers).get('authorization')]);
      return globalThis.fetch(url.protocol === 'https:' ? `${elsewhere.url}/pad.tgz` : url, init);
    };
    registry.files['/pad/-/pad-1.0.0.tgz'] = () => ({
      status: 302,
      headers: { location: 'https://cdn.invalid/pad.tgz' },
    });
    await get('pkg:npm/pad@1.0.0', { env, fetch: fetch as typeof globalThis.fetch });
    const { host } = new URL(registry.url);
    expect(asked).toEqual([
      [host, `Bearer ${TOKEN}`],
      [host, `Bearer ${TOKEN}`],
      ['cdn.invalid', null],
    ]);
  });

  test('nor is anything fetched where the registry only says so: without TLS, or in a private network', async () => {
    const archive = await publishNpm();
    const elsewhere = await startRegistry(onTestFinished, { '/pad.tgz': archive });
    const env = { npm_config_registry: registry.url };
    const { port } = new URL(elsewhere.url);
    for (const tarball of [
      `${elsewhere.url}/pad.tgz`,
      'http://cdn.invalid/pad.tgz',
      `https://2130706433:${port}/pad.tgz`,
      'https://169.254.169.254/latest/meta-data/',
      'https://[::ffff:10.0.0.1]/pad.tgz',
    ]) {
      registry.files['/pad'] = JSON.stringify({ versions: { '1.0.0': { dist: { tarball } } } });
      await expect(get('pkg:npm/pad@1.0.0', { env })).rejects.toMatchObject({ code: 'feeds.address_refused' });
    }
    expect(elsewhere.requests).toHaveLength(0);
  });

  test('other bytes than announced are refused', async () => {
    await publishNpm('pad', { integrity: `sha512-${'A'.repeat(86)}==` });
    const got = get('pkg:npm/pad@1.0.0', { env: { npm_config_registry: registry.url } });
    await expect(got).rejects.toMatchObject({ code: 'feeds.package_integrity' });
  });

  test("and so are others than the package URL's checksum", async () => {
    const archive = await publishNpm();
    const env = { npm_config_registry: registry.url };
    const right = `pkg:npm/pad@1.0.0?checksum=sha256:${hash('sha256', archive)}`;
    expect(await get(right, { env })).toMatchObject({ integrity: 'sha512' });
    expect(await get(right.toUpperCase().replace(/^[^?]*/, 'pkg:npm/pad@1.0.0'), { env })).toMatchObject({
      name: 'pad',
    });
    for (const wrong of [`pkg:npm/pad@1.0.0?checksum=sha256:${'0'.repeat(64)}`, `${right}a`, `${right}z`]) {
      await expect(get(wrong, { env })).rejects.toMatchObject({ code: 'feeds.package_integrity' });
    }
  });

  // npm compares the texts, so it installs none of these.
  test.each([
    ['without padding', (sri: string) => sri.replace(/=+$/, '')],
    ['with more behind its padding', (sri: string) => `${sri}==bW9yZQ`],
    [
      'with unused bits',
      (sri: string) =>
        sri.replace(/.==$/, (end) => `${end === 'A==' ? 'B' : end === 'Q==' ? 'R' : end === 'g==' ? 'h' : 'x'}==`),
    ],
  ])('an integrity %s is not that of the package', async (_what, change) => {
    const archive = await publishNpm();
    const env = { npm_config_registry: registry.url };
    const right = `sha512-${hash('sha512', archive, 'base64')}`;
    await publishNpm('pad', { integrity: `sha1-AAAA ${right}?note\tsha384-AAAA` });
    expect(await get('pkg:npm/pad@1.0.0', { env })).toMatchObject({ integrity: 'sha512' });
    await publishNpm('pad', { integrity: change(right) });
    await expect(get('pkg:npm/pad@1.0.0', { env })).rejects.toMatchObject({ code: 'feeds.package_integrity' });
  });

  test('a package URL does not choose the registry', async () => {
    await publishNpm();
    const env = { npm_config_registry: registry.url };
    const own = encodeURIComponent(registry.url);
    expect(await get(`pkg:npm/pad@1.0.0?repository_url=${own}`, { env })).toMatchObject({ name: 'pad' });
    const other = get('pkg:npm/pad@1.0.0?repository_url=https://evil.invalid', { env });
    await expect(other).rejects.toMatchObject({ code: 'feeds.purl_unsupported' });
  });

  test.each([
    ['no such package', { status: 404 }, 'feeds.package_not_found'],
    ['another version', { body: '{"versions":{}}' }, 'feeds.package_not_found'],
    ['a version named like a member of every object', { body: '{"versions":{}}' }, 'feeds.package_not_found'],
    ['a page of HTML', { body: '<html>' }, 'feeds.registry_answer_invalid'],
    ['401', { status: 401 }, 'feeds.registry_refused'],
    ['503', { status: 503 }, 'feeds.registry_unreachable'],
    ['a circle', { status: 302, headers: { location: '/pad' } }, 'feeds.address_refused'],
  ])('%s has its code', async (what, answer, code) => {
    registry.files['/pad'] = () => answer;
    const version = what.startsWith('a version') ? 'constructor' : '1.0.0';
    const got = get(`pkg:npm/pad@${version}`, { env: { npm_config_registry: registry.url } });
    await expect(got).rejects.toMatchObject({ code });
  });

  test('a registry that is slow or endless is left', async () => {
    const env = { npm_config_registry: registry.url };
    registry.files['/pad'] = () => 'never';
    const slow = get('pkg:npm/pad@1.0.0', { env, timeoutMs: 20 });
    await expect(slow).rejects.toMatchObject({ code: 'feeds.registry_unreachable' });
    registry.files['/pad'] = 'x'.repeat(2000);
    const long = get('pkg:npm/pad@1.0.0', { env, limits: { maxDownloadBytes: 1000 } });
    await expect(long).rejects.toMatchObject({ code: 'feeds.package_too_large' });
  });

  test('no error holds a token or a login', async () => {
    registry.files['/pad'] = () => ({ status: 403, body: TOKEN });
    writeFileSync(join(home, '.npmrc'), `//${new URL(registry.url).host}/:_authToken=${TOKEN}\n`);
    const login = registry.url.replace('//', `//user:${TOKEN}@`);
    for (const address of [registry.url, login]) {
      const error = await get('pkg:npm/pad@1.0.0', { env: { npm_config_registry: address } }).catch((caught) => caught);
      expect(JSON.stringify([error, error.message, error.stack, String(error.cause)])).not.toContain(TOKEN);
    }
    const clear = get('pkg:npm/pad@1.0.0', { env: { npm_config_registry: `http://user:${TOKEN}@registry.invalid/` } });
    await expect(clear).rejects.toMatchObject({ code: 'feeds.address_refused' });
  });
});

describe('pypi', () => {
  const PKG_INFO = 'Metadata-Version: 2.1\nName: Foo.Bar\nLicense: MIT\n\n';

  test.each([
    [
      'JSON',
      (url: string, sha: string) =>
        JSON.stringify({ files: [{ filename: 'foo_bar-1.0.tar.gz', url, hashes: { sha256: sha } }] }),
    ],
    [
      'HTML',
      (url: string, sha: string) => `<html><a class="x" href="${url}#sha256=${sha}">foo_bar-1.0.tar.gz</a></html>`,
    ],
  ])('an sdist comes from an index that speaks %s', async (_kind, page) => {
    const archive = await tarGz({ 'foo_bar-1.0/PKG-INFO': PKG_INFO, 'foo_bar-1.0/foo.py': 'x' });
    registry.files['/simple/foo-bar/'] = page('../../files/foo_bar-1.0.tar.gz', hash('sha256', archive));
    registry.files['/files/foo_bar-1.0.tar.gz'] = archive;
    const env = { PIP_INDEX_URL: `${registry.url}/simple` };
    expect(await get('pkg:pypi/Foo.Bar@1.0', { env })).toMatchObject({ licence: 'MIT', integrity: 'sha256' });
    await expect(get('pkg:pypi/foo-bar@1.1', { env })).rejects.toMatchObject({ code: 'feeds.package_not_found' });
    registry.files['/files/foo_bar-1.0.tar.gz'] = await tarGz({ 'foo_bar-1.0/foo.py': 'y' });
    await expect(get('pkg:pypi/foo-bar@1.0', { env })).rejects.toMatchObject({ code: 'feeds.package_integrity' });
  });

  test('a name that would be a pattern is a name', async () => {
    const filename = 'c++-1.0.tar.gz';
    registry.files['/c%2B%2B/'] = JSON.stringify({ files: [{ filename, url: '/c.tar.gz', hashes: {} }] });
    registry.files['/c.tar.gz'] = await tarGz({ 'c-1.0/c.py': 'x' });
    const env = { PIP_INDEX_URL: registry.url };
    expect(await get('pkg:pypi/c%2B%2B@1.0', { env })).toMatchObject({ files: [{ path: 'c.py' }] });
  });

  test('a page that is made to be slow is read at once', async () => {
    const blanks = ' '.repeat(200_000);
    registry.files['/foo/'] = `${'<a '.repeat(200_000)}<a href${blanks}<a href="foo-1${'.0'.repeat(200_000)}.1.zip">`;
    const env = { PIP_INDEX_URL: registry.url };
    await expect(get('pkg:pypi/foo@1.0', { env })).rejects.toMatchObject({ code: 'feeds.package_not_found' });
  });

  test('a pure wheel stands in for an sdist, a binary one does not', async () => {
    const wheel = zip([
      { name: 'foo/__init__.py', content: 'x' },
      { name: 'foo-1.0.dist-info/METADATA', content: PKG_INFO },
      { name: 'foo-1.0.dist-info/licenses/LICENSE', content: 'text' },
    ]);
    const page = (filename: string) => JSON.stringify({ files: [{ filename, url: '/w.whl', hashes: {} }] });
    registry.files['/w.whl'] = wheel;
    registry.files['/foo/'] = page('foo-1.0-py3-none-any.whl');
    const env = { PIP_INDEX_URL: registry.url };
    const source = await get('pkg:pypi/foo@1.0.0', { env });
    expect(source).toMatchObject({ licence: 'MIT', integrity: 'unchecked', licenceTexts: [{ text: 'text' }] });
    registry.files['/foo/'] = page('foo-1.0-cp312-cp312-win_amd64.whl');
    await expect(get('pkg:pypi/foo@1.0', { env })).rejects.toMatchObject({ code: 'feeds.package_not_found' });
  });
});

test('a crate comes from a sparse index, held against its checksum', async () => {
  const archive = await tarGz({
    'pad-1.0.0/Cargo.toml': '[package]\nlicense = "MIT/Apache-2.0"\n',
    'pad-1.0.0/src/lib.rs': '',
  });
  const entry = (vers: string, cksum: string) => JSON.stringify({ name: 'pad', vers, cksum });
  registry.files['/config.json'] = JSON.stringify({ dl: `${registry.url}/dl/{prefix}/{crate}-{version}.crate` });
  registry.files['/3/p/pad'] = `${entry('0.9.0', '')}\n${entry('1.0.0', hash('sha256', archive))}\n`;
  registry.files['/dl/3/p/pad-1.0.0.crate'] = archive;
  const registries = { cargo: `sparse+${registry.url}` };
  expect(await get('pkg:cargo/pad@1.0.0', { registries })).toMatchObject({
    licence: 'MIT OR Apache-2.0',
    integrity: 'sha256',
  });
  await expect(get('pkg:cargo/pad@2.0.0', { registries })).rejects.toMatchObject({ code: 'feeds.package_not_found' });
  registry.files['/3/p/pad'] = entry('1.0.0', '0'.repeat(64));
  await expect(get('pkg:cargo/pad@1.0.0', { registries })).rejects.toMatchObject({ code: 'feeds.package_integrity' });
});

describe('golang', () => {
  const ROOT = 'example.com/Acme/pad@v1.0.0';
  const archive = zip([
    { name: `${ROOT}/pad.go`, content: 'package pad\n' },
    { name: `${ROOT}/LICENSE`, content: 'text' },
  ]);
  // As golang.org/x/mod/sumdb/dirhash defines Hash1.
  const lines = [
    `${hash('sha256', Buffer.from('text'))}  ${ROOT}/LICENSE\n`,
    `${hash('sha256', Buffer.from('package pad\n'))}  ${ROOT}/pad.go\n`,
  ];
  const H1 = `h1:${hash('sha256', Buffer.from(lines.join('')), 'base64')}`;

  test('a module comes from the first proxy, held against go.sum where that lists it', async () => {
    registry.files['/example.com/!acme/pad/@v/v1.0.0.zip'] = archive;
    const options = { env: { GOPROXY: `${registry.url},direct` }, goSumFolders: [home] };
    const purl = 'pkg:golang/example.com/Acme/pad@v1.0.0';
    expect(await get(purl, options)).toMatchObject({ integrity: 'unchecked', licenceTexts: [{ text: 'text' }] });
    writeFileSync(join(home, 'go.sum'), `example.com/Acme/pad v1.0.0 ${H1}\n`);
    expect(await get(purl, options)).toMatchObject({ integrity: 'h1' });
    writeFileSync(join(home, 'go.sum'), `example.com/Acme/pad v1.0.0 h1:AAAA\n`);
    await expect(get(purl, options)).rejects.toMatchObject({ code: 'feeds.package_integrity' });
  });

  test('a file outside the module is refused, and so is a proxy that is none', async () => {
    registry.files['/example.com/pad/@v/v1.0.0.zip'] = archive;
    const purl = 'pkg:golang/example.com/pad@v1.0.0';
    await expect(get(purl, { env: { GOPROXY: registry.url } })).rejects.toMatchObject({
      code: 'feeds.archive_refused',
    });
    await expect(get(purl, { env: { GOPROXY: 'direct' } })).rejects.toMatchObject({ code: 'feeds.purl_unsupported' });
  });
});

test("an artifact's sources come from a Maven repository, with the licence of its parent", async () => {
  const jar = zip([{ name: 'org/acme/Pad.java', content: 'class Pad {}' }]);
  const base = '/org/acme/pad/1.0/pad-1.0';
  registry.files[`${base}-sources.jar`] = jar;
  registry.files[`${base}-sources.jar.sha1`] = `${hash('sha1', jar)}  pad-1.0-sources.jar\n`;
  registry.files[`${base}.pom`] =
    '<project><parent><groupId>org.acme</groupId><artifactId>top</artifactId><version>7</version></parent></project>';
  registry.files['/org/acme/top/7/top-7.pom'] = '<licenses><license><name>EPL-2.0</name></license></licenses>';
  const registries = { maven: registry.url };
  const source = await get('pkg:maven/org.acme/pad@1.0', { registries });
  expect(source).toMatchObject({ name: 'org.acme:pad', licence: 'EPL-2.0', integrity: 'sha1' });
  registry.files[`${base}-sources.jar.sha256`] = '0'.repeat(64);
  await expect(get('pkg:maven/org.acme/pad@1.0', { registries })).rejects.toMatchObject({
    code: 'feeds.package_integrity',
  });
});

test('a repository comes by tag, and nothing vouches for its bytes but the package URL', async () => {
  const archive = await tarGz({ 'pad-1/pad.c': 'int x;', 'pad-1/COPYING': 'text' });
  registry.files['/acme/pad/tar.gz/release/1'] = archive;
  const registries = { github: registry.url };
  expect(await get('pkg:github/acme/pad@release/1', { registries })).toMatchObject({ integrity: 'unchecked' });
  const purl = `pkg:github/acme/pad@release/1?checksum=sha256:${hash('sha256', archive)}`;
  expect(await get(purl, { registries })).toMatchObject({ integrity: 'sha256', name: 'acme/pad' });
});
