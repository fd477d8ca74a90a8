import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wholeProgram } from '../../test/command-line.ts';
import { commandNamed, commandPath } from '../program/command-table.ts';
import { RENAMED_FLAGS } from './renamed-flag.ts';

const packages = join(import.meta.dirname, '..', '..', '..');
const program = await wholeProgram();
const sources = globSync('*/src/**/*.{ts,codes.md}', { cwd: packages })
  .filter((file) => !/\.test\.ts$|renamed-flag\.ts$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(packages, file), 'utf8') }));

/** Folders whose texts speak of the flags of certain commands. */
const COMMANDS_OF: Readonly<Record<string, RegExp>> = {
  'cli/src/commands/sbom/publish': /^sbom publish$/,
  'cli/src/commands/sbom/vendor': /^sbom vendor$/,
  'feeds/': /^(kev|scan|schedule|up|sbom (create|upload))\b/,
  'remediation-rules/src/remediation/': /^remediation /,
  'remediation/src/': /^(remediation|report) /,
  'sbom/src/publishing/': /^sbom (publish|fetch)$/,
  'sbom/src/vendored/': /^sbom vendor$/,
  'vex/src/': /^vex /,
};

const flagsIn = (text: string) => [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
const flagsOf = (line: readonly string[]) => commandNamed(program, line).options.map(({ long }) => long ?? '');

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

test('a text about certain commands names none of their flags by its old name', () => {
  const wrong: string[] = [];
  for (const [folder, paths] of Object.entries(COMMANDS_OF)) {
    const renamed = RENAMED_FLAGS.filter(({ commands }) => commands.some((path) => paths.test(path)));
    const own = renamed.flatMap(({ commands }) => commands.filter((path) => paths.test(path)));
    const present = new Set(own.flatMap((path) => flagsOf(path.split(' '))));
    for (const { file, text } of sources.filter((source) => source.file.startsWith(folder))) {
      for (const line of text.split('\n').filter((one) => !/\b(git|npm) /.test(one))) {
        const old = renamed.find((one) => !present.has(one.old) && flagsIn(line).includes(one.old));
        if (old !== undefined) wrong.push(`${file}: ${old.old} is called ${old.now} now`);
      }
    }
  }
  expect(wrong).toEqual([]);
});
