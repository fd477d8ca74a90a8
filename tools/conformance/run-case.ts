import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { ConformanceCase } from './case.ts';

const PROGRAM = join(import.meta.dirname, '../../packages/program/cli/bin/colophon.js');
const TIMEOUT_MS = 60_000;
/** How the program ends for what is wrong with a signature: nothing to verify, no match, untrusted (docs/errors.md). */
const REFUSED = [10, 12, 13];

/** A key that is none is refused as the file that it stands in. */
const NO_KEY = 'cli.file_unreadable';

/**
 * Runs one case.
 * @returns what was wrong, undefined where the verdict is the suite's. A refusal counts only where it is one of the
 * signature, its key or its roots: a line that was not understood, or a program that broke, has refused nothing.
 */
export async function runCase({ line, mustFail }: ConformanceCase): Promise<string | undefined> {
  const { code, stdout } = await run([...line, '--output', 'json']);
  if (code === 0) return mustFail ? 'it was accepted' : undefined;
  if (mustFail && (REFUSED.includes(code) || stdout.includes(`"code": "${NO_KEY}"`))) return undefined;
  return `exit ${code} ${stdout}`;
}

function run(line: readonly string[]): Promise<{ code: number; stdout: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [PROGRAM, ...line], { timeout: TIMEOUT_MS });
    let stdout = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.resume();
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, stdout }));
  });
}
