import { type Command, InvalidArgumentError, type Option } from 'commander';
import { partsOf } from './typed-line.ts';

/** The value of `--yes [bool]`. @throws InvalidArgumentError */
export function parseSwitch(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new InvalidArgumentError('Allowed choices are true, false.');
}

/** Whether an option is a switch that may have a value, as cosign has them: `--yes`, `--yes=false`. */
export function isSwitch(option: Option | undefined): boolean {
  return option?.flags.endsWith('[bool]') ?? false;
}

/** The line with a value for each such switch before an argument, which commander would take for the value. */
export function withSwitchValues(program: Command, args: readonly string[]): readonly string[] {
  const parts = partsOf(program, args);
  if (!parts.some((part) => part.kind === 'flag' && isSwitch(part.option))) return args;
  return parts.map((part, index) => {
    if (part.kind !== 'flag') return part.word;
    const isBeforeArgument = isSwitch(part.option) && parts[index + 1]?.kind === 'argument';
    const { name, value = isBeforeArgument ? 'true' : undefined } = part;
    if (value === undefined) return name;
    return name.startsWith('--') ? `${name}=${value}` : `${name}${value}`;
  });
}
