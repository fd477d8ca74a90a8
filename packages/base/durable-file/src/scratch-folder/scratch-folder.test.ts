import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { inScratchFolder } from './scratch-folder.ts';

const UNUSABLE = { code: 'scratch.folder_unusable', kind: 'machine' };

function useTemporaryFolder(folder: string): string {
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  return folder;
}

test('work is done in a folder for its owner alone, which is gone afterwards', async () => {
  const parent = useTemporaryFolder(temporaryFolder(onTestFinished));
  const made = await inScratchFolder('test', async (folder) => {
    writeFileSync(join(folder, 'file'), 'x');
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    return folder;
  });
  expect(made.startsWith(join(parent, 'colophon-test-'))).toBe(true);
  expect(existsSync(made)).toBe(false);
});

test('the folder is gone after work that failed, too, and its error is the one that is told', async () => {
  const parent = useTemporaryFolder(temporaryFolder(onTestFinished));
  const failing = inScratchFolder('test', async () => {
    throw new RangeError('why');
  });
  await expect(failing).rejects.toThrow(RangeError);
  expect(readdirSync(parent)).toEqual([]);
});

describe('the folder for temporary files is refused', () => {
  test('where there is none', async () => {
    useTemporaryFolder(join(temporaryFolder(onTestFinished), 'missing'));
    await expect(inScratchFolder('test', async () => 'done')).rejects.toMatchObject(UNUSABLE);
  });

  test('where it is a file', async () => {
    const file = join(temporaryFolder(onTestFinished), 'file');
    writeFileSync(file, '');
    useTemporaryFolder(file);
    await expect(inScratchFolder('test', async () => 'done')).rejects.toMatchObject(UNUSABLE);
  });

  test('where it has less space than the work needs, before the work begins', async () => {
    const parent = useTemporaryFolder(temporaryFolder(onTestFinished));
    const work = vi.fn(async () => 'done');
    await expect(inScratchFolder('test', work, { needsBytes: 1e18 })).rejects.toMatchObject(UNUSABLE);
    expect(work).not.toHaveBeenCalled();
    expect(readdirSync(parent)).toEqual([]);
  });

  test('where the disk is full in the middle of the work', async () => {
    const parent = useTemporaryFolder(temporaryFolder(onTestFinished));
    const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    await expect(inScratchFolder('test', () => Promise.reject(full))).rejects.toMatchObject(UNUSABLE);
    expect(readdirSync(parent)).toEqual([]);
  });
});
