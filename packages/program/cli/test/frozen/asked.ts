import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect } from 'vitest';

// What the program answered on 2026-11-23 to every command line of every test: its exit and the codes that it named.
// Tests may be moved and rewritten; what they ask is still answered so. FROZEN=write writes the file of each test file
// that runs anew; the difference is an answer that changed, and is committed with its reason.
const CLI = join(import.meta.dirname, '../..');
const isWriting = process.env['FROZEN'] === 'write';

const CODES = new Set(
  [...readFileSync(join(CLI, '../../../docs/errors.md'), 'utf8').matchAll(/^\| `([a-z_]+\.[a-z_0-9]+)` \|/gm)].map(
    ([, code]) => code as string,
  ),
);

/** Lines of each test: command, exit and codes, separated by tabs. */
const heard = new Map<string, Set<string>>();
let isHeard = false;

/** Begins a file of tests. */
export function hearAsked(): void {
  heard.clear();
  isHeard = true;
}

/** Keeps what a command line was answered, under the test that asked. */
export function keepVerdict(
  args: readonly string[],
  { exitCode, stdout, stderr }: { readonly exitCode: number; readonly stdout: string; readonly stderr: string },
): void {
  const { currentTestName } = expect.getState();
  if (currentTestName === undefined) return;
  if (!isHeard) throw new Error('what this test asks would be compared with nothing: asked.setup.ts did not run');
  const test = oneLine(currentTestName);
  const command = commandOf(args);
  const named = `${stdout}\n${stderr}`.match(/\b[a-z_]+\.[a-z_0-9]+\b/g) ?? [];
  const codes = [...new Set(named.filter((word) => CODES.has(word)))].sort();
  const lines = heard.get(test) ?? new Set();
  heard.set(test, lines.add([command, exitCode, codes.join(' ')].join('\t')));
}

/** The name on one line, and without the folders of the machine that runs it. */
function oneLine(name: string): string {
  return name.replaceAll(/\s+/g, ' ').replaceAll(/(?<=^|[ "'])\/(?:[\w.+-]+\/)+/g, '/');
}

/** The words before the first flag or argument. */
function commandOf(args: readonly string[]): string {
  const end = args.findIndex((arg) => !/^[a-z]+(?:-[a-z]+)*$/.test(arg));
  return args
    .slice(0, end === -1 ? args.length : end)
    .slice(0, 3)
    .join(' ');
}

/** Full names of the tests below a suite, by whether they passed. */
type Task = {
  readonly type: string;
  readonly name: string;
  readonly mode?: string;
  readonly tasks?: readonly Task[];
  readonly result?: { readonly state?: string };
};
function testsOf(
  suite: Task,
  above: readonly string[] = [],
): Array<{ name: string; hasPassed: boolean; ran: boolean }> {
  return (suite.tasks ?? []).flatMap((task) => {
    const path = [...above, task.name];
    if (task.type === 'suite') return testsOf(task, path);
    const state = task.result?.state;
    return [
      { name: oneLine(path.join(' > ')), hasPassed: state === 'pass', ran: state === 'pass' || state === 'fail' },
    ];
  });
}

/** Names of groups that this machine skips whole: which tests they would have it cannot say. */
function skippedSuites(suite: Task, above: readonly string[] = []): string[] {
  return (suite.tasks ?? []).flatMap((task) => {
    const path = [...above, task.name];
    if (task.type !== 'suite') return [];
    return task.mode === 'skip' ? [oneLine(path.join(' > '))] : skippedSuites(task, path);
  });
}

/** Compares what the tests of one file were answered with its table. It runs when the file has ended. */
export function compareAsked(suite: object): void {
  const { testPath } = expect.getState();
  const place = relative(CLI, testPath as string)
    .replaceAll('/', '.')
    .replace(/\.test\.ts$/, '.tsv');
  const file = join(import.meta.dirname, 'asked', place);
  const rows = [...heard].flatMap(([test, lines]) => [...lines].sort().map((line) => `${test}\t${line}`));
  isHeard = false;
  if (isWriting) {
    if (rows.length === 0) return;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${rows.sort().join('\n')}\n`);
    return;
  }
  if (!existsSync(file)) return;
  const frozen = readFileSync(file, 'utf8').slice(0, -1).split('\n');
  const tests = new Map(testsOf(suite as unknown as Task).map((test) => [test.name, test]));
  const nameOf = (row: string) => row.slice(0, row.indexOf('\t'));
  const skipped = skippedSuites(suite as unknown as Task);
  const isThere = (name: string) => tests.has(name) || skipped.some((group) => name.startsWith(`${group} > `));
  const gone = [...new Set(frozen.map(nameOf))].filter((name) => !isThere(name));
  expect(gone, 'tests whose answers are frozen').toEqual([]);
  const isAsked = (row: string) => tests.get(nameOf(row))?.hasPassed === true;
  const known = new Set(frozen.map(nameOf));
  expect(rows.filter((row) => isAsked(row) && known.has(nameOf(row))).sort()).toEqual(frozen.filter(isAsked));
}
