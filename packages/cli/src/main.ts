import { CommanderError } from 'commander';
import { CliError } from './cli-error/cli-error.ts';
import { COMMANDS } from './commands/commands.ts';
import { EXIT } from './exit-code/exit-code.ts';
import { createProgram } from './program/program.ts';
import { exitCodeOf, type OutputFormat, printError, reportOf } from './report/report.ts';
import type { Terminal } from './terminal/terminal.ts';

/** Runs one command line and sets the process's exit code; nothing that goes wrong ever leaves it at 0. */
export async function main(args: readonly string[]): Promise<void> {
  const terminal: Terminal = { stdout: process.stdout, stderr: process.stderr, env: process.env };
  const interrupt = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // The second one is somebody in a hurry.
      if (interrupt.signal.aborted) process.exit(128 + (signal === 'SIGINT' ? 2 : 15));
      process.exitCode = 128 + (signal === 'SIGINT' ? 2 : 15);
      interrupt.abort();
    });
  }
  // A reader that has seen enough (`| head`) is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? EXIT.ok : EXIT.internal),
  );
  const format = wantedFormat(args);
  try {
    await createProgram(COMMANDS, { terminal, env: process.env, signal: interrupt.signal }).parseAsync([...args], {
      from: 'user',
    });
  } catch (error) {
    if (interrupt.signal.aborted) return;
    if (error instanceof CommanderError) {
      // Commander has told people already; help and version are no errors.
      if (error.exitCode === 0) return;
      if (format === 'json')
        printError(terminal, format, reportOf(new CliError('cli.usage', error.message.replace(/^error: /, ''))));
      process.exitCode = EXIT.usage;
      return;
    }
    printError(terminal, format, reportOf(error));
    process.exitCode = exitCodeOf(error);
  }
}

// Known before the line is parsed, so that a line that does not parse is answered in the form that was asked for.
function wantedFormat(args: readonly string[]): OutputFormat {
  const at = args.findIndex((arg) => arg === '--output' || arg.startsWith('--output='));
  if (at === -1) return 'table';
  return (args[at] === '--output' ? args[at + 1] : args[at]!.slice('--output='.length)) === 'json' ? 'json' : 'table';
}
