import { expect, test } from 'vitest';
import { documentOf, runLine, wholeProgram } from '../../test/command-line.ts';
import { commandNamed } from '../program/command-table.ts';
import { RENAMED_FLAGS } from './renamed-flag.ts';

const program = await wholeProgram();
const flagsOf = (path: string) => commandNamed(program, path.split(' ')).options;
const cases = RENAMED_FLAGS.flatMap(({ commands, old, now }) => commands.map((path) => [path, old, now] as const));

test.each(cases)('colophon %s %s is refused, and %s is named', async (path, old, now) => {
  const flags = flagsOf(path).find(({ long }) => long === now)?.flags;
  expect(flags).toBeDefined();
  expect(flagsOf(path).map(({ long }) => long)).not.toContain(old);
  for (const spelling of [[old, 'value'], [`${old}=value`]]) {
    const line = [...path.split(' '), ...spelling];
    const { exitCode, stderr } = await runLine(line);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`${old} is called ${now} now`);
    const { error } = documentOf(await runLine([...line, '-o', 'json']));
    expect(error).toMatchObject({ code: 'cli.usage', found: old, expected: flags });
  }
});

test.each([
  ['vex create --cve CVE-1', '--cve is called --vulnerability here', 'colophon vex create --vulnerability CVE-1'],
  ['sbom fetch --certificate-key k', '--certificate-key is called --key here', 'colophon sbom fetch --key k'],
  ['vex convert --lossless', '--lossless is called --fail-on-loss here', 'colophon vex convert --fail-on-loss'],
  ['kev enrich --feed=f', '--feed is called --kev here', 'colophon kev enrich --kev f'],
])('an old name is known in a command that never had it: %s', async (line, message, next) => {
  const { error } = documentOf(await runLine([...line.split(' '), '-o', 'json']));
  expect(error).toMatchObject({ code: 'cli.usage', message, next: `${next} -o json` });
});

test('all old names of a line are told at once, and none is in the line to type', async () => {
  const line = 'sbom vendor p --from X --name n --agent a --model m --root .';
  const { error } = documentOf(await runLine([...line.split(' '), '-o', 'json']));
  expect(error).toMatchObject({
    code: 'cli.usage',
    found: '--from, --name, --agent, --model, --root',
    next: 'colophon sbom vendor p --made-from X --component-name n --agent-name a --model-id m --repository . -o json',
  });
  expect(error.message).toContain('--from is called --made-from now');
  expect(error.message).toContain('--root is called --repository now');
});

test('a value is no flag, whatever it looks like', async () => {
  const { stderr } = await runLine(['remediation', 'update', '--reason', '--policy']);
  expect(stderr).not.toContain('is called');
});

test('what stands behind -- is a file, whatever it is called', async () => {
  const { stderr } = await runLine(['vex', 'apply', '--scan', 'none.json', '--', '--findings']);
  expect(stderr).not.toContain('is called');
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
