import { temporaryFolder } from '@colophon/testkit';
import type { Command, Option } from 'commander';
import { afterAll, expect, test } from 'vitest';
import { isRepeatable } from '../src/program/repeated-flag.ts';
import { documentOf, runLine, wholeProgram } from './command-line.ts';

/** Values of every kind that an option of ours reads; one of them is good for each option. */
const VALUES = [
  ...[
    'value',
    '7',
    '1',
    '10d',
    '2026-Q3',
    'high',
    '2026-11-21T10:00:00Z',
    '2026-11-21',
    'http://localhost:1',
    'CVE-2026-1234',
  ],
  ...[
    '00000000-0000-4000-8000-000000000000',
    'true',
    'dana@example.com',
    `sha256:${'a'.repeat(64)}`,
    'a'.repeat(40),
    'a'.repeat(64),
  ],
];

type Case = { readonly path: readonly string[]; readonly option: Option };

function casesOf(command: Command, path: readonly string[] = []): Case[] {
  return [
    ...command.options.map((option) => ({ path, option })),
    ...command.commands.flatMap((below) => casesOf(below, [...path, below.name()])),
  ];
}

const takesValue = ({ required, optional }: Option) => required || optional;
const program = await wholeProgram();
const all = casesOf(program);
const single = all.filter(({ option }) => takesValue(option) && !isRepeatable(option));
const title = ({ path, option }: Case) => [...path, option.long].join(' ');

function valueFor({ argChoices, parseArg, long }: Option): string {
  const reads = (value: string) => {
    try {
      parseArg?.(value, undefined);
      return true;
    } catch {
      return false;
    }
  };
  const value = [...(argChoices ?? []), 'json', ...VALUES].find(reads);
  if (value === undefined) throw new Error(`${long} takes none of the values that this test knows`);
  return value;
}

/** Each spelling of an option with its value: `--name=value`, `--name value`, `-nvalue`, `-n value`. */
function spellings(option: Option): string[][] {
  const value = valueFor(option);
  return [
    [`${option.long}=${value}`],
    ...(option.required ? [[`${option.long}`, value]] : []),
    ...(option.short ? [[`${option.short}${value}`]] : []),
    ...(option.short && option.required ? [[option.short, value]] : []),
  ];
}

const home = temporaryFolder(afterAll);
const codeOf = async (line: readonly string[]) => {
  const ran = await runLine(line, { HOME: home });
  expect(ran.exitCode).toBe(1);
  const isDocument = ran.stdout.startsWith('{');
  return isDocument ? documentOf(ran).error.code : /^error (\S+):/m.exec(ran.stderr)?.[1];
};

test('there are commands, and options of both kinds', () => {
  expect(single.length).toBeGreaterThan(300);
  expect(all.filter(({ option }) => isRepeatable(option)).length).toBeGreaterThan(30);
});

test.each(single.map((one) => [title(one), one] as const))('%s is refused twice', async (_title, { path, option }) => {
  const all = spellings(option);
  // `--name value --name=value`; with a short name also each spelling beside the one before it.
  for (const [index, spelling] of (option.short ? all : all.slice(0, 1)).entries()) {
    const line = [...path, ...(all.at(index - 1) ?? []), ...spelling];
    expect(await codeOf(line), line.join(' ')).toBe('cli.flag_repeated');
  }
});

const commands = [...new Set(all.map(({ path }) => path.join(' ')))].filter((path) => path !== '');

test.each(commands)('colophon --data before and behind %s is refused', async (path) => {
  const line = path.split(' ');
  expect(await codeOf(['--data', 'one', ...line, '--data', 'two'])).toBe('cli.flag_repeated');
});

const repeatable = all.filter(({ option }) => isRepeatable(option));
test.each(repeatable.map((one) => [title(one), one] as const))(
  '%s may be given twice',
  async (_title, { path, option }) => {
    // Parsed only: what the command then misses is another matter.
    const fresh = await wholeProgram();
    const command = path.reduce<Command>((above, name) => above.commands.find((one) => one.name() === name)!, fresh);
    const [spelling] = spellings(option);
    command.parseOptions([...spelling!, ...spelling!]);
    expect(command.getOptionValue(option.attributeName())).toHaveLength(2);
  },
);

const flags = all.filter(({ option }) => !takesValue(option));
test.each(flags.map((one) => [title(one), one] as const))(
  '%s may be given twice: it says the same',
  async (_title, one) => {
    const fresh = await wholeProgram();
    const command = one.path.reduce<Command>((above, name) => above.commands.find((c) => c.name() === name)!, fresh);
    const twice = [`${one.option.long}`, `${one.option.long}`];
    if (one.option.long === '--version') return;
    expect(command.parseOptions(twice).unknown).toEqual([]);
  },
);

test('two names of one flag are one flag', async () => {
  const issuer = ['--issuer', 'http://localhost:1', '--oidc-issuer', 'http://localhost:2'];
  expect(await codeOf(['sign-blob', 'file', ...issuer, '-o', 'json'])).toBe('cli.usage');
});

test('what was given is not repeated, since it may be a token', async () => {
  const token = ['--identity-token', 'SECRET-ONE', '--identity-token', 'SECRET-TWO'];
  for (const output of ['json', 'table']) {
    const { stdout, stderr } = await runLine(['sign-blob', 'file', ...token, '-o', output]);
    expect(stdout + stderr).toContain('cli.flag_repeated');
    expect(stdout + stderr).not.toMatch(/SECRET/);
  }
});
