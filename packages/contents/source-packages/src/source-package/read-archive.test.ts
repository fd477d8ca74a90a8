import { gzipSync } from 'node:zlib';
import { tarGz, zip } from '@colophon/testkit/package-registry/archives';
import { describe, expect, test } from 'vitest';
import { readTarGz, readZip } from './read-archive.ts';
import { DEFAULT_SOURCE_LIMITS } from './source-limits.ts';

const OPTIONS = { checked: 'pkg:npm/a@1', limits: DEFAULT_SOURCE_LIMITS, root: 'any' } as const;
const LICENCE = { 'package/LICENSE': 'MIT License', 'package/index.js': 'x' };

/** Both kinds of archive with the same entries. */
const KINDS = [
  ['tar.gz', (files: Record<string, string | Uint8Array>) => tarGz(files), readTarGz],
  [
    'zip',
    async (files: Record<string, string | Uint8Array>) =>
      zip(Object.entries(files).map(([name, content]) => ({ name, content }))),
    readZip,
  ],
] as const;

describe.each(KINDS)('a %s', (_kind, make, read) => {
  test('gives its files without the folder around them, and the licence texts among them', async () => {
    const archive = await make({ ...LICENCE, 'package/src/deep/é.js': 'y', 'package/bin': new Uint8Array([1, 0, 2]) });
    const { files, licenceTexts, skipped } = await read(archive, OPTIONS);
    expect(files.map(({ path }) => path)).toEqual(['LICENSE', 'index.js', 'src/deep/é.js']);
    expect(licenceTexts).toEqual([{ path: 'LICENSE', text: 'MIT License' }]);
    expect(skipped).toEqual([{ path: 'bin', reason: 'binary' }]);
  });

  test.each([
    ['../evil'],
    ['package/../../evil'],
    ['/etc/passwd'],
    ['C:\\evil'],
    ['package\\..\\..\\evil'],
    ['\\\\host\\evil'],
  ])('with the name %j is refused whole', async (name) => {
    const archive = await make({ ...LICENCE, [name]: 'x' });
    await expect(read(archive, OPTIONS)).rejects.toMatchObject({ code: 'feeds.archive_refused' });
  });

  test('leaves out a name with a backslash and what lies outside the folder', async () => {
    const { files, skipped } = await read(await make({ ...LICENCE, 'package/a\\b': 'x', 'root.js': 'y' }), OPTIONS);
    expect(files).toHaveLength(2);
    expect(skipped.map(({ path }) => path).sort()).toEqual(['package/a\\b', 'root.js']);
  });

  test.each([
    ['expanded bytes', { maxExpandedBytes: 1000 }],
    ['files', { maxFiles: 1 }],
  ])('over the limit of %s is refused', async (_what, limits) => {
    const archive = await make({ ...LICENCE, 'package/long.js': 'x'.repeat(2000) });
    const options = { ...OPTIONS, limits: { ...DEFAULT_SOURCE_LIMITS, ...limits } };
    await expect(read(archive, options)).rejects.toMatchObject({ code: 'feeds.package_too_large' });
  });

  test('is a bomb where it expands to more than 100 times itself', async () => {
    const archive = await make({ 'package/zeros': new Uint8Array(40 * 1024 * 1024) });
    expect(archive.length).toBeLessThan(100_000);
    await expect(read(archive, OPTIONS)).rejects.toMatchObject({ code: 'feeds.package_too_large' });
  });

  test('without a file over the limit of one is still read', async () => {
    const options = { ...OPTIONS, limits: { ...DEFAULT_SOURCE_LIMITS, maxFileBytes: 5 } };
    const { files, skipped } = await read(await make(LICENCE), options);
    expect(files.map(({ path }) => path)).toEqual(['index.js']);
    expect(skipped).toHaveLength(1);
  });

  test('that is broken or cut off is refused', async () => {
    const archive = await make({ ...LICENCE, 'package/long.js': 'abc'.repeat(5000) });
    for (const bytes of [
      new Uint8Array(),
      new TextEncoder().encode('hello'),
      archive.subarray(0, archive.length / 2),
    ]) {
      await expect(read(bytes, OPTIONS)).rejects.toMatchObject({ code: 'feeds.archive_refused' });
    }
  });
});

test('links and devices of a tar are left out, and directories are nothing', async () => {
  const archive = await tarGz(LICENCE, [
    { name: 'package/link', type: 'symlink', linkname: '/etc/passwd' },
    { name: 'package/hard', type: 'link', linkname: 'package/LICENSE' },
    { name: 'package/null', type: 'character-device' },
    { name: 'package/pipe', type: 'fifo' },
    { name: 'package/dir', type: 'directory' },
  ]);
  const { files, skipped } = await readTarGz(archive, OPTIONS);
  expect(files).toHaveLength(2);
  expect(skipped.map(({ path }) => path)).toEqual(['hard', 'link', 'null', 'pipe']);
});

test('a link of a zip is left out', async () => {
  const archive = zip([
    { name: 'package/a.js', content: 'x' },
    { name: 'package/link', content: '/etc/passwd', mode: 0o120777 },
  ]);
  expect((await readZip(archive, OPTIONS)).skipped).toEqual([{ path: 'link', reason: 'a link' }]);
});

test('a name that is not UTF-8 is left out', async () => {
  const archive = zip([{ name: Buffer.from([0x70, 0x2f, 0xff]), content: 'x' }]);
  expect((await readZip(archive, OPTIONS)).skipped).toMatchObject([{ reason: 'its name is not UTF-8' }]);
});

test('a file that stands there twice is one, unless it is two', async () => {
  const same = await tarGz({ 'package/a.js': 'x' }, [{ name: 'package/a.js', content: 'x' }]);
  expect((await readTarGz(same, OPTIONS)).files).toHaveLength(1);
  const other = await tarGz({ 'package/a.js': 'x' }, [{ name: 'package/./a.js', content: 'y' }]);
  await expect(readTarGz(other, OPTIONS)).rejects.toMatchObject({ code: 'feeds.archive_refused' });
});

test('a tar that is no tar inside is refused', async () => {
  await expect(readTarGz(gzipSync('x'.repeat(5000)), OPTIONS)).rejects.toMatchObject({ code: 'feeds.archive_refused' });
});
