import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { openReviewerSecret } from './reviewer-secret.ts';

const newFile = () => join(temporaryFolder(onTestFinished), 'config', 'colophon', 'reviewer-secret');

test('the secret is made at first, in a file and a folder of its owner alone, and stays', () => {
  const file = newFile();
  const secret = openReviewerSecret(file);
  expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(readFileSync(file, 'utf8')).toBe(`${secret}\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  expect(openReviewerSecret(file)).toBe(secret);
});

test('every installation has its own', () => {
  expect(openReviewerSecret(newFile())).not.toBe(openReviewerSecret(newFile()));
});

test.each([0o640, 0o604, 0o644, 0o620, 0o602])('a secret with mode %o is refused: others may know it', (mode) => {
  const file = newFile();
  openReviewerSecret(file);
  chmodSync(file, mode);
  expect(() => openReviewerSecret(file)).toThrow(expect.objectContaining({ code: 'server.data_folder_unusable' }));
});

test.each(['', '\n', 'short', 'a'.repeat(42), `${'a'.repeat(43)} b`])('a file that holds %j is no secret', (text) => {
  const file = newFile();
  openReviewerSecret(file);
  writeFileSync(file, text);
  expect(() => openReviewerSecret(file)).toThrow(expect.objectContaining({ code: 'server.data_folder_damaged' }));
});

test('a refusal does not repeat what the file holds', () => {
  const file = newFile();
  openReviewerSecret(file);
  writeFileSync(file, 'hunter2');
  expect(() => openReviewerSecret(file)).toThrow(
    expect.not.objectContaining({ message: expect.stringMatching('hunter2') }),
  );
});

test('a folder in its place is refused', () => {
  const file = newFile();
  mkdirSync(file, { recursive: true, mode: 0o700 });
  expect(() => openReviewerSecret(file)).toThrow(expect.objectContaining({ code: 'server.data_folder_unusable' }));
});

test('a place that cannot be made is refused', () => {
  const folder = temporaryFolder(onTestFinished);
  writeFileSync(join(folder, 'config'), '');
  expect(() => openReviewerSecret(join(folder, 'config', 'reviewer-secret'))).toThrow(
    expect.objectContaining({ code: 'server.data_folder_unusable' }),
  );
});
