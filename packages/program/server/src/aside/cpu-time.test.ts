import { spawn } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { cpuMsOf } from './cpu-time.ts';

test.skipIf(process.platform !== 'linux')(
  'a process that computes has worked, and one that waits has not',
  async () => {
    const start = (script: string) => {
      const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child.pid as number;
    };
    const [busy, idle] = [start('for (;;);'), start('setInterval(() => {}, 1e6)')];
    while ((cpuMsOf(busy) ?? 0) < 2_000) await setTimeout(50);
    expect(cpuMsOf(idle)).toBeLessThan(1_500);
  },
);

test('of a process that there is not nothing is known', () => {
  expect(cpuMsOf(2 ** 30)).toBeUndefined();
});
