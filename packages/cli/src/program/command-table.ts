import type { Command } from 'commander';
import type { Session } from './program.ts';
import { refuseRepeatedFlags } from './repeated-flag.ts';

/** Gives a command its flags and its action, or the commands below it. */
export type CommandModule = (command: Command, session: Session) => void;

/** A command as its table knows it: what the help of the command above shows, and where the rest of it is. */
export type CommandEntry = {
  /** The line of help: `admit [options] <image>`, without `[options]` where the command has no flags. */
  readonly term: string;
  readonly description: string;
  /** Loads the command's file; called once a line names the command. */
  readonly load: () => Promise<CommandModule>;
};

/** What is left to load of a command, and its line in help until then. */
const TERMS = new WeakMap<Command, string>();
const LOADERS = new WeakMap<Command, () => Promise<void>>();

/** Adds the commands of a table below `parent`. Each is loaded when the line that is parsed comes to it. */
export function addCommands(parent: Command, entries: readonly CommandEntry[], session: Session): void {
  for (const { term, description, load } of entries) {
    const command = parent.command(term.replace(' [options]', '')).description(description);
    TERMS.set(command, term);
    LOADERS.set(command, async () => {
      (await load())(command, session);
      refuseRepeatedFlags(command);
    });
  }
  parent.hook('preSubcommand', (_parent, command) => loadCommand(command));
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

/** Loads every command below `command` whose name `isWanted`, and those below it in turn. Default: all. */
export async function loadCommands(command: Command, isWanted: (name: string) => boolean = () => true): Promise<void> {
  for (const below of command.commands.filter((one) => isWanted(one.name()))) {
    await loadCommand(below);
    await loadCommands(below, isWanted);
  }
}
