import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { debianLayer, mergedPath, withFolders } from './debian-layer.ts';
import { ARCHITECTURES, packagesFor, readLock } from './lock.ts';
import { parsePrintedUri } from './renew-lock.ts';
import { readTar, type TarEntry, writeTar } from './tar.ts';

const file = (path: string, text = path, mode = 0o644): TarEntry => ({
  type: 'file',
  path,
  mode,
  content: Buffer.from(text),
});
const LIBRARY = file('lib/x86_64-linux-gnu/libc.so.6');
const COPYRIGHT = file('usr/share/doc/libc6/copyright');

async function written(entries: readonly TarEntry[]): Promise<Buffer> {
  const to = new PassThrough();
  const [bytes] = await Promise.all([buffer(to), writeTar(entries, new Date(1_000_000_000_000), to)]);
  return bytes;
}

/** The layer of one package with these files. */
function layerOf(...entries: readonly TarEntry[]): Map<string, TarEntry> {
  const locked = { ...readLock().packages[0], name: 'libc6' } as never;
  const control = 'Package: libc6\nVersion: 2.36\n';
  return new Map(debianLayer([{ locked, control, entries }]).map((entry) => [entry.path, entry]));
}

test('the lock has the same packages for each architecture, at one version each', () => {
  const [first, ...others] = ARCHITECTURES.map((architecture) =>
    packagesFor(architecture, readLock()).map(({ name, version }) => `${name} ${version}`),
  );
  expect(first).toContain(`libc6 ${readLock().packages.find(({ name }) => name === 'libc6')?.version}`);
  for (const other of others) expect(other).toEqual(first);
});

test.each([
  [
    "'http://mirror.example/debian/pool/main/g/gcc-12/libstdc%2b%2b6_12.2.0-14%2bdeb12u1_amd64.deb' libstdc++6_12.2.0-14+deb12u1_amd64.deb 612604 SHA256:5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d",
    {
      name: 'libstdc++6',
      version: '12.2.0-14+deb12u1',
      architecture: 'amd64',
      archive: 'debian',
      path: 'pool/main/g/gcc-12/libstdc++6_12.2.0-14+deb12u1_amd64.deb',
      sha256: '5cd3171216d4ab0fc911cfe9c35509bf2dd8f47761c43b7f6a4296701551a24d',
      size: 612_604,
    },
  ],
  [
    "'http://mirror.example/security/pool/updates/main/c/ca-certificates/ca-certificates_20250419%7edeb12u2_all.deb' ca-certificates_20250419~deb12u2_all.deb 160948 SHA256:b9f76b5271a7ac373fd5e7e1b5b826a71ddd702b42a0d104955ecb1acfffc94b",
    { name: 'ca-certificates', version: '20250419~deb12u2', architecture: 'all', archive: 'debian-security' },
  ],
])('what apt prints is read: %s', (line, expected) => {
  expect(parsePrintedUri(line)).toMatchObject(expected);
});

test('a package without SHA-256 is not taken', () => {
  expect(parsePrintedUri("'http://mirror.example/debian/pool/a_1_all.deb' a_1_all.deb 1 MD5Sum:00")).toBeUndefined();
});

test('the order in which entries are given is not in the bytes, and they are read back', async () => {
  const entries: TarEntry[] = [
    { type: 'directory', path: 'etc', mode: 0o755 },
    file('etc/a', 'x'),
    { type: 'symlink', path: 'lib', mode: 0o777, target: 'usr/lib' },
  ];
  const bytes = await written(entries);
  expect((await written(entries.toReversed())).equals(bytes)).toBe(true);
  expect(await readTar(bytes)).toEqual(entries);
});

test.each([
  ['lib/x/libc.so.6', 'usr/lib/x/libc.so.6'],
  ['lib64/ld.so', 'usr/lib64/ld.so'],
  ['library/a', 'library/a'],
  ['usr/lib/a', 'usr/lib/a'],
])('%s lies at %s', (path, merged) => {
  expect(mergedPath(path)).toBe(merged);
});

test('libraries and copyright files are kept; programs, manuals and converters are not', () => {
  const dropped = ['usr/sbin/update', 'bin/sh', 'usr/share/man/a', 'usr/share/doc/libc6/NEWS.gz', 'etc/profile.d/a'];
  const gconv = file('usr/lib/x86_64-linux-gnu/gconv/UTF-7.so');
  const layer = layerOf(LIBRARY, COPYRIGHT, gconv, ...dropped.map((path) => file(path)));
  expect(layer.has('usr/lib/x86_64-linux-gnu/libc.so.6')).toBe(true);
  expect(layer.has(COPYRIGHT.path)).toBe(true);
  for (const path of [...dropped, gconv.path]) expect(layer.has(mergedPath(path)), path).toBe(false);
});

test('certificates are one file, sorted by name, and each ends its line', () => {
  const at = (name: string) => `usr/share/ca-certificates/mozilla/${name}.crt`;
  const bundle = layerOf(file(at('b'), 'B'), file(at('a'), 'A\n\n')).get('etc/ssl/certs/ca-certificates.crt');
  expect(bundle).toMatchObject({ content: Buffer.from('A\nB\n') });
});

test('dpkg is told that a package is installed', () => {
  const status = layerOf(LIBRARY).get('var/lib/dpkg/status.d/libc6');
  const content = Buffer.from('Package: libc6\nStatus: install ok installed\nVersion: 2.36\n');
  expect(status).toMatchObject({ content });
});

test('a path that two packages have is refused', () => {
  expect(() => withFolders([file('a/b'), file('a/b')])).toThrow('a/b');
});
