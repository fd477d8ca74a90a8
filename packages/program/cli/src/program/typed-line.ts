import { existsSync } from 'node:fs';
import type { Command, Option } from 'commander';
import { shellWord } from '../terminal/terminal.ts';
import { isSwitch } from './switch.ts';

/** A part of a command line, as the parser takes it. */
export type Part =
  | { readonly kind: 'command' | 'argument' | 'end'; readonly word: string }
  | {
      readonly kind: 'flag';
      /** As it was typed: `--output`, `-o`. */
      readonly name: string;
      /** Undefined for one that neither the command nor the program has. */
      readonly option: Option | undefined;
      readonly value: string | undefined;
    };

/** The parts of a command line. A value is no flag and no command, whatever it looks like. */
export function partsOf(program: Command, args: readonly string[]): readonly Part[] {
  const parts: Part[] = [];
  const left = [...args];
  let command = program;
  let hasArgument = false;
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') return [...parts, { kind: 'end', word }, ...left.map(argument)];
    if (isFlag(word)) {
      parts.push(flag(word, [...command.options, ...program.options], left));
      continue;
    }
    const below: Command | undefined = hasArgument ? undefined : command.commands.find((one) => one.name() === word);
    parts.push(below === undefined ? argument(word) : { kind: 'command', word });
    hasArgument ||= below === undefined;
    command = below ?? command;
  }
  return parts;
}

function isFlag(word: string): boolean {
  return /^-./.test(word);
}

function argument(word: string): Part {
  return { kind: 'argument', word };
}

/** Takes the value of the flag from what is left of the line. */
function flag(word: string, options: readonly Option[], left: string[]): Part {
  const [, name = word, inline] = /^(--[^=]*)=(.*)$/s.exec(word) ?? /^(-[^-])(.+)$/s.exec(word) ?? [];
  const option = options.find(({ long, short }) => name === long || name === short);
  const takesNext = inline === undefined && option !== undefined && takes(option, left[0]);
  return { kind: 'flag', name, option, value: takesNext ? left.shift() : inline };
}

function takes(option: Option, word: string | undefined): boolean {
  if (isSwitch(option)) return word === 'true' || word === 'false';
  return option.required || (option.optional && word !== undefined && !isFlag(word));
}

/** The parts of a line for a shell, each without what may be a secret. */
export function shownParts(parts: readonly Part[]): string[] {
  const end = parts.findIndex(({ kind }) => kind === 'end');
  return parts.map((part, index) => {
    const before = parts[index - 1];
    // Words for another program: one of several words may be a prompt.
    if (end !== -1 && index > end && part.kind === 'argument' && /\s/.test(part.word)) return 'VALUE';
    // Behind a flag with a typing error stands its value.
    const isValue = part.kind === 'argument' && before?.kind === 'flag' && before.value === undefined;
    return isValue && maySecretFollow(before, part.word) ? 'VALUE' : shownPart(part);
  });
}

function maySecretFollow({ name, option }: Part & { kind: 'flag' }, word: string): boolean {
  return option === undefined ? /tok|secret|pass|key|promp?t/i.test(name) : isSecret(option, word);
}

/** A token or a private key; words in place of the file that holds the prompt, and what is no file that holds a secret. */
function isSecret({ flags, long }: Option, value: string): boolean {
  if (SECRET.test(flags) || /PRIVATE KEY/.test(value)) return true;
  if (long === '--prompt') return /\s/.test(value);
  return (long === '--api-key-file' || long === '--authorization-file') && !existsSync(value);
}

const SECRET = /<token>/;

function shownPart(part: Part): string {
  if (part.kind !== 'flag') return shellWord(part.word);
  const { name, option, value } = part;
  if (value === undefined) return name;
  const shown =
    option === undefined || isSecret(option, value) ? capitals(placeholderOf(option) ?? 'VALUE') : shellWord(value);
  return option?.optional ? `${name}=${shown}` : `${name} ${shown}`;
}

/** `<file>` of `--scan <file>`. */
export function placeholderOf(option: Option | undefined): string | undefined {
  return /<[^>]+>/.exec(option?.flags ?? '')?.[0];
}

/** A placeholder as a line to type has it: `FILE`. */
export function capitals(placeholder: string): string {
  return placeholder.replaceAll(/[<>.]/g, '').toUpperCase();
}

/** The command that the parts of a line name. */
export function commandOf(program: Command, parts: readonly Part[]): Command {
  return parts.reduce(
    (command, part) =>
      (part.kind === 'command' ? command.commands.find((one) => one.name() === part.word) : undefined) ?? command,
    program,
  );
}

/** A typed line with others in place of some of its parts. */
export function lineWith(program: Command, parts: readonly Part[], others: ReadonlyMap<Part, Part>): string {
  return [program.name(), ...shownParts(parts.map((one) => others.get(one) ?? one))].join(' ');
}
