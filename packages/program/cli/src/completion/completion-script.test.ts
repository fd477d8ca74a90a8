import { expect, test } from 'vitest';
import { documentOf, runLine, wholeProgram } from '../../test/command-line.ts';
import { commandShape, everyShape, type ValueShape } from './command-shape.ts';

const program = commandShape(await wholeProgram());
const commands = everyShape(program);

test.each(['bash', 'zsh', 'fish'])('the script for %s has every command with its flags', async (shell) => {
  const { exitCode, stdout, stderr } = await runLine(['completion', shell]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const rows = stdout.split(/^ +(?:case |\()?'([a-z -]*)'\)?$/m).slice(1);
  expect(rows.filter((_text, index) => index % 2 === 0)).toEqual(commands.map(({ path }) => path.join(' ')));
  for (const [index, { flags, commands: below }] of commands.entries()) {
    const row = rows[index * 2 + 1] as string;
    for (const name of [...flags.flatMap(({ names }) => names), ...below.map(({ path }) => path.at(-1))]) {
      expect(row).toMatch(new RegExp(`(?<![\\w-])${name}(?![\\w-])`));
    }
  }
});

test('another shell is a usage error', async () => {
  expect(await runLine(['completion', 'tcsh'])).toMatchObject({ exitCode: 1, stdout: '' });
  expect(documentOf(await runLine(['completion', 'tcsh', '-o', 'json'])).error.code).toBe('cli.usage');
  expect((await runLine(['completion'])).stderr).toContain('cli.option_missing');
});

test('what is called a file or a folder is completed as one', () => {
  const flags = commands.flatMap((one) => one.flags);
  const values = [...commands.flatMap((one) => one.arguments), ...flags.flatMap(({ value }) => value ?? [])];
  const named = (part: RegExp, kind: ValueShape['kind']) =>
    values.filter((value) => part.test(value.name) && value.kind !== kind && value.choices.length === 0);
  expect(named(/file/, 'file')).toEqual([]);
  expect(named(/folder/, 'folder')).toEqual([]);
  const described = flags.filter(
    ({ value, description }) => value?.kind === 'word' && /^(a )?file\b/.test(description),
  );
  expect(described.map(({ written }) => written)).toEqual([]);
});
