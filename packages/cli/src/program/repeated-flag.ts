import type { Command, Option } from 'commander';
import { CliError } from '../cli-error/cli-error.ts';

const COLLECTING = new WeakSet<object>();

/** For an option that may be given several times, one value each, which `parse` reads. */
export function everyValueOf(parse: (value: string) => string) {
  const collect = (value: string, before: readonly string[] = []): string[] => [...before, parse(value)];
  COLLECTING.add(collect);
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
      if (times > 1 && hasValue) throw repeated(option);
    });
  }
  for (const below of command.commands) refuseRepeatedFlags(below);
}

// The values are not told: one of them may be a token.
function repeated({ long, short, flags }: Option): CliError {
  return new CliError('cli.flag_repeated', `${long ?? short} is given more than once`, {
    expected: `${flags}, once`,
  });
}
