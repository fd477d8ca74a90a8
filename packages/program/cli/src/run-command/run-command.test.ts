import { expect, test } from 'vitest';
import { documentOf, recordingSession, runLine } from '../../test/command-line.ts';
import { runCommand } from './run-command.ts';

const COMMANDS = ['demo', 'up', 'env', 'token', 'hash', 'sign-blob', 'attest-blob', 'verify-blob'];
const MORE = ['verify-blob-attestation', 'sign', 'attest', 'verify', 'verify-attestation', 'review', 'admit'];
const REST = ['log', 'query', 'evidence', 'inspect', 'ledger', 'sbom'];

test('help tells every command, and is no error', async () => {
  const { exitCode, stdout, stderr } = await runLine(['--help']);
  expect(exitCode).toBe(0);
  expect(stderr).toBe('');
  for (const name of [...COMMANDS, ...MORE, ...REST]) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
});

test.each([...COMMANDS, ...MORE, ...REST])('colophon %s --help says what it takes', async (name) => {
  const { exitCode, stdout } = await runLine([name, '--help']);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(`Usage: colophon ${name}`);
});

test('the version is no error', async () => {
  expect(await runLine(['--version'])).toMatchObject({ exitCode: 0, stdout: '0.1.0\n' });
});

test.each([
  ['no subcommand', ['ledger']],
  ['an unknown command', ['nonsense']],
  ['an unknown subcommand', ['log', 'nonsense']],
  ['an unknown flag', ['env', '--nonsense']],
  ['a missing argument', ['verify-blob', '--bundle', 'x']],
  ['one argument too many', ['inspect', 'a', 'b']],
  ['a missing flag', ['admit', 'image']],
  ['a flag without its value', ['admit', 'image', '--policy']],
  ['a value that is none of the choices', ['env', '--output', 'yaml']],
  ['a port that is none', ['up', '--port', '70800']],
  ['a port that is no number', ['up', '--port', '0x50']],
  ['an empty value', ['env', '--data', '']],
])('%s is a usage error: exit 1, said to people', async (_title, line) => {
  const { exitCode, stdout, stderr } = await runLine(line, { COLOPHON_HOME: '/nowhere' });
  expect(exitCode).toBe(1);
  expect(stdout).toBe('');
  expect(stderr).not.toBe('');
});

test.each([
  ['verfy-blob', 'verify-blob'],
  ['ledgr', 'ledger'],
  ['quer', 'query'],
])('colophon %s: did you mean %s?', async (wrong, right) => {
  const { exitCode, stderr } = await runLine([wrong]);
  expect(exitCode).toBe(1);
  expect(stderr).toBe(`error cli.usage: unknown command '${wrong}'\n  next     colophon ${right}\n`);
});

test('a command of a family that is called without it is found there', async () => {
  expect((await runLine(['licenses', 'bom.json'])).stderr).toContain('next     colophon sbom licenses bom.json');
  expect((await runLine(['import', 'x.json'])).stderr).toContain(
    'expected colophon evidence import or colophon scan import\n',
  );
  expect(documentOf(await runLine(['licenses', '-o', 'json']))).toMatchObject({
    error: { code: 'cli.usage', next: 'colophon sbom licenses -o json' },
  });
});

test.each([['--output', 'json'], ['--output=json'], ['-o', 'json'], ['-ojson'], ['-o=json']])(
  'with %s %s a usage error is one document',
  async (...flag) => {
    const ran = await runLine(['nonsense', ...flag.filter((part) => typeof part === 'string')]);
    expect(ran.exitCode).toBe(1);
    expect(documentOf(ran)).toMatchObject({ ok: false, error: { code: 'cli.usage', next: 'colophon --help' } });
  },
);

test.each([
  [
    ['verify-blob', '--bundle', 'b', '--certificate-identiy', 'x', 'f'],
    "unknown option '--certificate-identiy'",
    'colophon verify-blob --bundle b --certificate-identity x f -o json',
  ],
  [['verfy-blob'], "unknown command 'verfy-blob'", 'colophon verify-blob -o json'],
  [['admit', 'x'], 'not given: --policy', 'colophon admit x -o json --policy FILE'],
  [
    ['review', 'list', 'x'],
    "too many arguments for 'list'. Expected 0 arguments but got 1: x.",
    'colophon review list --help',
  ],
  [['env', '--nonsense'], "unknown option '--nonsense'", 'colophon env --help'],
])('the document of %j has a message of one line, and what to do next', async (line, message, next) => {
  const ran = await runLine([...line, '-o', 'json']);
  expect(documentOf(ran).error).toMatchObject({ code: 'cli.usage', message, next });
});

test.each([
  [`sha256:${'a'.repeat(64)}`, 'a digest is named by a flag here: --sha <digest>'],
  ['A'.repeat(64), 'a digest is named by a flag here: --sha <digest>'],
  ['change.patch', 'a file is named by a flag here: --artifact <file-or-digest>'],
])('log search %s: the flag that it is for', async (argument, hint) => {
  expect((await runLine(['log', 'search', argument])).stderr).toContain(`expected ${hint}\n`);
  expect(documentOf(await runLine(['log', 'search', argument, '-o', 'json'])).error.expected).toBe(hint);
});

test.each([[['--output', 'json']], [['--output=json']], [['-o', 'json']], [['-ojson']]])(
  'with %j an error of a command is one document, and people hear nothing',
  async (flag) => {
    const ran = await runLine(['inspect', '/nowhere', ...flag]);
    expect(ran).toMatchObject({ exitCode: 1, stderr: '' });
    expect(documentOf(ran)).toMatchObject({ ok: false, error: { code: 'cli.file_unreadable', checked: '/nowhere' } });
  },
);

test('the last --output counts', async () => {
  expect((await runLine(['inspect', '/nowhere', '-o', 'json', '-o', 'table'])).stdout).toBe('');
  expect((await runLine(['inspect', '/nowhere', '-o', 'table', '--output=json'])).stderr).toBe('');
});

test('an error for people stands on standard error, with what to do next', async () => {
  const { exitCode, stdout, stderr } = await runLine(['env'], { COLOPHON_HOME: '/nowhere' });
  expect(exitCode).toBe(11);
  expect(stdout).toBe('');
  expect(stderr).toBe(
    'error cli.no_issuer: nothing was ever started in this data folder\n  checked  /nowhere\n  next     colophon up\n',
  );
});

test('what breaks on an interrupt is no error: whoever ended the program knows why', async () => {
  const session = recordingSession({ COLOPHON_HOME: '/nowhere' });
  await runCommand(['env'], { ...session, signal: AbortSignal.abort() });
  expect(session.ran()).toEqual({ exitCode: 0, stdout: '', stderr: '' });
});
