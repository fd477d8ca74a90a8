import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { assertReadableFile, assertWritableFile, openOutput, readInput, readOwnInput, writeOutput } from './input.ts';
import { inFolder, openEntry, ownPlace } from './own-place.ts';

const newFolder = () => temporaryFolder(onTestFinished);

test('a file is read as it is', async () => {
  const file = join(newFolder(), 'file');
  writeFileSync(file, 'a\r\n\u00ff');
  expect(await readInput(file)).toEqual(readFileSync(file));
});

test.each([
  ['missing', 'there is no such file'],
  ['folder', 'it is a folder'],
  ['missing/file', 'there is no such file'],
  ['file/below', 'a file is in the way where a folder should be'],
])('%s cannot be read: %s', async (name, why) => {
  const folder = newFolder();
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'file'), '');
  const path = join(folder, name);
  await expect(readInput(path)).rejects.toMatchObject({
    code: 'cli.file_unreadable',
    kind: 'usage',
    message: `${path}: ${why}`,
    facts: { checked: path },
  });
  expect(() => assertReadableFile(path)).toThrow();
});

test('only a regular file can be signed', () => {
  const folder = newFolder();
  const unreadable = expect.objectContaining({ code: 'cli.file_unreadable', kind: 'usage' });
  writeFileSync(join(folder, 'file'), '');
  assertReadableFile(join(folder, 'file'));
  expect(() => assertReadableFile(folder)).toThrow(unreadable);
  expect(() => assertReadableFile('/dev/null')).toThrow(unreadable);
  expect(() => assertReadableFile(join(folder, 'missing'))).toThrow(unreadable);
});

test.each([
  ['links in a circle', 'circle'],
  ['a name that is too long', 'a'.repeat(5000)],
])('%s are neither read nor written', async (_what, name) => {
  const folder = newFolder();
  symlinkSync(join(folder, 'circle'), join(folder, 'circle'));
  const path = join(folder, name);
  const unreadable = expect.objectContaining({ code: 'cli.file_unreadable', kind: 'usage' });
  await expect(readInput(path)).rejects.toEqual(unreadable);
  expect(() => assertReadableFile(path)).toThrow(unreadable);
  expect(() => assertWritableFile(path)).toThrow(expect.objectContaining({ code: 'cli.file_unwritable' }));
});

test.each(['missing/file', 'folder', 'file/below'])('%s cannot be written, and that is known before', (name) => {
  const folder = newFolder();
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'file'), '');
  const path = join(folder, name);
  expect(() => assertWritableFile(path)).toThrow(
    expect.objectContaining({ code: 'cli.file_unwritable', facts: { checked: path } }),
  );
});

test('a file that is not there yet, is there, or is a device can be written', () => {
  const folder = newFolder();
  assertWritableFile(join(folder, 'new'));
  writeOutput(join(folder, 'new'), 'text');
  assertWritableFile(join(folder, 'new'));
  assertWritableFile('/dev/null');
});

test('what was there is replaced as a whole, with its mode, and no draft stays', () => {
  const folder = newFolder();
  const file = join(folder, 'file');
  writeFileSync(file, 'a longer text');
  chmodSync(file, 0o640);
  writeOutput(file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder)).toEqual(['file']);
});

test('a link stays one, and what it leads to is written', () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'elsewhere'));
  writeFileSync(join(folder, 'elsewhere', 'file'), '');
  symlinkSync(join(folder, 'elsewhere', 'file'), join(folder, 'link'));
  writeOutput(join(folder, 'link'), 'new');
  expect(lstatSync(join(folder, 'link')).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(folder, 'elsewhere', 'file'), 'utf8')).toBe('new');
});

test.skipIf(process.getuid?.() !== 0)('another user’s link or pipe is not written through, and stays as it is', () => {
  const folder = newFolder();
  const [own, link, pipe] = ['own', 'link', 'pipe'].map((name) => join(folder, name)) as [string, string, string];
  writeFileSync(own, 'mine');
  symlinkSync(own, link);
  spawnSync('mkfifo', [pipe]);
  for (const path of [link, pipe]) {
    lchownSync(path, 65_534, 65_534);
    expect(() => assertWritableFile(path)).toThrowError(/ of another user$/);
    expect(() => writeOutput(path, 'new')).toThrowError(/ of another user$/);
  }
  expect([readFileSync(own, 'utf8'), lstatSync(link).isSymbolicLink()]).toEqual(['mine', true]);
  lchownSync(link, 0, 0);
  writeOutput(link, 'new');
  expect(readFileSync(own, 'utf8')).toBe('new');
});

test.skipIf(process.getuid?.() !== 0)('another user’s link on the way is followed by nobody', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'private'));
  writeFileSync(join(folder, 'private/run.json'), 'mine');
  symlinkSync('private', join(folder, 'out'));
  lchownSync(join(folder, 'out'), 65_534, 65_534);
  for (const name of ['run.json', 'new.json', 'none/new.json']) {
    const path = join(folder, 'out', name);
    expect(() => writeOutput(path, 'new')).toThrowError(`${join(folder, 'out')} is a link of another user`);
    if (name !== 'none/new.json')
      expect(() => assertWritableFile(path)).toThrowError(`${join(folder, 'out')} is a link of another user`);
  }
  await expect(readOwnInput(join(folder, 'out/run.json'), 9)).rejects.toThrowError(/ is a link of another user$/);
  expect([readdirSync(join(folder, 'private')), readFileSync(join(folder, 'private/run.json'), 'utf8')]).toEqual([
    ['run.json'],
    'mine',
  ]);
  lchownSync(join(folder, 'out'), 0, 0);
  writeOutput(join(folder, 'out/run.json'), 'new');
  expect((await readOwnInput(join(folder, 'out/run.json'), 9)).toString()).toBe('new');
});

test('a file that another user may have exchanged is read whole, or not at all', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'file'), 'four');
  expect((await readOwnInput(join(folder, 'file'), 4)).toString()).toBe('four');
  await expect(readOwnInput(join(folder, 'file'), 3)).rejects.toThrowError(/more than 3 bytes/);
  await expect(readOwnInput(join(folder, 'none'), 3)).rejects.toThrowError(/there is no such file/);
});

test('what a shell hands over is read and written, under whatever name', () => {
  const file = join(import.meta.dirname, 'input.ts');
  const script = `const { readOwnInput, writeOutput } = await import('${file}');
    writeOutput(process.argv[2], await readOwnInput(process.argv[1], 99));`;
  const line = `echo in | "$0" --input-type=module -e "$1" /dev/fd/0 /dev/stdout | cat`;
  const { stdout, stderr } = spawnSync('sh', ['-c', line, process.execPath, script], { encoding: 'utf8' });
  expect([stdout, stderr]).toEqual(['in\n', '']);
});

test.skipIf(process.getuid?.() !== 0)('requests are kept in no file to which another user’s link leads', () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'own'), 'mine');
  symlinkSync('own', join(folder, 'link'));
  lchownSync(join(folder, 'link'), 65_534, 65_534);
  expect(() => openOutput(join(folder, 'link'), 0o600)).toThrowError(/it is a link of another user$/);
  expect(readFileSync(join(folder, 'own'), 'utf8')).toBe('mine');
  closeSync(openOutput(join(folder, 'own'), 0o600));
  expect(readFileSync(join(folder, 'own'), 'utf8')).toBe('');
});

test('what was a device or a pipe and is a link now is not opened', () => {
  const folder = newFolder();
  if (spawnSync('mkfifo', [join(folder, 'pipe')]).status !== 0) return;
  writeFileSync(join(folder, 'own'), 'mine');
  const place = ownPlace(join(folder, 'pipe'))!;
  for (const make of [() => symlinkSync('own', join(folder, 'pipe')), () => writeFileSync(join(folder, 'pipe'), '')]) {
    rmSync(join(folder, 'pipe'));
    make();
    expect(() => openEntry({ ...place, entry: place.entry! }, constants.O_WRONLY)).toThrowError();
  }
});

test('`..` after a link leads where the system says', () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  symlinkSync('a/b', join(folder, 'link'));
  writeOutput(`${folder}/link/../out.txt`, 'x');
  expect([readdirSync(folder).sort(), readdirSync(join(folder, 'a')).sort()]).toEqual([
    ['a', 'link'],
    ['b', 'out.txt'],
  ]);
});

test('a folder that is exchanged for another one while a file is written gets nothing', () => {
  const folder = newFolder();
  for (const name of ['one', 'two']) mkdirSync(join(folder, name));
  const place = ownPlace(join(folder, 'one/file'))!;
  renameSync(join(folder, 'one'), join(folder, 'moved'));
  renameSync(join(folder, 'two'), join(folder, 'one'));
  expect(() => inFolder(place, (path) => writeFileSync(path, ''))).toThrowError(/exchanged meanwhile/);
  if (!existsSync('/proc/self/fd')) return;
  inFolder(ownPlace(join(folder, 'moved/file'))!, (path) => {
    renameSync(join(folder, 'moved'), join(folder, 'again'));
    writeFileSync(path, 'x');
  });
  expect([readdirSync(join(folder, 'again')), readdirSync(join(folder, 'one'))]).toEqual([['file'], []]);
});

test('a pipe is written into, and is still there', () => {
  const pipe = join(newFolder(), 'pipe');
  if (spawnSync('/usr/bin/mkfifo', [pipe]).status !== 0) return;
  const script = `(timeout 20 cat "$0" > "$0.copy" &) ; exec "$1" --input-type=module -e "const { writeOutput } = await import('${join(import.meta.dirname, 'input.ts')}'); writeOutput(process.argv[1], 'through')" "$0"`;
  expect(spawnSync('/bin/sh', ['-c', script, pipe, process.execPath]).status).toBe(0);
  expect(lstatSync(pipe).isFIFO()).toBe(true);
});

test('a write that fails is said with its place', () => {
  const path = join(newFolder(), 'file', 'below');
  writeFileSync(join(path, '..'), '');
  expect(() => writeOutput(path, 'x')).toThrow(
    expect.objectContaining({ code: 'cli.file_unwritable', kind: 'machine', facts: { checked: path } }),
  );
});

test('a folder that is not there is named', () => {
  const folder = join(newFolder(), 'missing');
  expect(() => assertWritableFile(join(folder, 'y.json'))).toThrow(`: there is no folder ${folder}`);
});

test.skipIf(!existsSync('/dev/full'))('a full disk is told in words', () => {
  expect(() => writeOutput('/dev/full', 'x')).toThrow('/dev/full: the disk is full (ENOSPC)');
});
