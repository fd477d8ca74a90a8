import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { CliError } from '../cli-error/cli-error.ts';
import { REWRITTEN, REWRITTEN_PATH } from './vendored-package.ts';

const execute = promisify(execFile);

/** One commit of a real repository, as git tells it. */
export type Change = {
  readonly commit: string;
  readonly patch: string;
  /** What `git show --stat` prints. */
  readonly stat: string;
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

/** Makes a repository in \`folder\` and lets an agent change it: two commits by git itself. */
export async function makeChange(folder: string): Promise<Change> {
  const git = (...args: string[]) => runGit(folder, args);
  await mkdir(folder, { recursive: true });
  await git('init', '--quiet', '--initial-branch=main');
  await write(folder, 'package.json', `${JSON.stringify(MANIFEST, null, 2)}\n`);
  await write(folder, 'package-lock.json', `${JSON.stringify(LOCKFILE, null, 2)}\n`);
  await write(folder, 'src/cart.js', BEFORE);
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'Add up a cart');
  await write(folder, 'src/cart.js', AFTER);
  await write(folder, 'test/cart.test.js', TEST);
  await write(folder, REWRITTEN_PATH, REWRITTEN);
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'Count quantities and take off a discount');
  const numbers = (await git('show', '--numstat', '--format=', 'HEAD'))
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  const sum = (column: number) => numbers.reduce((total, row) => total + Number(row[column]), 0);
  return {
    commit: (await git('rev-parse', 'HEAD')).trim(),
    patch: await git('show', '--format=', 'HEAD'),
    stat: (await git('show', '--stat', '--format=%h %s', 'HEAD')).trim(),
    files: numbers.map((row) => row[2] as string),
    linesAdded: sum(0),
    linesRemoved: sum(1),
  };
}

/** The files of the changed tree, by path: what the image is built from. */
export async function readTree(folder: string): Promise<Record<string, Uint8Array>> {
  const paths = (await runGit(folder, ['ls-files'])).trim().split('\n');
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [`app/${path}`, await readFile(join(folder, path))])),
  );
}

async function write(folder: string, path: string, content: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), content);
}

async function runGit(cwd: string, args: readonly string[]): Promise<string> {
  const author = { NAME: 'code-writer', EMAIL: 'code-writer@agents.example.com' };
  const env = {
    ...process.env,
    // The person's own settings (signing, hooks, templates) stay out of it.
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: author.NAME,
    GIT_AUTHOR_EMAIL: author.EMAIL,
    GIT_COMMITTER_NAME: author.NAME,
    GIT_COMMITTER_EMAIL: author.EMAIL,
  };
  try {
    return (await execute('git', args, { cwd, env })).stdout;
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    const message = isMissing
      ? 'git is not installed, and the demo makes a real commit with it'
      : `git ${args[0]} failed`;
    throw new CliError('cli.demo_step_failed', message, { cause });
  }
}
