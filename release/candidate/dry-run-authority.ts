import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BUILT_PROGRAM } from './built-program.ts';

/** The services of `colophon up`, in a scratch folder of their own. */
export type DryRunAuthority = {
  /** The environment in which the program finds them, and neither another service nor a folder of the user. */
  readonly env: NodeJS.ProcessEnv;
  /** What a verifier of this dry run has to trust. */
  readonly trustedRoot: string;
};

/** What a person or a machine ends a run with. */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Calls with an embedded authority that lives no longer than the call: its signatures are real, and only those who have
 * its trusted root believe them. A signal that ends this process first ends the authority and removes its keys.
 * @param program - the script whose `up` is started
 */
export async function withDryRunAuthority(
  use: (authority: DryRunAuthority) => Promise<void>,
  program: string = BUILT_PROGRAM,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'colophon-dry-run-'));
  const data = join(folder, 'data');
  const ours = Object.entries(process.env).filter(([name]) => !/^(?:COLOPHON|SIGSTORE)_/.test(name));
  const home = { COLOPHON_HOME: data, XDG_CONFIG_HOME: join(folder, 'config'), HOME: folder };
  const env = { ...Object.fromEntries(ours), ...home };
  const child = spawn(process.execPath, [program, 'up', '--port', '0'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  const signalled = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of SIGNALS) process.on(signal, signalled.resolve);
  let signal: NodeJS.Signals | undefined;
  try {
    const used = untilUp(child).then(() => use({ env, trustedRoot: join(data, 'trust/trusted_root.json') }));
    signal = await Promise.race([signalled.promise, used.then(() => undefined)]);
  } finally {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
    for (const one of SIGNALS) process.off(one, signalled.resolve);
  }
  // Nothing of ours listens any more, so that it ends this process as if nothing had.
  if (signal !== undefined) process.kill(process.pid, signal);
}

function untilUp(child: ChildProcess): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (chunk) => {
      said += chunk;
      if (said.includes('colophon is up')) resolve();
    });
    child.once('close', () => reject(new Error(`colophon up did not start: ${said}`)));
  });
}
