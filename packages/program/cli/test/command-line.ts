import { spawn } from 'node:child_process';
import type { Command } from 'commander';
import { COMMANDS } from '../src/commands/commands.ts';
import { loadCommands } from '../src/program/command-table.ts';
import { createProgram, type Session } from '../src/program/program.ts';
import { runCommand } from '../src/run-command/run-command.ts';
import { expectResult } from './expected-result.ts';
import { keepVerdict } from './frozen/asked.ts';

/** What a command line did. */
export type Ran = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

/** A session whose words are kept. */
export function recordingSession(
  env: NodeJS.ProcessEnv = {},
  { isTTY = false }: { readonly isTTY?: boolean } = {},
): Session & { readonly ran: () => Ran } {
  const said = { stdout: '', stderr: '' };
  let exitCode = 0;
  const keep = (name: keyof typeof said) => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  return {
    terminal: { stdout: { ...keep('stdout'), isTTY }, stderr: keep('stderr'), env },
    env,
    signal: new AbortController().signal,
    run: runCommand,
    holdInterrupts: () => {},
    setExitCode: (code) => {
      exitCode = code;
    },
    ran: () => ({ exitCode, ...said }),
  };
}

/** The program with all of its commands loaded. */
export async function wholeProgram(session: Session = recordingSession()): Promise<Command> {
  const program = createProgram(COMMANDS, session);
  await loadCommands(program);
  return program;
}

/** The program as it is shipped: the same lines are then run by it, one process each. */
const SHIPPED = process.env['COLOPHON_PROGRAM'];

/** Runs one command line in this process, or by the program that `COLOPHON_PROGRAM` names. */
export async function runLine(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const ran = SHIPPED === undefined ? await runHere(args, env) : await runShipped(SHIPPED, args, env);
  keepVerdict(args, ran);
  expectResult(args, ran);
  return ran;
}

/** The same as a person at a screen sees it; undefined where the program is another process. */
export async function runOnScreen(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran | undefined> {
  if (SHIPPED !== undefined) return undefined;
  const session = recordingSession(env, { isTTY: true });
  await runCommand(args, session);
  return session.ran();
}

async function runHere(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  const session = recordingSession(env);
  await runCommand(args, session);
  return session.ran();
}

function runShipped(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk) => (said.stdout += chunk));
    child.stderr.on('data', (chunk) => (said.stderr += chunk));
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode: exitCode ?? -1, ...said }));
  });
}

/** The one document of a line that was run with `--output json`. */
// biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
export function documentOf({ stdout }: Ran): any {
  return JSON.parse(stdout);
}
