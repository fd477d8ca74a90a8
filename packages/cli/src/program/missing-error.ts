import type { Command } from 'commander';
import { CliError, type ReportedIssue } from '../cli-error/cli-error.ts';
import { commandPath } from './command-table.ts';
import { type Missing, mandatoryOptions, needsOf } from './needs.ts';

/** Codes of what is not given. */
export const MISSING_CODES = ['cli.option_missing'] as const;

/**
 * All that a command line lacks, in one error, with the line to type.
 * @returns CliError `cli.usage`, with an issue `cli.option_missing` for each
 */
export function missingError(command: Command, missing: readonly Missing[]): CliError {
  const issues = missing.map(({ oneOf, what }): ReportedIssue => {
    const one = oneOf.length === 1 ? 'missing' : 'one of them is missing';
    return {
      path: oneOf.map(shown).join(', '),
      code: MISSING_CODES[0],
      message: what === '' ? one : `${one} (${what})`,
    };
  });
  const next = missing.length === 1 ? missing[0]?.next : undefined;
  return new CliError(
    'cli.usage',
    `not given: ${missing.map(({ oneOf }) => oneOf.map(shown).join(' or ')).join('; ')}`,
    {
      next: next ?? lineToType(command, missing),
      issues,
    },
  );
}

/** A way as people read it: `--scan with --sbom`. */
function shown(way: string): string {
  return way.replaceAll('=', ' ').replaceAll(' --', ' with --');
}

/**
 * The command with everything that it must be given, each value in capitals. What was given is not repeated: it may be a
 * secret.
 */
function lineToType(command: Command, missing: readonly Missing[]): string {
  const mandatory = mandatoryOptions(command).map(({ long }) => long as string);
  const chosen = needsOf(command)
    .filter((need) => missing.includes(need))
    .map(({ oneOf: [first] }) => first);
  const required = command.registeredArguments.filter(({ required }) => required).map((one) => `<${one.name()}>`);
  const words = [...mandatory, ...chosen, ...required].flatMap((way) => way.split(' '));
  const isArgument = (word: string) => word.startsWith('<');
  const ordered = [...words.filter((word) => !isArgument(word)), ...words.filter(isArgument)];
  return ['colophon', commandPath(command), ...ordered.map((word) => filledIn(command, word))].join(' ');
}

function filledIn(command: Command, word: string): string {
  if (word.startsWith('<')) return capitals(word);
  const [long, value] = word.split('=');
  const placeholder = value ?? /<[^>]+>/.exec(command.options.find((option) => option.long === long)?.flags ?? '')?.[0];
  return placeholder === undefined ? word : `${long} ${value ?? capitals(placeholder)}`;
}

function capitals(placeholder: string): string {
  return placeholder.replaceAll(/[<>.]/g, '').toUpperCase();
}
