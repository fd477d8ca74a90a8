import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type Command, Help } from 'commander';
import { expect, test } from 'vitest';
import { termOf } from '../src/program/command-table.ts';
import { documentOf, runLine, wholeProgram } from './command-line.ts';

/** Modules that the program loads from source before it knows which command is meant. */
const MOST_MODULES = 400;
const PROGRAM = join(import.meta.dirname, '../bin/colophon.js');

test.each(['--version', '--help'])(`colophon %s loads at most ${MOST_MODULES} modules`, (flag) => {
  const counter = join(import.meta.dirname, 'count-modules.ts');
  const script = `"$0" --import "$1" "$2" ${flag} 2>&1 >/dev/null`;
  const counted = execFileSync('sh', ['-c', script, process.execPath, counter, PROGRAM]).toString();
  const modules = Number(/^(\d+) modules\n$/.exec(counted)?.[1]);
  expect(modules).toBeGreaterThan(10);
  expect(modules).toBeLessThanOrEqual(MOST_MODULES);
});

function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((below) => [below, ...everyCommand(below)]);
}

test('help says the same of a command, whether it is loaded or not', async () => {
  const listed = everyCommand(await wholeProgram()).filter((command) => termOf(command) !== undefined);
  expect(listed.length).toBeGreaterThan(50);
  for (const command of listed) expect(termOf(command)).toBe(new Help().subcommandTerm(command));
});

test('a folder that is called like a command is a folder', async () => {
  const ran = await runLine(['--data', 'hash', 'kev', '--data=up', 'show', 'CVE', '-o', 'json']);
  expect(documentOf(ran).error.code).toBe('cli.flag_repeated');
  const asked = await runLine(['--data', 'hash', 'env', '-o', 'json']);
  expect(documentOf(asked).error).toMatchObject({ code: 'cli.no_issuer', checked: expect.stringMatching(/hash$/) });
});
