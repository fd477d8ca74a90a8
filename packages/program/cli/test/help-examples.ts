import type { Command } from 'commander';
import { commandNamed } from '../src/program/command-table.ts';
import { recordingSession, wholeProgram } from './command-line.ts';

/** The names of the commands that do something, as they are typed: `sbom similarity` and `sbom similarity index`. */
export function runnable({ commands }: Command, before = ''): string[] {
  return commands.flatMap((command) => {
    const path = `${before}${command.name()}`;
    const below = runnable(command, `${path} `);
    return below.length === 0 || command.registeredArguments.length > 0 ? [path, ...below] : below;
  });
}

/** The examples in the help of each runnable command, one or more lines of a shell each. */
export async function examplesOfAll(): Promise<ReadonlyMap<string, readonly string[]>> {
  const session = recordingSession();
  const program = await wholeProgram(session);
  const examples = new Map<string, readonly string[]>();
  let before = 0;
  for (const path of runnable(program)) {
    commandNamed(program, path.split(' ')).outputHelp();
    const { stdout } = session.ran();
    examples.set(path, examplesIn(stdout.slice(before)));
    before = stdout.length;
  }
  return examples;
}

/** The last paragraph of help where it has examples; each with the lines that it goes on in. */
function examplesIn(help: string): string[] {
  const [, lines = ''] = /\nFor example:\n((?: {2}.*\n)+)$/.exec(help) ?? [];
  return [...lines.matchAll(/^ {2}(.*\bcolophon (?:.*\\\n)*.*)$/gm)].map(([, line]) => line as string);
}

/** The words after the program's name, as a shell reads them; `commands` gives the output of each `$(…)` in them. */
export function wordsOf(line: string, commands: Readonly<Record<string, string>> = {}): string[] {
  const [, inner] = /\$\((colophon [^)]*)\)/.exec(line) ?? [];
  const own = (inner ?? line).replaceAll('\\\n', ' ').replace(/^.*?\bcolophon /, '');
  return [...own.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) =>
      single ?? (double ?? plain ?? '').replace(/\$\((.*)\)/, (text, command) => commands[command] ?? text),
  );
}
