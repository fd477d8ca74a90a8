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

test('one thing has one placeholder, and what may be several is named in the singular', async () => {
  const program = await wholeProgram();
  const names = commands.flatMap(({ path }) => commandNamed(program, path.split(' ')).registeredArguments.slice());
  expect(names.filter((one) => one.variadic && one.name().endsWith('s')).map((one) => one.name())).toEqual([]);
  const described = (path: string) =>
    commandNamed(program, path.split(' ')).registeredArguments.map((one) => one.name());
  expect(described('kev diff')).toEqual(described('sbom diff'));
  expect(described('kev enrich')).toEqual(described('scan import'));
});

test('one flag with one meaning has one description', async () => {
  const program = await wholeProgram();
  const said = (flag: string, ...paths: readonly string[]) =>
    new Set(
      paths.map((path) => commandNamed(program, path.split(' ')).options.find((one) => one.long === flag)?.description),
    );
  const verifying = ['verify', 'admit', 'review list', 'log search', 'log get', 'sbom comments', 'vex verify'];
  expect([...said('--trusted-root', ...verifying)]).toHaveLength(1);
  expect([...said('--key', 'verify-blob', 'verify-blob-attestation', 'vex verify', 'sbom fetch')]).toHaveLength(1);
  expect([...said('--key', 'sign-blob', 'attest-blob', 'sbom publish', 'report quarterly')]).toHaveLength(1);
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
