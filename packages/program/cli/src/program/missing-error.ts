import type { Command } from 'commander';
import { CliError, type ErrorFacts, type ReportedIssue } from '../cli-error/cli-error.ts';
import type { Missing } from './needs.ts';
import { isSwitch } from './switch.ts';
import { capitals, type Part, partsOf, placeholderOf, shownParts } from './typed-line.ts';

/** Codes of what is not given. */
export const MISSING_CODES = ['cli.option_missing'] as const;

/** A line that was typed: its words, the program that they were given to, and the command that they name. */
export type TypedLine = { readonly program: Command; readonly args: readonly string[]; readonly command: Command };

/**
 * All that a command line lacks, in one error, with the line to type.
 * @returns CliError `cli.usage`, with an issue `cli.option_missing` for each
 */
export function missingError(line: TypedLine, missing: readonly Missing[]): CliError {
  return new CliError(
    'cli.usage',
    `not given: ${missing.map(({ oneOf }) => oneOf.map(shown).join(' or ')).join('; ')}`,
    missingFacts(line, missing),
  );
}

/** What an error says of all that a command line lacks: an issue for each, and the line to type. */
export function missingFacts(line: TypedLine, missing: readonly Missing[]): ErrorFacts {
  const issues = missing.map(({ oneOf, what }): ReportedIssue => {
    const one = oneOf.length === 1 ? 'missing' : 'one of them is missing';
    return {
      path: oneOf.map(shown).join(', '),
      code: MISSING_CODES[0],
      message: what === '' ? one : `${one} (${what})`,
    };
  });
  const next = missing.length === 1 ? missing[0]?.next : undefined;
  return { next: next ?? lineToType(line, missing), issues };
}

/** A way as people read it: `--scan with --sbom`. */
function shown(way: string): string {
  return way.replaceAll('=', ' ').replaceAll(' --', ' with --');
}

/** The line as it was typed, with everything that it lacks, each value of which is named in capitals. */
function lineToType({ program, args, command }: TypedLine, missing: readonly Missing[]): string {
  const parts = partsOf(program, args);
  const given = new Set(parts.flatMap((part) => (part.kind === 'flag' ? [part.option?.long ?? part.name] : [])));
  const added = missing.flatMap(({ oneOf: [first, ...others], value }) => {
    const ways = [first, ...others].map((way) => way.split(' '));
    // A value is for the first way, and may have spaces itself.
    if (value !== undefined) ways[0]?.push(`${ways[0]?.pop()}=${value}`);
    const begun = ways.find((way) => way.some((word) => given.has(word))) ?? ways[0] ?? [];
    return begun.filter((word) => !given.has(word));
  });
  const flags = [...new Set(added.filter((word) => !isArgument(word)))].map((word) => filledIn(command, word));
  const words = shownParts(parts);
  const end = parts.findIndex(({ kind }) => kind === 'end');
  words.splice(end === -1 ? words.length : end, 0, ...flags);
  const place = argumentPlace(parts) ?? words.length;
  words.splice(place, 0, ...added.filter(isArgument).map((word) => /^[^=]+=(.+)$/.exec(word)?.[1] ?? capitals(word)));
  return [program.name(), ...words].join(' ');
}

/** Where an argument is added: behind the others, and not where a switch would take it for its value. */
function argumentPlace(parts: readonly Part[]): number | undefined {
  const last = parts.findLastIndex(({ kind }) => kind === 'argument');
  if (last !== -1) return last + 1;
  const isTaken = parts.some(
    (part) => part.kind === 'flag' && part.option?.optional && !isSwitch(part.option) && part.value === undefined,
  );
  return isTaken ? parts.findLastIndex(({ kind }) => kind === 'command') + 1 : undefined;
}

function isArgument(word: string): boolean {
  return word.startsWith('<');
}

function filledIn(command: Command, word: string): string {
  const [, long, value] = /^([^=]+)=(.+)$/.exec(word) ?? [word, word];
  const placeholder = placeholderOf(command.options.find((option) => option.long === long));
  return value === undefined && placeholder === undefined
    ? word
    : `${long} ${value ?? capitals(placeholder as string)}`;
}
