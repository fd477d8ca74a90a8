import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { type ProgramRun, runProgram } from './run-program.ts';

const run = (script: string, more: Partial<ProgramRun> = {}) =>
  runProgram({
    file: process.execPath,
    args: ['-e', script],
    cwd: temporaryFolder(onTestFinished),
    env: process.env,
    timeoutMs: 20_000,
    maxBytes: 1024,
    ...more,
  });

/** A program that has begun in a thousandth of its time, where Node takes seconds to start on a busy machine. */
const SHELL = { file: '/bin/sh', env: { PATH: process.env['PATH'] } };

test('a program that ends well gives its output and its exit code', async () => {
  const end = await run('process.stdout.write("all of it"); process.exitCode = 7');
  expect({ ...end, stdout: Buffer.from(end.stdout).toString() }).toEqual({
    exitCode: 7,
    stdout: 'all of it',
    stderr: '',
  });
});

test('arguments are no shell words', async () => {
  const words = ['$(touch x)', '; touch y', '`z`', '*', '--flag', "it's"];
  const end = await run('', { args: ['-e', 'console.log(JSON.stringify(process.argv.slice(1)))', '--', ...words] });
  expect(JSON.parse(Buffer.from(end.stdout).toString())).toEqual(words);
});

test('only the last words of standard error are kept, without the codes of a terminal', async () => {
  const { stderr } = await run('process.stderr.write("x".repeat(1e6) + "\\u001b[31mlast\\u001b[0m words")');
  expect(stderr.length).toBeLessThanOrEqual(16 * 1024);
  expect(stderr.endsWith('xlast words')).toBe(true);
});

test('a program that writes too much is ended', async () => {
  const endless = 'const more = () => process.stdout.write("x".repeat(65536), more); more()';
  await expect(run(endless)).rejects.toMatchObject({ code: 'feeds.generator_output' });
});

test('a program that takes too long is ended, and so is what it started', async () => {
  const folder = temporaryFolder(onTestFinished);
  const script = 'trap "" TERM; sleep 1000 & echo $! >pid; while :; do sleep 1; done';
  const running = run('', { ...SHELL, args: ['-c', script], cwd: folder, timeoutMs: 4_000 });
  await expect(running).rejects.toMatchObject({ code: 'feeds.generator_timeout' });
  const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test('what a program started and let go of does not hold its output open for ever', async () => {
  const folder = temporaryFolder(onTestFinished);
  // In a group of its own, which ends with nobody, and with our pipe as its output.
  const script = "setsid sh -c 'echo $$ >pid; exec sleep 1000' & while [ ! -s pid ]; do sleep 0.1; done";
  const running = run('', { ...SHELL, args: ['-c', script], cwd: folder, timeoutMs: 4_000 });
  await expect(running).rejects.toMatchObject({ code: 'feeds.generator_timeout' });
  process.kill(Number(readFileSync(join(folder, 'pid'), 'utf8')), 'SIGKILL');
});

test('an abort ends the program, and its reason is what is thrown', async () => {
  const controller = new AbortController();
  const folder = temporaryFolder(onTestFinished);
  const running = run('require("fs").writeFileSync("started", ""); setInterval(() => {}, 1000)', {
    cwd: folder,
    signal: controller.signal,
  });
  const reason = new Error('Ctrl-C');
  const refused = expect(running).rejects.toBe(reason);
  while (!existsSync(join(folder, 'started'))) await wait(10);
  controller.abort(reason);
  await refused;
  await expect(run('', { signal: controller.signal })).rejects.toBe(reason);
});

test('a file that is no program cannot be started', async () => {
  await expect(run('', { file: join(import.meta.dirname, 'nothing') })).rejects.toMatchObject({
    code: 'feeds.generator_failed',
  });
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie is waited for by whoever adopted it, and runs no more.
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
