import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileDurably } from '@colophon/durable-file';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { hasSameLines, replaceFile, textOf } from './working-file.ts';

test('a file is replaced only while it is what was read, and keeps its mode', () => {
  const folder = temporaryFolder(onTestFinished);
  const file = join(folder, 'a');
  writeFileSync(file, 'one');
  chmodSync(file, 0o751);
  expect(replaceFile(folder, file, Buffer.from('other'), 'two', writeFileDurably)).toMatchObject({
    code: 'comment.file_changed',
  });
  expect(readFileSync(file, 'utf8')).toBe('one');
  expect(replaceFile(folder, file, Buffer.from('one'), 'two', writeFileDurably)).toBeUndefined();
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o7777]).toEqual(['two', 0o751]);
});

test('a file that became a link, or is gone, is not replaced', () => {
  const [folder, outside] = [temporaryFolder(onTestFinished), temporaryFolder(onTestFinished)];
  writeFileSync(join(outside, 'a'), 'one');
  symlinkSync(join(outside, 'a'), join(folder, 'a'));
  symlinkSync(outside, join(folder, 'd'));
  for (const path of ['a', 'd/a', 'gone']) {
    const refused = replaceFile(folder, join(folder, path), Buffer.from('one'), 'two', writeFileDurably);
    expect(refused).toMatchObject({ code: 'comment.file_changed' });
  }
  expect(readFileSync(join(outside, 'a'), 'utf8')).toBe('one');
});

test('a text has every byte of its file', () => {
  for (const text of ['\ufeffa', 'ä\r\n\u0000']) expect(textOf(Buffer.from(text))).toBe(text);
});

test.each([
  ['latin-1', [0xe4, 0x0a]],
  ['half a pair', [0xed, 0xa0, 0x80]],
  ['a form that is too long', [0xc0, 0x80]],
])('bytes with %s are no text', (_, bytes) => {
  expect(textOf(Uint8Array.from(bytes))).toBeUndefined();
});

test.each([
  ['a\nb\n', 'a\r\nb', true],
  ['a\nb\n', 'a\nb\n\n', false],
  ['a\rb', 'a\nb', false],
  ['', '', true],
])('%j and %j have the same lines: %s', (a, b, expected) => {
  expect(hasSameLines(Buffer.from(a), Buffer.from(b))).toBe(expected);
});
