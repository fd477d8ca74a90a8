import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createFileDurably, writeFileDurably } from './durable-file.ts';

const newFolder = () => temporaryFolder(onTestFinished);

test('a file is written whole, with its mode whatever the mask, and leaves no draft', () => {
  const folder = newFolder();
  const path = join(folder, 'trust', 'file');
  writeFileDurably(path, 'first', 0o644);
  writeFileDurably(path, 'zweitens: ü', 0o600);
  expect(readFileSync(path, 'utf8')).toBe('zweitens: ü');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(folder, 'trust'))).toEqual(['file']);
});

test('a write that fails leaves what was there, and no draft', () => {
  const folder = newFolder();
  const path = join(folder, 'taken');
  mkdirSync(join(path, 'inside'), { recursive: true });
  expect(() => writeFileDurably(path, 'text', 0o644)).toThrow();
  expect(() => createFileDurably(join(path, 'inside', '..', '\0'), 'text', 0o644)).toThrow();
  expect(readdirSync(folder)).toEqual(['taken']);
});

test('a file that is there is not created again', () => {
  const folder = newFolder();
  const path = join(folder, 'once');
  expect(createFileDurably(path, new Uint8Array([1, 2]), 0o444)).toBe(true);
  chmodSync(path, 0o400);
  expect(createFileDurably(path, 'other', 0o644)).toBe(false);
  expect([...readFileSync(path)]).toEqual([1, 2]);
  expect(statSync(path).mode & 0o777).toBe(0o400);
  expect(readdirSync(folder)).toEqual(['once']);
});
