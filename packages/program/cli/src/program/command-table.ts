import type { Command } from 'commander';
import { lookForMandatoryLater } from './needs.ts';
import type { Session } from './program.ts';
import { refuseRepeatedFlags } from './repeated-flag.ts';

/** Gives a command its flags and its action, or the commands below it. */
export type CommandModule = (command: Command, session: Session) => void;

/** A command as its table knows it: what the help of the command above shows, and where the rest of it is. */
export type CommandEntry = {
  /** The line of help: `admit [options] <image>`, without `[options]` where the command has no flags. */
  readonly term: string;
  readonly description: string;
  /** Loads the command's file; called where a line names the command. */
  readonly load: () => Promise<CommandModule>;
};

/** What is left to load of a command, and its line in help until then. */
const TERMS = new WeakMap<Command, string>();
const LOADERS = new WeakMap<Command, () => Promise<void>>();

/** Adds the commands of a table below `parent`, each without its flags until it is loaded. */
export function addCommands(parent: Command, entries: readonly CommandEntry[], session: Session): void {
  for (const { term, description, load } of entries) {
    const command = parent.command(term.replace(' [options]', '')).description(description);
    TERMS.set(command, term);
    LOADERS.set(command, async () => {
      (await load())(command, session);
      refuseRepeatedFlags(command);
      lookForMandatoryLater(command);
    });
  }
}

/** The line of a command in help, as its table has it; undefined for a command of no table. */
export function termOf(command: Command): string | undefined {
  return TERMS.get(command);
}

/** Loads a command of a table, once; its own table's commands are not loaded with it. */
export async function loadCommand(command: Command): Promise<void> {
  const load = LOADERS.get(command);
  LOADERS.delete(command);
  await load?.();
}

/** Loads every command below `command`. */
export async function loadCommands(command: Command): Promise<void> {
  for (const below of command.commands) {
    await loadCommand(below);
    await loadCommands(below);
  }
}

/**
 * Loads the command that a line names, and those above it, before the line is parsed: commander gives a switch like
 * `--no-evidence` its default as soon as it comes to the command, which is too early for a hook. May load one more,
 * where a flag's value is also the name of a command.
 */
export async function loadNamed(command: Command, args: readonly string[]): Promise<void> {
  for (const [index, arg] of args.entries()) {
    const named = command.commands.find((one) => one.name() === arg);
    if (named === undefined) continue;
    await loadCommand(named);
    await loadNamed(named, args.slice(index + 1));
    // Behind a flag it may be the flag's value.
    if (!args[index - 1]?.startsWith('-')) return;
  }
}

/** The innermost command that a line names. */
export function commandNamed(program: Command, args: readonly string[]): Command {
  let command = program;
  for (const arg of args) command = command.commands.find((one) => one.name() === arg) ?? command;
  return command;
}

/** The words of a command behind the program's name: `vex set`. */
export function commandPath(command: Command): string {
  const { parent } = command;
  return parent === null ? '' : `${commandPath(parent)} ${command.name()}`.trim();
}
