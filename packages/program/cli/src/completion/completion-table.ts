import { type CommandShape, everyShape, type FlagShape, type ValueShape } from './command-shape.ts';

/** What a script knows of one command: the row of its table. */
export type CompletionRow = {
  /** The words behind the program's name, one blank between. */
  readonly at: string;
  readonly below: readonly Described[];
  readonly flags: readonly Described[];
  /** What an argument is; empty where the command takes none. */
  readonly argument: string;
  /** Flags that a value follows, by what it is. */
  readonly values: ReadonlyMap<string, readonly string[]>;
};

export type Described = { readonly name: string; readonly description: string };

/** The rows of a program's script; `help` is a command of the program, behind which the others stand. */
export function completionRows(program: CommandShape): CompletionRow[] {
  const everywhere = program.flags.filter(({ names }) => names.includes('--data'));
  return everyShape(program).map((shape) => {
    const flags = shape === program ? shape.flags : [...shape.flags, ...everywhere];
    const below = shape.commands.map(({ path, description }) => ({ name: path.at(-1) as string, description }));
    return {
      at: shape.path.join(' '),
      below: shape === program ? [...below, { name: 'help', description: 'help for a command' }] : below,
      flags: flags.flatMap(({ names, description }) => names.map((name) => ({ name, description }))),
      argument: shape.arguments[0] === undefined ? '' : wordsFor(shape.arguments[0]),
      values: valuesOf(flags),
    };
  });
}

function valuesOf(flags: readonly FlagShape[]): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const { names, value, isOptional } of flags) {
    if (value === undefined) continue;
    const words = `${isOptional ? '?' : ''}${wordsFor(value)}`;
    values.set(words, [...(values.get(words) ?? []), ...names]);
  }
  return values;
}

/** All values, or `@file`, `@folder`, `@word`; behind a `?` what stands behind `=` only. */
function wordsFor({ kind, choices }: ValueShape): string {
  return choices.length > 0 ? choices.join(' ') : `@${kind}`;
}
