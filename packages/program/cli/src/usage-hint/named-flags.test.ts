import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wholeProgram } from '../../test/command-line.ts';
import { commandNamed, commandPath } from '../program/command-table.ts';

const packages = join(import.meta.dirname, '../../../..');
const program = await wholeProgram();
const sources = globSync('*/*/src/**/*.{ts,codes.md}', { cwd: packages })
  .filter((file) => !/\.test\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(packages, file), 'utf8') }));

const flagsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);

test('a command line in a text has only flags of its command', () => {
  const wrong: string[] = [];
  let count = 0;
  for (const { file, text } of sources) {
    for (const [line, words = ''] of text.matchAll(/colophon ([a-z]+(?:[ -][a-z]+)*) [^\n,;(`'"]*/g)) {
      const command = commandNamed(program, words.split(' '));
      const known = ['--data', '--help', ...command.options.map(({ long }) => long)];
      const flags = commandPath(command) === '' ? [] : flagsIn(line);
      count += flags.length;
      wrong.push(
        ...flags.filter((flag) => !known.includes(flag)).map((flag) => `${file}: ${line.trim()} has no ${flag}`),
      );
    }
  }
  expect(wrong).toEqual([]);
  expect(count).toBeGreaterThan(50);
});

/** Flags whose value is of several kinds, each with its reason. */
const SEVERAL_KINDS: Readonly<Record<string, string>> = {
  '--fail-on': 'the level from which the command fails, on the scale of what it judges',
  '--kev': 'the known-exploited catalog; update and schedule also fetch it',
  '--out': 'where the result goes; a report is a folder',
  '--sign': 'what a run made, to be signed; whether a published document is',
  '--to': 'where something goes; the shape of vex convert, which scripts were promised',
};

test('a flag takes the same kind of value in every command', async () => {
  const kinds = new Map<string, Set<string>>();
  const visit = (command: typeof program): void => {
    for (const { long, flags } of command.options) {
      const value = /[<[].*$/.exec(flags)?.[0] ?? 'switch';
      kinds.set(long ?? '', (kinds.get(long ?? '') ?? new Set()).add(value));
    }
    for (const one of command.commands) visit(one);
  };
  visit(program);
  const several = [...kinds].filter(([long, values]) => values.size > 1 && !(long in SEVERAL_KINDS));
  expect(several.map(([long, values]) => `${long} ${[...values].join(' ')}`)).toEqual([]);
});
