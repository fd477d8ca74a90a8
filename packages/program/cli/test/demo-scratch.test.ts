import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fillDisk, smallDisk, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';

const PROGRAM = join(import.meta.dirname, '../bin/colophon.js');
/** The image is signed: the ledger has tokens that its next checkpoint must cover. */
const SEVENTH_STEP = /^ 7 {2}/m;

/** Plays the demo with that folder for temporary files; `onSeventhStep` is called once. */
async function playDemo(TMPDIR: string, onSeventhStep = () => {}): Promise<{ exitCode: unknown; stderr: string }> {
  const program = spawn(process.execPath, [PROGRAM, 'demo'], {
    env: { ...process.env, NO_COLOR: '1', TMPDIR },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  program.stdout.setEncoding('utf8').on('data', (chunk) => {
    const isNew = !SEVENTH_STEP.test(stdout);
    stdout += chunk;
    if (isNew && SEVENTH_STEP.test(stdout)) onSeventhStep();
  });
  let stderr = '';
  program.stderr.setEncoding('utf8').on('data', (chunk) => {
    stderr += chunk;
  });
  const exitCode = await new Promise((resolve) => program.on('close', resolve));
  return { exitCode, stderr };
}

test('a disk that becomes full ends the demo, and nothing of it is left on the disk', async ({ skip }) => {
  const disk = smallDisk(24, onTestFinished);
  if (disk === undefined) return skip('a small disk cannot be mounted here');
  const { exitCode } = await playDemo(disk, () => fillDisk(disk));
  expect(exitCode).not.toBe(0);
  expect(readdirSync(disk)).toEqual(['filler']);
});

test('a disk without room for the demo is named before it starts', async ({ skip }) => {
  const disk = smallDisk(1, onTestFinished);
  if (disk === undefined) return skip('a small disk cannot be mounted here');
  const { exitCode, stderr } = await playDemo(disk);
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^error scratch\.folder_unusable: .*\n$/);
  expect(readdirSync(disk)).toEqual([]);
});

test('a folder for temporary files that is not there is named, in one line', async () => {
  const { exitCode, stderr } = await playDemo(join(temporaryFolder(onTestFinished), 'missing'));
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^error scratch\.folder_unusable: .*\n$/);
});
