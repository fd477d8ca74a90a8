import type { Command, Option } from 'commander';

/**
 * What a command cannot do without, beside its mandatory options and arguments: one of several ways to give it. A way is
 * made of what has to be given together: `--scan --sbom`. `--type=agent-run` is an option with that value, `<file>` an
 * argument, `$NAME` a variable.
 */
export type Need = {
  readonly what: string;
  readonly oneOf: readonly [string, ...string[]];
  /** The option without which nothing of it is needed, or what decides that. */
  readonly when?: string | ((command: Command, env: NodeJS.ProcessEnv) => boolean);
  /** The command refuses it itself, under a code of its own, where nothing else is missing. */
  readonly toldLater?: boolean;
  /** The next step, where another command has to be run first. */
  readonly next?: string;
  /** The value that most people give to the first way. */
  readonly value?: string;
};

/** Something that was not given: an argument, a mandatory option, or all ways of a need. */
export type Missing = Omit<Need, 'when'>;

/** Errors that say that something was not given, with what only the command itself knows of that. */
const LACKING = new WeakMap<Error, readonly Missing[]>();

/**
 * Marks an error of a command that lacks what is told later: all that is missing will stand in it.
 * @param missing beside what the command declares that it needs
 */
export function lacking<E extends Error>(error: E, missing: readonly Missing[] = []): E {
  LACKING.set(error, missing);
  return error;
}

/** Everything that a command lacks whose error was marked by {@link lacking}; empty for another error. */
export function missingOf(error: unknown, command: Command, env: NodeJS.ProcessEnv): readonly Missing[] {
  const more = error instanceof Error ? LACKING.get(error) : undefined;
  return more === undefined ? [] : [...missingIn(command, env), ...more];
}

/** Mandatory options, which commander is not told of. */
const MANDATORY = new WeakSet<Option>();
const NEEDS = new WeakMap<Command, readonly Need[]>();

/** Declares what a command needs. */
export function withNeeds(command: Command, ...needs: readonly Need[]): Command {
  NEEDS.set(command, [...needsOf(command), ...needs]);
  return command;
}

/** What was declared that a command needs. */
export function needsOf(command: Command): readonly Need[] {
  return NEEDS.get(command) ?? [];
}

/**
 * Has the mandatory options of a command, and of those below it, looked for with all else that it needs. Commander looks
 * for them before it tells of an option that does not exist, which may be one of them with a typing error.
 */
export function lookForMandatoryLater(command: Command): void {
  for (const option of command.options.filter(({ mandatory }) => mandatory)) {
    option.mandatory = false;
    MANDATORY.add(option);
  }
  for (const below of command.commands) lookForMandatoryLater(below);
}

/** The options without which a command is not run. */
export function mandatoryOptions({ options }: Command): readonly Option[] {
  return options.filter((option) => MANDATORY.has(option));
}

/** Everything that a parsed command needs and was not given. */
export function missingIn(command: Command, env: NodeJS.ProcessEnv): readonly Missing[] {
  const missing = [
    ...mandatoryOptions(command)
      .filter((option) => command.getOptionValue(option.attributeName()) === undefined)
      .map(({ long, description }): Missing => ({ what: description, oneOf: [long as string] })),
    ...command.registeredArguments
      .filter((argument, index) => argument.required && command.args[index] === undefined)
      .map((argument): Missing => ({ what: argument.description, oneOf: [`<${argument.name()}>`] })),
    ...needsOf(command).filter(
      ({ oneOf, when }) => isNeeded(when, command, env) && !oneOf.some((way) => isGiven(command, env, way)),
    ),
  ];
  return missing;
}

function isNeeded(when: Need['when'], command: Command, env: NodeJS.ProcessEnv): boolean {
  if (typeof when === 'function') return when(command, env);
  return when === undefined || isGiven(command, env, when);
}

function isGiven(command: Command, env: NodeJS.ProcessEnv, way: string): boolean {
  return way.split(' ').every((name) => {
    if (name.startsWith('$')) return Boolean(env[name.slice(1)]);
    if (name.startsWith('<')) {
      const index = command.registeredArguments.findIndex((argument) => `<${argument.name()}>` === name);
      return command.args[index] !== undefined;
    }
    const [long, value] = name.split('=');
    const attribute = command.options.find((option) => option.long === long)?.attributeName() ?? '';
    if (value !== undefined) return command.getOptionValue(attribute) === value;
    return !['default', undefined].includes(command.getOptionValueSource(attribute));
  });
}
