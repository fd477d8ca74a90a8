import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_PROGRAM } from './built-program.ts';

/** The services of `colophon up`, in a scratch folder of their own. */
export type DryRunAuthority = {
  /** What leads the program to them, and to no folder of the user. */
  readonly env: Readonly<Record<string, string>>;
  /** What a verifier of this dry run has to trust. */
  readonly trustedRoot: string;
};

/**
 * Calls with an embedded authority that lives no longer than the call: its signatures are real, and only those who have
 * its trusted root believe them.
 */
export async function withDryRunAuthority(use: (authority: DryRunAuthority) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-dry-run-'));
  const data = join(folder, 'data');
  const env = { COLOPHON_HOME: data, XDG_CONFIG_HOME: join(folder, 'config'), HOME: folder };
  const child = spawn(process.execPath, [BUILT_PROGRAM, 'up', '--port', '0'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  try {
    await saidThatItIsUp(child);
    await use({ env, trustedRoot: join(data, 'trust/trusted_root.json') });
  } finally {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  }
}

async function saidThatItIsUp({ stderr }: ChildProcess): Promise<void> {
  let said = '';
  for await (const chunk of stderr!.iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (said.includes('colophon is up')) return;
  }
  throw new Error(`colophon up did not start: ${said}`);
}
