import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';

test('processes that lock again and again all get their turn', async () => {
  const folder = temporaryFolder(onTestFinished);
  const [lock, counted] = [join(folder, 'lock.db'), join(folder, 'counted')];
  writeFileSync(counted, '0');
  const program = `
    import { readFileSync, writeFileSync } from 'node:fs';
    import { withFileLock } from ${JSON.stringify(join(import.meta.dirname, 'file-lock.ts'))};
    const [lock, counted] = process.argv.slice(1);
    const count = () => writeFileSync(counted, String(Number(readFileSync(counted, 'utf8')) + 1));
    for (let n = 0; n < 150; n += 1) withFileLock(lock, count, 5_000);`;
  const args = ['--input-type=module', '-e', program, lock, counted];
  await Promise.all(Array.from({ length: 3 }, () => promisify(execFile)(process.execPath, args)));
  expect(readFileSync(counted, 'utf8')).toBe('450');
});
