import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const scratch = mkdtempSync(join(tmpdir(), 'colophon-authority-'));
afterAll(() => rmSync(scratch, { recursive: true }));

/** Says that it is up, leaves its process id in its folder, and takes its time to end. */
const PROGRAM = `
require('node:fs').writeFileSync(process.env.HOME + '/pid', String(process.pid));
process.on('SIGTERM', () => setTimeout(() => process.exit(), 200));
process.stderr.write('colophon is up');
setInterval(() => {}, 1000);
`;

/** Prints the folder and the process of its authority, and goes on with a signature that never ends. */
const CALLER = `
import { readFileSync } from 'node:fs';
import { withDryRunAuthority } from ${JSON.stringify(join(import.meta.dirname, 'dry-run-authority.ts'))};
await withDryRunAuthority(({ env }) => {
  console.log(JSON.stringify({ folder: env.HOME, pid: Number(readFileSync(env.HOME + '/pid', 'utf8')) }));
  return new Promise(() => setInterval(() => {}, 1000));
}, ${JSON.stringify(join(scratch, 'program.cjs'))});
`;

test.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM'] as const)(
  '%s in a dry run ends its authority, removes its keys, and then ends the run',
  async (signal) => {
    writeFileSync(join(scratch, 'program.cjs'), PROGRAM);
    writeFileSync(join(scratch, 'caller.ts'), CALLER);
    const caller = spawn(process.execPath, [join(scratch, 'caller.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(caller, 'exit');
    const [line] = await once(caller.stdout, 'data');
    const { folder, pid } = JSON.parse(String(line));
    expect(existsSync(folder)).toBe(true);
    caller.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(existsSync(folder)).toBe(false);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  },
);
