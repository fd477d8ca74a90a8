import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { readSourceFolder } from './source-folder.ts';

function folderWith(files: Record<string, string | Uint8Array>): string {
  const folder = temporaryFolder(onTestFinished);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
  return folder;
}

test('a folder gives its files of text, sorted, and what they say about their licence', async () => {
  const folder = folderWith({
    'package.json': '{"license":"MIT"}',
    'src/b.js': 'b',
    'src/a.js': 'a',
    LICENSE: 'text',
    'node_modules/x/index.js': 'other',
    '.git/config': 'history',
    'logo.png': new Uint8Array([0x89, 0, 1]),
  });
  const tree = await readSourceFolder(folder);
  expect(tree.files.map(({ path }) => path)).toEqual(['LICENSE', 'package.json', 'src/a.js', 'src/b.js']);
  expect(tree).toMatchObject({ licence: 'MIT', licenceTexts: [{ path: 'LICENSE', text: 'text' }] });
  expect(tree.skipped.map(({ path }) => path)).toEqual(['.git', 'logo.png', 'node_modules']);
});

test('links and pipes are not followed', async () => {
  const folder = folderWith({ 'a.js': 'a' });
  symlinkSync('/etc/passwd', join(folder, 'passwd'));
  symlinkSync('/', join(folder, 'root'));
  symlinkSync('.', join(folder, 'loop'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const { files, skipped } = await readSourceFolder(folder);
  expect(files).toHaveLength(1);
  expect(skipped.map(({ path }) => path)).toEqual(['loop', 'passwd', 'pipe', 'root']);
});

test('limits are named', async () => {
  const folder = folderWith({ 'a.js': 'a', 'b.js': 'bb' });
  await expect(readSourceFolder(folder, { limits: { maxFiles: 1 } })).rejects.toMatchObject({
    code: 'feeds.package_too_large',
  });
  const { skipped } = await readSourceFolder(folder, { limits: { maxFileBytes: 1 } });
  expect(skipped).toEqual([{ path: 'b.js', reason: 'over 1 bytes' }]);
});

test('what is no folder is refused', async () => {
  const folder = folderWith({ 'a.js': 'a' });
  for (const path of [join(folder, 'a.js'), join(folder, 'none')]) {
    await expect(readSourceFolder(path)).rejects.toMatchObject({ code: 'feeds.folder_unreadable' });
  }
});
