import { kindOf } from '@colophon/fault';
import { type Command, CommanderError } from 'commander';
import { CliError, type ErrorFacts } from '../cli-error/cli-error.ts';
import { COMMANDS } from '../commands/commands.ts';
import { EXIT } from '../exit-code/exit-code.ts';
import { commandNamed, loadCommand, loadNamed } from '../program/command-table.ts';
import { helpAsked } from '../program/help-line.ts';
import type { TypedLine } from '../program/missing-error.ts';
import { missingIn, missingOf } from '../program/needs.ts';
import { createProgram, dataFlag, type Session } from '../program/program.ts';
import { withSwitchValues } from '../program/switch.ts';
import { exitCodeOf, type OutputFormat, printError, reportOf } from '../report/report.ts';
import { guardScreen } from '../terminal/screen.ts';

/** Runs one command line. Never throws: an error is printed, and sets an exit code that is not 0. */
export async function runCommand(args: readonly string[], given: Session): Promise<void> {
  // What the line's configuration says stands in for variables: in its own copy of them.
  const screen = guardScreen(given.terminal);
  const session = { ...given, terminal: screen.terminal, env: { ...given.env } };
  const { terminal, signal } = session;
  if (args.length === 0) {
    // Loaded where it is needed.
    terminal.stdout.write((await import('../first-steps/first-steps.ts')).firstStepsText());
    return;
  }
  const format = wantedFormat(args);
  const program = createProgram(COMMANDS, session, args);
  let command = program;
  program.hook('preAction', (_program, named) => {
    command = named;
  });
  try {
    await loadNamed(program, args);
    await program.parseAsync([...withSwitchValues(program, helpAsked(program, args))], { from: 'user' });
  } catch (error) {
    // The user ended the program, and needs no error.
    if (signal.aborted) return;
    if (error instanceof CommanderError) {
      // Help and version are no errors.
      if (error.exitCode === 0) return;
      const lacking = await lackingIn(program, args, error, session);
      if (lacking !== undefined) {
        printError(terminal, format, reportOf(lacking));
        session.setExitCode(EXIT.usage);
        return;
      }
      // Help of a family was printed where the line named none of its commands.
      if (error.code === 'commander.help' && format === 'table') return session.setExitCode(EXIT.usage);
      printError(terminal, format, reportOf(await usageError(program, args, error)));
      session.setExitCode(EXIT.usage);
      return;
    }
    const known = await withMissing(tokenCause(error), { program, args, command }, session);
    const cause = await withRestart(known, session, program);
    printError(terminal, format, reportOf(cause));
    session.setExitCode(exitCodeOf(cause));
  } finally {
    screen.explain();
  }
}

/** Of an argument that commander misses, the error that names everything that is missing. */
async function lackingIn(
  program: Command,
  args: readonly string[],
  { code }: CommanderError,
  { env }: Session,
): Promise<CliError | undefined> {
  if (code !== 'commander.missingArgument') return undefined;
  const command = commandNamed(program, args);
  return (await import('../program/missing-error.ts')).missingError(
    { program, args, command },
    missingIn(command, env),
  );
}

/** Of a command that refuses itself what it was not given, the error with all that is missing and the line to type. */
async function withMissing(error: unknown, line: TypedLine, { env }: Session): Promise<unknown> {
  const missing = missingOf(error, line.command, env);
  if (missing.length === 0) return error;
  const { facts } = error as { facts?: ErrorFacts };
  const { missingFacts } = await import('../program/missing-error.ts');
  return Object.assign(error as Error, { facts: { ...facts, ...missingFacts(line, missing) } });
}

/** What commander refuses, as every other error: with its code, and a line to type. */
async function usageError(program: Command, args: readonly string[], error: CommanderError): Promise<CliError> {
  if (error.code === 'commander.unknownCommand') for (const family of program.commands) await loadCommand(family);
  // Loaded where it is needed, as below.
  const { usageHint } = await import('../usage-hint/usage-hint.ts');
  const [message = ''] = error.message.replace(/^error: /, '').split('\n');
  const said = error.code === 'commander.help' ? 'no command is named' : message;
  return new CliError('cli.usage', said, usageHint(program, args, error));
}

/** Of a registry that does not answer, and is our own server's, says how it is started. */
async function withRestart(error: unknown, { env }: Session, program: Command): Promise<unknown> {
  const { code, url, facts } = error as { code?: unknown; url?: string; facts?: ErrorFacts };
  if (!(error instanceof Error) || code !== 'registry.unreachable' || url === undefined) return error;
  // Loaded where it is needed: what reads a data folder is half of what the program loads before a command.
  const { restartOf } = await import('../home/own-server.ts');
  return Object.assign(error, { facts: { ...restartOf(env, dataFlag(program), url), ...facts } });
}

/** Where no token could be had, the issuer's own answer says more than that there was none. */
function tokenCause(error: unknown): unknown {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return code === 'signing.token_unavailable' && kindOf(cause) !== undefined ? cause : error;
}

// Known before the line is parsed, so that a line that does not parse is answered in the form that was asked for. Of
// two, which are refused, the last one counts.
function wantedFormat(args: readonly string[]): OutputFormat {
  let format: OutputFormat = 'table';
  // What stands behind it is another program's line.
  const end = args.indexOf('--');
  const own = end === -1 ? args : args.slice(0, end);
  own.forEach((arg, i) => {
    const isName = arg === '--output' || arg === '-o';
    const value = isName ? own[i + 1] : /^(?:--output=|-o=?)(.*)$/.exec(arg)?.[1];
    if (value === 'json' || value === 'table') format = value;
  });
  return format;
}
