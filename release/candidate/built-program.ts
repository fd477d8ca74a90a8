import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { NAMES } from '../names.ts';
import { PROGRAM_FOLDER } from '../program/build-program.ts';

/** The program as it is published: what is shipped signs its own release. */
export const BUILT_PROGRAM: string = join(PROGRAM_FOLDER, 'bin', `${NAMES.program}.cjs`);

/**
 * Runs it to its end, in this environment; what it says goes to this process's output.
 * @throws Error where it does not end with 0
 */
export async function runBuiltProgram(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [BUILT_PROGRAM, ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${NAMES.program} ${args[0]} ended with ${code}`);
}
