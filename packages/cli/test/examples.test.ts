import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { recordingSession, wholeProgram } from './command-line.ts';

const FAMILIES = ['scan', 'kev', 'vex', 'remediation', 'report', 'schedule'];

const paths = leavesOf((await wholeProgram()).commands.filter(isOfTriage));

test.each(paths)('the help of %s ends with examples that the program takes, each for this command', async (path) => {
  const lines = examplesIn(await helpOf(path));
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    expect(Math.max(...line.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(await takenBy(wordsOf(line)), line).toBe(path);
  }
});

function isOfTriage(command: Command): boolean {
  return FAMILIES.includes(command.name());
}

function leavesOf(commands: readonly Command[], before = ''): string[] {
  return commands.flatMap((command) => {
    const path = `${before}${command.name()}`;
    return command.commands.length === 0 ? [path] : leavesOf(command.commands, `${path} `);
  });
}

async function helpOf(path: string): Promise<string> {
  const session = recordingSession();
  let command: Command = await wholeProgram(session);
  for (const name of path.split(' ')) command = command.commands.find((one) => one.name() === name)!;
  command.outputHelp();
  return session.ran().stdout;
}

/** The lines that begin with the program's name, each with those that it goes on in. */
function examplesIn(help: string): string[] {
  return [...help.slice(help.indexOf('\nFor example:\n')).matchAll(/^ {2}.*\bcolophon (?:.*\\\n)*.*$/gm)].map(
    ([line]) => line,
  );
}

/** The words after the program's name, as a shell reads them. */
function wordsOf(line: string): string[] {
  const own = line.replaceAll('\\\n', ' ').replace(/^.*?\bcolophon /, '');
  return [...own.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** Which command these words start, without doing what it does; rejects what its flags and arguments do not take. */
async function takenBy(words: readonly string[]): Promise<string | undefined> {
  let taken: string | undefined;
  const program = await wholeProgram();
  const stub = (command: Command, path: string): void => {
    command.action(() => {
      taken = path;
    });
    for (const one of command.commands) stub(one, `${path} ${one.name()}`.trim());
  };
  for (const command of program.commands) stub(command, command.name());
  await program.parseAsync(words, { from: 'user' });
  return taken;
}
