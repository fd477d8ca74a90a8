import { expect, test } from 'vitest';
import { runLine, wholeProgram } from '../../test/command-line.ts';
import { wordsOf } from '../../test/help-examples.ts';
import { commandOf, partsOf } from '../program/typed-line.ts';
import { FIRST_STEPS } from './first-steps.ts';

test('without a command five lines to type are shown, the demo first, and it is no error', async () => {
  const { exitCode, stdout, stderr } = await runLine([]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const lines = [...stdout.matchAll(/^ {2}(colophon .*?) {2,}\S/gm)].map(([, line]) => line);
  expect(lines).toEqual(FIRST_STEPS.map(({ line }) => line));
  expect(lines).toHaveLength(5);
  expect(lines[0]).toBe('colophon demo');
  expect(stdout).toContain('colophon --help');
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test.each(FIRST_STEPS)('$line is a line that the program takes', async ({ line }) => {
  const program = await wholeProgram();
  const parts = partsOf(program, wordsOf(line));
  const command = commandOf(program, parts);
  expect(command.commands).toEqual([]);
  const given = parts.filter(({ kind }) => kind === 'argument').length;
  expect(given).toBeGreaterThanOrEqual(command.registeredArguments.filter(({ required }) => required).length);
  expect(given).toBeLessThanOrEqual(command.registeredArguments.length);
});

test('a flag without a command is a usage error still', async () => {
  expect(await runLine(['--data', 'x'])).toMatchObject({ exitCode: 1, stdout: '' });
  expect(await runLine(['--output', 'json'])).toMatchObject({ exitCode: 1, stderr: '' });
});
