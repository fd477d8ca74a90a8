import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/** Where `.ci/tools.sh` puts the programs that it builds. */
export const TOOLS = join(import.meta.dirname, '..', '.tools', 'bin');
const PATH = [TOOLS, ...(process.env['PATH'] ?? '').split(delimiter)];

/** Where a real program is, or undefined on a machine that lacks it; in CI a missing one is an error, never a skip. */
export function findProgram(name: string): string | undefined {
  const found = (isAbsolute(name) ? [name] : PATH.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (found === undefined && process.env['CI'] === 'true')
    throw new Error(`${name} is missing: .ci/tools.sh installs it`);
  return found;
}

/** For `describe.skipIf`: says on the terminal what is missing. */
export function isMissing(...names: string[]): boolean {
  const missing = names.filter((name) => findProgram(name) === undefined);
  if (missing.length > 0) process.stderr.write(`skipped: ${missing.join(', ')} not found; run .ci/tools.sh\n`);
  return missing.length > 0;
}

/** For `describe.skipIf`: whether this user may not do what a suite has to; in CI an error, as a missing program is. */
export function isNotRoot(): boolean {
  if (process.getuid?.() === 0) return false;
  if (process.env['CI'] === 'true') throw new Error('containers are run by root: start the tests with sudo');
  process.stderr.write('skipped: not root; run with sudo\n');
  return true;
}

export type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs a program to its end (60 s at most, unless told otherwise) and answers with its exit code and output; never throws on a failure. */
export function run(
  program: string,
  args: readonly string[],
  {
    env = {},
    cwd,
    input,
    timeoutMs = 60_000,
  }: { env?: Record<string, string>; cwd?: string; input?: string; timeoutMs?: number } = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(findProgram(program) ?? program, args, {
      cwd,
      timeout: timeoutMs,
      env: { ...process.env, PATH: PATH.join(delimiter), NO_COLOR: '1', ...env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => (stderr += chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
  });
}

/** Runs a shell line the way a person would type it; stops at the first command that fails. */
export function shell(script: string, options: { env?: Record<string, string>; cwd?: string } = {}): Promise<Outcome> {
  return run('bash', ['-euo', 'pipefail', '-c', script], options);
}
