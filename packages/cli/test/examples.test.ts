import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { commandNamed } from '../src/program/command-table.ts';
import { recordingSession, wholeProgram } from './command-line.ts';
import { examplesOfAll, wordsOf } from './help-examples.ts';

const commands = [...(await examplesOfAll())].map(([path, lines]) => ({ path, lines }));

test('every command is asked', () => {
  expect(commands.length).toBeGreaterThan(75);
});

test.each(commands)('the help of $path ends with examples of it that the program takes', async ({ path, lines }) => {
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) {
    expect(await takenBy(wordsOf(line)), line).toBe(path);
  }
});

test('the help of no command is wider than 80 columns', async () => {
  const session = recordingSession();
  const program = await wholeProgram(session);
  const paths = commands.map(({ path }) => path.split(' '));
  const families = [...new Set(paths.map(([family]) => family as string))].map((family) => [family]);
  for (const path of [[], ...families, ...paths]) commandNamed(program, path).outputHelp();
  const lines = session.ran().stdout.split('\n');
  expect(lines.length).toBeGreaterThan(1000);
  // An address is one word.
  expect(lines.filter((line) => line.length > 80 && line.trim().includes(' '))).toEqual([]);
});

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
