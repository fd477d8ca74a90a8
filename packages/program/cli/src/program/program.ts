import { statSync } from 'node:fs';
import type { ReviewLogin } from '@colophon/server/configuration';
import { Command, InvalidArgumentError, Option } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';
import { useConfiguration } from '../configuration/client-configuration.ts';
import type { ExitCode } from '../exit-code/exit-code.ts';
import { withoutSecrets } from '../secrets/secrets.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { addCommands, type CommandEntry } from './command-table.ts';
import { HELP_LAYOUT } from './help-layout.ts';
import type { TypedLine } from './missing-error.ts';
import { missingIn } from './needs.ts';
import { refuseRepeatedFlags } from './repeated-flag.ts';
import { VERSION } from './version.ts';

/** A trusted root in a file, and how people call it. */
export type TrustedRootFile = {
  readonly name?: string;
  readonly file: string;
  readonly insecureIgnoreSct?: boolean;
  readonly issuers?: readonly string[];
};

/** What every command gets beside its own arguments. */
export type Session = {
  readonly terminal: Terminal;
  readonly env: NodeJS.ProcessEnv;
  /** Aborts on Ctrl-C and SIGTERM once they are held. */
  readonly signal: AbortSignal;
  /**
   * From now on an interrupt aborts `signal` and no longer ends the process: for a command that has something to put in
   * order first.
   */
  holdInterrupts(): void;
  /** Runs another command line, as the demo does. Never throws. */
  run(args: readonly string[], session: Session): Promise<void>;
  /** Prepares this process to ask other machines, before a command does anything; throws where a setting is unusable. */
  useNetwork?(): void;
  /** Where the configuration of this line has reviewers log in. */
  reviewLogin?: ReviewLogin | undefined;
  /** Files of the policies that the configuration of this line names as in force, and folders of them. */
  policyFiles?: readonly string[] | undefined;
  /** The roots that the configuration of this line trusts; undefined where it says none, or there is none. */
  trustedRoots?: readonly TrustedRootFile[] | undefined;
  /** For a command whose result is itself a refusal; errors are thrown. */
  setExitCode(code: ExitCode): void;
  /** For a command that ends as another program did. */
  exitAs?(code: number): void;
};

/**
 * The program with the commands of its table, none of which is loaded yet.
 * @param args the line that it is to parse, for an error that repeats it
 */
export function createProgram(
  commands: readonly CommandEntry[],
  session: Session,
  args: readonly string[] = [],
): Command {
  const program = new Command('colophon')
    .description(
      'Which agent, which model, under which prompt and policy, reviewed by whom: signed, logged, checkable.',
    )
    .version(VERSION)
    .option('--data <folder>', 'data folder (default: $COLOPHON_HOME, else the user data folder)')
    .showSuggestionAfterError()
    .configureHelp(HELP_LAYOUT)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => session.terminal.stdout.write(text),
      writeErr: (text) => session.terminal.stderr.write(withoutSecrets(text)),
      // The caller catches the error and prints it.
      outputError: () => {},
    });
  program.hook('preAction', async (_program, command) => {
    refuseEmptyValues(command);
    refuseFileAsFolder(program.opts<{ data?: string }>().data);
    await refuseMissing({ program, args, command }, session);
    await useConfiguration(command, session);
    session.useNetwork?.();
  });
  addCommands(program, commands, session);
  refuseRepeatedFlags(program);
  return program;
}

/**
 * An empty value is what an unset variable of a script leaves (`--certificate-identity "$AGENT"`): it would be a
 * constraint that constrains nothing, or a file without a name.
 */
function refuseEmptyValues(command: Command): void {
  for (let owner: Command | null = command; owner !== null; owner = owner.parent) {
    for (const option of owner.options) {
      const values: unknown = owner.getOptionValue(option.attributeName());
      if ([values].flat().some((value) => typeof value === 'string' && value.trim() === '')) {
        throw new CliError('cli.usage', `${option.long} has no value`, {
          checked: commandLineOf(command),
          expected: option.flags,
        });
      }
    }
  }
}

/** Below a file nothing is there, and nobody would hear why. */
function refuseFileAsFolder(data: string | undefined): void {
  if (data === undefined || statSync(data, { throwIfNoEntry: false })?.isDirectory() !== false) return;
  throw new CliError('cli.usage', `${data} is a file`, { checked: '--data', expected: 'a folder', found: 'a file' });
}

async function refuseMissing(line: TypedLine, { env }: Session): Promise<void> {
  const missing = missingIn(line.command, env);
  if (missing.every(({ toldLater }) => toldLater)) return;
  // Loaded where it is needed, as the command is.
  throw (await import('./missing-error.ts')).missingError(line, missing);
}

/** A command with the families that it belongs to: `colophon vex set`. */
function commandLineOf(command: Command): string {
  return command.parent === null ? command.name() : `${commandLineOf(command.parent)} ${command.name()}`;
}

/** `--output table|json`, and more where a command has more: with json, exactly one document on stdout, also on error. */
export function outputOption(...more: ReadonlyArray<'sarif' | 'markdown'>): Option {
  const formats: readonly string[] = ['table', 'json', ...more];
  return new Option('-o, --output <format>', 'how to print the result')
    .choices(formats)
    .argParser((value) => {
      if (formats.includes(value)) return value;
      throw new InvalidArgumentError(`Allowed choices are ${formats.join(', ')}.`);
    })
    .default('table');
}

/** The global `--data`, wherever on the line it stood. */
export function dataFlag(command: Command): string | undefined {
  return command.optsWithGlobals<{ data?: string }>().data;
}
