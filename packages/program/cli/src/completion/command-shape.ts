import { type Argument, type Command, Help, type Option } from 'commander';
import { isSwitch } from '../program/switch.ts';

/** What a value or an argument is made of, as a shell has to know it. */
export type ValueShape = {
  /** Its placeholder without brackets: `file`. */
  readonly name: string;
  readonly kind: 'file' | 'folder' | 'word';
  /** All values that are taken; empty where others are. */
  readonly choices: readonly string[];
};

export type FlagShape = {
  /** `-o, --output <format>`. */
  readonly written: string;
  /** Every way to type it: `-o`, `--output`. */
  readonly names: readonly string[];
  readonly description: string;
  /** What follows it; undefined for a switch. */
  readonly value?: ValueShape;
  /** Whether its value may be left out, and stands behind `=` otherwise. */
  readonly isOptional: boolean;
};

/** A command as shells and manual pages need it. */
export type CommandShape = {
  /** The words behind the program's name: `['sbom', 'validate']`. */
  readonly path: readonly string[];
  readonly description: string;
  readonly arguments: ReadonlyArray<ValueShape & { readonly written: string }>;
  readonly flags: readonly FlagShape[];
  readonly commands: readonly CommandShape[];
};

/** Placeholders behind which a file may stand, and those behind which only a folder does; behind all others stands a word. */
const FILES: ReadonlySet<string> = new Set(
  'after before bundle file file-or-digest file-or-url image-or-file package path place sbom source target token'.split(
    ' ',
  ),
);
const FOLDERS = new Set(['folder']);

/** The shape of a command, all of whose commands are loaded. */
export function commandShape(command: Command, path: readonly string[] = []): CommandShape {
  const { commands, registeredArguments } = command;
  const flags = [...command.options, ...new Help().visibleOptions(command)].filter(({ hidden }) => !hidden);
  return {
    path,
    description: command.description(),
    arguments: registeredArguments.map((argument) => ({
      ...valueShape(argument.name(), argument.argChoices),
      written: writtenArgument(argument),
    })),
    flags: [...new Map(flags.map((option) => [option.flags, flagShape(option)])).values()],
    commands: commands.map((below) => commandShape(below, [...path, below.name()])),
  };
}

/** A command and all that are below it, in the order of help. */
export function everyShape(shape: CommandShape): CommandShape[] {
  return [shape, ...shape.commands.flatMap(everyShape)];
}

function writtenArgument(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function flagShape(option: Option): FlagShape {
  const { flags, short, long, description, argChoices } = option;
  const [, name] = /[<[]([^\]>]+)[\]>]/.exec(flags) ?? [];
  return {
    written: flags,
    names: [short, long].filter((one) => one !== undefined),
    description,
    isOptional: option.optional,
    ...(name !== undefined && { value: valueShape(name, isSwitch(option) ? ['true', 'false'] : argChoices) }),
  };
}

function valueShape(name: string, choices: readonly string[] = []): ValueShape {
  return { name, choices, kind: FILES.has(name) ? 'file' : FOLDERS.has(name) ? 'folder' : 'word' };
}
