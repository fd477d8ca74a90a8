import type { Command, Option } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';

const COLLECTING = new WeakSet<object>();
/** By what reads their values, options that may be given several times beside another one. */
const COLLECTING_BESIDE = new WeakMap<object, string>();

const collecting =
  (parse: (value: string) => string) =>
  (value: string, before: readonly string[] = []): string[] => [...before, parse(value)];

/** For an option that may be given several times, one value each, which `parse` reads. */
export function everyValueOf(parse: (value: string) => string) {
  const collect = collecting(parse);
  COLLECTING.add(collect);
  return collect;
}

/** The same for an option that may be given several times only where `flag` stands in the line too. */
export function everyValueBeside(flag: string) {
  const collect = collecting((value) => value);
  COLLECTING_BESIDE.set(collect, flag);
  return collect;
}

/**
 * For an option that may be given several times, one value each. One that takes as many words as follow would take the
 * command's own argument too: `admit --policy FILE IMAGE`.
 */
export const everyValue = everyValueOf((value) => value);

/** Whether an option was declared as one that may be given several times. */
export function isRepeatable({ variadic, parseArg }: Option): boolean {
  return variadic || (parseArg !== undefined && COLLECTING.has(parseArg));
}

/**
 * Refuses an option with one value that is given twice, in the program and every command below it. Whoever puts a line
 * together from several sources cannot know which of the two would count.
 * @throws CliError `cli.flag_repeated`, while the line is parsed
 */
export function refuseRepeatedFlags(command: Command): void {
  for (const option of command.options.filter((one) => !isRepeatable(one))) {
    let times = 0;
    let hasValue = false;
    // Beside the listener by which commander itself learns of each occurrence. Without a value it is a switch.
    command.on(`option:${option.name()}`, (value?: string | null) => {
      times += 1;
      hasValue ||= typeof value === 'string';
      if (times > 1 && hasValue && !isBeside(option, command)) throw repeated(option);
    });
  }
  for (const below of command.commands) refuseRepeatedFlags(below);
}

/** Whether the other option, beside which this one may be given several times, stands in the line: perhaps further on. */
function isBeside({ parseArg }: Option, command: Command): boolean {
  const flag = COLLECTING_BESIDE.get(parseArg ?? command);
  let program: Command & { readonly rawArgs?: readonly string[] } = command;
  while (program.parent !== null) program = program.parent;
  return flag !== undefined && (program.rawArgs ?? []).some((word) => word === flag || word.startsWith(`${flag}=`));
}

/**
 * Refuses several values of an option that takes them beside another option alone, where that one turned out to be absent.
 * @throws CliError `cli.flag_repeated`
 */
export function refuseSeveral(command: Command, long: string): void {
  const option = command.options.find((one) => one.long === long) as Option;
  const values: readonly string[] = command.getOptionValue(option.attributeName()) ?? [];
  if (values.length > 1) throw repeated(option);
}

// The values are not told: one of them may be a token.
function repeated({ long, short, flags }: Option): CliError {
  return new CliError('cli.flag_repeated', `${long ?? short} is given more than once`, {
    expected: `${flags}, once`,
  });
}
