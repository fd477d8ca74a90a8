import { expect, test } from 'vitest';
import { documentOf, runLine } from '../../test/command-line.ts';

test.each([
  [['scan', 'import', '--format', 'json', 'x.json'], /here it is -o, --output <format>, one of table, json/],
  [['scan', 'import', '-f', 'x.json'], /--output <format>.* or --fail-on <severity>/],
  [['scan', 'import', '--severity', 'high', 'x.json'], /here it is --fail-on <severity>, one of critical/],
  [['scan', 'import', '--vex', 'x.json', 'y.json'], /for that there is colophon vex apply/],
  [['remediation', 'list', '--status', 'open'], /here it is --open/],
  [['scan', 'run', 'shop.cdx.json'], /named by a flag here: --sbom <file>/],
  [['kev', 'update', 'kev.json'], /named by a flag here: --kev <file-or-url>/],
])('%j is told what it is called here', async (line, words) => {
  const { exitCode, stderr } = await runLine(line);
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(words);
  expect(documentOf(await runLine([...line, '-o', 'json'])).error.expected).toMatch(words);
});

test.each([
  [['scan', 'import', '--failon', 'high', 'x.json']],
  [['scan', 'import', '--nonsense', 'x.json']],
  [['scan', 'import', '--constructor', 'x.json']],
  [['inspect', 'a', 'b']],
])('%j gets no hint of ours', async (line) => {
  expect((await runLine(line)).stderr).not.toMatch(/here it is|for that there is|named by a flag/);
});

test.each([
  ['kev updat --kev f', "unknown command 'updat'", 'colophon kev update --kev f'],
  ['help foo', "unknown command 'foo'", 'colophon --help'],
  ['help kev update2', "unknown command 'update2'", 'colophon help kev update'],
  [
    'verify --certificate-identiy x',
    "unknown option '--certificate-identiy'",
    'colophon verify --certificate-identity x',
  ],
  ['sign-blob --out x.json a', "unknown option '--out'", 'colophon sign-blob --bundle x.json a'],
  ['scan import --format=json a', "unknown option '--format=json'", 'colophon scan import --output json a'],
  ['scan import --format xml a', "unknown option '--format'", 'colophon scan import --help'],
  ['scan import --json a', "unknown option '--json'", 'colophon scan import --help'],
  ['vex show --outpt x.json a', "unknown option '--outpt'", 'colophon vex show --help'],
  ['kev status -o yaml', "option '-o, --output <format>' argument 'yaml' is invalid.", 'colophon kev status --help'],
])('%s is refused with a code and a line to type', async (line, message, next) => {
  const { exitCode, stdout, stderr } = await runLine(line.split(' '));
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr.startsWith(`error cli.usage: ${message}`)).toBe(true);
  expect(stderr.endsWith(`\n  next     ${next}\n`)).toBe(true);
});

test.each([
  ['sign-blob -o x.json a.txt', 'by --bundle <file>', 'colophon sign-blob --bundle x.json a.txt'],
  ['vex merge a.json --output=./all.json', 'by --out <file>', 'colophon vex merge a.json --out ./all.json'],
  ['kev status -o status.json', 'by > FILE', 'colophon kev status --help'],
])('where a file is named is told: %s', async (line, expected, next) => {
  const { exitCode, stderr } = await runLine(line.split(' '));
  expect(exitCode).toBe(1);
  expect(stderr).toContain(`expected a file is named ${expected}\n`);
  expect(stderr).toContain(`next     ${next}\n`);
});

test.each([
  ['help kev update', 'Usage: colophon kev update '],
  ['kev help update', 'Usage: colophon kev update '],
  ['help kev', 'Usage: colophon kev '],
  ['help', 'Usage: colophon '],
])('%s is the help of the command that it names', async (line, usage) => {
  const { exitCode, stdout } = await runLine(line.split(' '));
  expect([exitCode, stdout.startsWith(usage)]).toEqual([0, true]);
});

test('in JSON nothing of a line that cannot be parsed is told to people', async () => {
  const { stderr, stdout } = await runLine(['kev', 'update', '--nonsense', '-o', 'json']);
  expect([stderr, JSON.parse(stdout).error.code]).toEqual(['', 'cli.usage']);
});

test.each([
  [['hash', 'prompt', 'write hunter2']],
  [['token', '--prompt', 'write hunter2', '--agent-name', 'a']],
  [['token', '--promt', 'write hunter2']],
  [['attest', '--prompt=write hunter2', '--type', 'agent-run']],
])('a prompt in place of its file is not repeated: %j', async (line) => {
  const { exitCode, stderr } = await runLine(line);
  expect(exitCode).not.toBe(0);
  expect(stderr).not.toContain('hunter2');
});

test.each([
  ['sign --identity-tokn hunter2 x', 'colophon sign --identity-token VALUE x'],
  ['licenses --identity-token hunter2', 'colophon sbom licenses --identity-token VALUE'],
  ['kev updat --identity-token=hunter2', 'colophon kev update --identity-token VALUE'],
])('what may be a secret is not repeated: %s', async (line, next) => {
  const { stderr } = await runLine(line.split(' '));
  expect(stderr).not.toContain('hunter2');
  expect(stderr).toContain(`next     ${next}\n`);
});

test.each([
  ['remediation export --output json', 'colophon remediation export'],
  ['remediation export -o json --product-name shop', 'colophon remediation export --product-name shop'],
  ['remediation evidence sha256:a -o=json', 'colophon remediation evidence sha256:a'],
  ['remediation export -ojson', 'colophon remediation export'],
  ['token --output table', 'colophon token'],
])('a command with one form of its result proposes no file with the name of a form: %s', async (line, next) => {
  const { exitCode, stdout, stderr } = await runLine(line.split(' '));
  expect(exitCode).toBe(1);
  expect(stdout + stderr).toContain('standard output');
  expect(stdout + stderr).not.toContain('--out json');
  if (stdout !== '') expect(documentOf({ exitCode, stdout, stderr }).error.next).toBe(next);
  else expect(stderr).toContain(`next     ${next}\n`);
});

test('a command without --output is given a file by -o as elsewhere', async () => {
  const { stderr } = await runLine(['remediation', 'export', '-o', 'records.json']);
  expect(stderr).toContain('next     colophon remediation export --out records.json\n');
});
