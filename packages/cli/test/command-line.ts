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
export function recordingSession(env: NodeJS.ProcessEnv = {}): Session & { readonly ran: () => Ran } {
  const said = { stdout: '', stderr: '' };
  let exitCode = 0;
  const keep = (name: keyof typeof said) => ({
    write: (text: string) => {
      said[name] += text;
    },
  });
  return {
    terminal: { stdout: keep('stdout'), stderr: keep('stderr'), env },
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

/** Runs one command line in this process. */
export async function runLine(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
  const session = recordingSession(env);
  await runCommand(args, session);
  const ran = session.ran();
  keepVerdict(args, ran);
  expectResult(args, ran);
  return ran;
}

/** The one document of a line that was run with `--output json`. */
// biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
export function documentOf({ stdout }: Ran): any {
  return JSON.parse(stdout);
}
