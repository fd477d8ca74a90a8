import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { lockedRing } from './ring-lock.ts';

const fails = (code: string) => expect.objectContaining({ name: 'KeyError', code });
const newFile = () => join(temporaryFolder(onTestFinished), 'issuer.ring.lock');

test('a ring that somebody is changing is waited for, and then refused', () => {
  const file = newFile();
  const change = vi.fn();
  lockedRing(file, () => {
    expect(() => lockedRing(file, change, 10)).toThrow(fails('key.ring_busy'));
  });
  expect(change).not.toHaveBeenCalled();
});

test('a lock is let go of, also by a change that fails, and its file is for its owner alone', () => {
  const file = newFile();
  const fault = new Error('the change failed');
  const failing = () =>
    lockedRing(file, () => {
      throw fault;
    });
  expect(failing).toThrow(fault);
  expect(lockedRing(file, () => 'done', 10)).toBe('done');
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
});

test('a lock that cannot be made is no reason to change a ring without it', () => {
  const file = newFile();
  mkdirSync(file);
  const change = vi.fn();
  expect(() => lockedRing(file, change, 10)).toThrow(fails('key.unavailable'));
  expect(change).not.toHaveBeenCalled();
});
