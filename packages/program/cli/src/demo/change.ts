import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CliError } from '../cli-error/cli-error.ts';
import { commitId } from './git-objects.ts';
import { REWRITTEN, REWRITTEN_PATH } from './vendored-package.ts';

const execute = promisify(execFile);

/** One commit of an agent, as git tells it. */
export type Change = {
  /** Whether there is a repository that git can read. */
  readonly isRepository: boolean;
  readonly commit: string;
  readonly patch: string;
  /** What is shown of it. */
  readonly shown: string;
  readonly files: readonly string[];
  readonly linesAdded: number;
  readonly linesRemoved: number;
};

const BEFORE = `export function total(items) {
  let sum = 0;
  for (const item of items) sum += item.price;
  return sum;
}
`;
const AFTER = `/** Sum of price times quantity, in cents, after the discount of the cart. */
export function total(items, discount = 0) {
  if (discount < 0 || discount > 1) throw new RangeError('a discount is a share from 0 to 1');
  const sum = items.reduce((cents, { price, quantity = 1 }) => cents + price * quantity, 0);
  return Math.round(sum * (1 - discount));
}
`;
const TEST = `import assert from 'node:assert/strict';
import { total } from '../src/cart.js';

assert.equal(total([{ price: 250, quantity: 2 }], 0.1), 450);
`;

const MANIFEST = {
  name: 'webshop',
  version: '1.5.0',
  license: 'Apache-2.0',
  dependencies: { '@acme/pricing': '^3.0.0' },
};
const LOCKED = { version: '3.2.1', license: 'MIT' };
const LOCKFILE = {
  name: MANIFEST.name,
  version: MANIFEST.version,
  lockfileVersion: 3,
  packages: { '': MANIFEST, 'node_modules/@acme/pricing': LOCKED },
};

const BASE = {
  'package.json': `${JSON.stringify(MANIFEST, null, 2)}\n`,
  'package-lock.json': `${JSON.stringify(LOCKFILE, null, 2)}\n`,
  'src/cart.js': BEFORE,
};
const WRITTEN = { 'src/cart.js': AFTER, 'test/cart.test.js': TEST, [REWRITTEN_PATH]: REWRITTEN };
const MESSAGES = ['Add up a cart', 'Count quantities and take off a discount'] as const;
const AUTHOR = { name: 'code-writer', email: 'code-writer@agents.example.com' };

/** Lets an agent change the webshop in `folder`: two commits, by git where it is installed. */
export async function makeChange(folder: string): Promise<Change> {
  await mkdir(folder, { recursive: true });
  const isRepository = await hasGit(folder);
  if (isRepository) await runGit(folder, ['init', '--quiet', '--initial-branch=main']);
  for (const [files, message] of [
    [BASE, MESSAGES[0]],
    [WRITTEN, MESSAGES[1]],
  ] as const) {
    for (const [path, content] of Object.entries(files)) await write(folder, path, content);
    if (!isRepository) continue;
    await runGit(folder, ['add', '.']);
    await runGit(folder, ['commit', '--quiet', '--message', message]);
  }
  return isRepository ? await changeByGit(folder) : changeWithoutGit();
}

async function changeByGit(folder: string): Promise<Change> {
  const git = (...args: string[]) => runGit(folder, args);
  const numbers = (await git('show', '--numstat', '--format=', 'HEAD'))
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  const sum = (column: number) => numbers.reduce((total, row) => total + Number(row[column]), 0);
  return {
    isRepository: true,
    commit: (await git('rev-parse', 'HEAD')).trim(),
    patch: await git('show', '--format=', 'HEAD'),
    shown: `$ git show --stat\n${(await git('show', '--stat', '--format=%h %s', 'HEAD')).trim()}`,
    files: numbers.map((row) => row[2] as string),
    linesAdded: sum(0),
    linesRemoved: sum(1),
  };
}

/** The same commit where there is no git: with the id that git would give it, and a patch that git would apply. */
function changeWithoutGit(): Change {
  const who = { ...AUTHOR, seconds: Math.floor(Date.now() / 1000) };
  const commit = commitId({ ...BASE, ...WRITTEN }, MESSAGES[1], who, commitId(BASE, MESSAGES[0], who));
  const hunks = Object.entries(WRITTEN).map(([path, after]) =>
    replacementPatch(path, (BASE as Readonly<Record<string, string>>)[path], after),
  );
  const count = (sign: string) => hunks.join('').match(new RegExp(`^\\${sign}(?!\\${sign})`, 'gm'))?.length ?? 0;
  return {
    isRepository: false,
    commit,
    patch: hunks.join(''),
    shown: `git is not installed: there is a commit, and no repository\n${commit.slice(0, 7)} ${MESSAGES[1]}`,
    files: Object.keys(WRITTEN),
    linesAdded: count('+'),
    linesRemoved: count('-'),
  };
}

/** A file's part of a patch that takes all of its lines away and puts the new ones there. */
function replacementPatch(path: string, before: string | undefined, after: string): string {
  const lines = (text: string) => text.trimEnd().split('\n');
  const removed = before === undefined ? [] : lines(before);
  const added = lines(after);
  return [
    `diff --git a/${path} b/${path}`,
    ...(before === undefined ? ['new file mode 100644', '--- /dev/null'] : [`--- a/${path}`]),
    `+++ b/${path}`,
    `@@ -${removed.length === 0 ? 0 : 1},${removed.length} +1,${added.length} @@`,
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    '',
  ].join('\n');
}

/** The files of the changed tree, by path: what the image is built from. */
export async function readTree(folder: string): Promise<Record<string, Uint8Array>> {
  const paths = Object.keys({ ...BASE, ...WRITTEN });
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [`app/${path}`, await readFile(join(folder, path))])),
  );
}

async function write(folder: string, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

/** Whether git is installed and runs. */
async function hasGit(folder: string): Promise<boolean> {
  return execute('git', ['--version'], { cwd: folder }).then(
    () => true,
    () => false,
  );
}

async function runGit(cwd: string, args: readonly string[]): Promise<string> {
  const env = {
    ...process.env,
    // The person's own settings (signing, hooks, templates) stay out of it.
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: AUTHOR.name,
    GIT_AUTHOR_EMAIL: AUTHOR.email,
    GIT_COMMITTER_NAME: AUTHOR.name,
    GIT_COMMITTER_EMAIL: AUTHOR.email,
  };
  try {
    return (await execute('git', args, { cwd, env })).stdout;
  } catch (cause) {
    throw new CliError('cli.demo_step_failed', `git ${args[0]} failed`, { cause });
  }
}
