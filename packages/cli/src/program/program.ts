import { Command, Option } from 'commander';
import type { ExitCode } from '../exit-code/exit-code.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** What every command gets beside its own arguments. */
export type Session = {
  readonly terminal: Terminal;
  readonly env: NodeJS.ProcessEnv;
  /** Ends on Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** For a command whose result is itself a refusal; errors are thrown. */
  setExitCode(code: ExitCode): void;
};

/** Adds one command, or a family of commands, to the program. */
export type CommandModule = (program: Command, session: Session) => void;

/** The program without its commands. */
export function createProgram(modules: readonly CommandModule[], session: Session): Command {
  const program = new Command('colophon')
    .description(
      'Which agent, which model, under which prompt and policy, reviewed by whom: signed, logged, checkable.',
    )
    .version('0.1.0')
    .option('--data <folder>', 'data folder (default: $COLOPHON_HOME, else the user data folder)')
    .showSuggestionAfterError()
    .showHelpAfterError('(run with --help for what it takes)')
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => session.terminal.stdout.write(text),
      writeErr: (text) => session.terminal.stderr.write(text),
    });
  for (const addCommands of modules) addCommands(program, session);
  return program;
}

/** `--output table|json`: with json, exactly one document on standard output, also on error. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'how to print the result').choices(['table', 'json']).default('table');
}

/** The global `--data`, wherever on the line it stood. */
export function dataFlag(command: Command): string | undefined {
  return command.optsWithGlobals<{ data?: string }>().data;
}
