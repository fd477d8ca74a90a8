import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase, SqliteLedger, UsedTokenStore } from '@colophon/store';
import { cleanupAt, seededBytes, temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { AGENT_RUN, CONTEXT, type Installation, install } from './installation.ts';
import { type UsedBytes, usedCells } from './used-cells.ts';

// A bit that changes by itself, or by somebody: wherever the ledger and the logs keep something, a verification finds it.
// FLIPS=1000 tries more of each table and index.
const FLIPS = Number(process.env['FLIPS'] ?? 6);

const LEDGER = [
  ...['ledger_entry', 'ledger_entry_jti', 'ledger_erasure', 'agent_name', 'sqlite_autoindex_agent_name_2'],
  ...['used_caller_token', 'used_caller_token_forget_at', 'api_key', 'revoked_caller', 'caller_generation'],
];
const LOGS = [
  ...['log_entry', 'log_entry_leaf_hash', 'log_entry_key', 'log_identity', 'log_name_index', 'tree_key'],
  ...['ct_entry', 'ct_entry_leaf_hash', 'ct_entry_submission_hash', 'used_token', 'used_token_forget_at'],
];
/** The nodes and heads of all three trees, and what the tables look like. */
const BOTH = ['merkle_node', 'merkle_head', 'schema_version'];

const LINES = { ledger: ['ledger', 'verify'], logs: ['log', 'verify'] } as const;

const cleanup = cleanupAt(afterAll);
let here: Installation;
let copy: Copy;

beforeAll(async () => {
  here = await install(cleanup);
  await fill(here);
  copy = copyOf(here.dataDir, { names: ['installation.json', 'trust', 'colophon.db'] });
});
/** A data folder, and a file in it of which bits are flipped. */
type Copy = {
  /** Where pins are; without others there are none. */
  readonly home: string;
  readonly folder: string;
  readonly file: string;
  readonly pristine: string;
  readonly whole: Buffer;
  readonly cells: Map<string, readonly UsedBytes[]>;
};

/** @param names of the copied files, all of them by default */
function copyOf(
  dataDir: string,
  { names, home, file: name = 'colophon.db' }: { names?: readonly string[]; home?: string; file?: string },
): Copy {
  const parent = temporaryFolder(cleanup);
  const folder = join(parent, 'data');
  mkdirSync(folder);
  const db = openDatabase(join(dataDir, name));
  db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  for (const name of names ?? readdirSync(dataDir))
    cpSync(join(dataDir, name), join(folder, name), { recursive: true });
  const file = join(folder, name);
  const pristine = join(parent, 'pristine.db');
  cpSync(file, pristine);
  const whole = readFileSync(file);
  return { home: home ?? parent, folder, file, pristine, whole, cells: usedCells(file, whole) };
}

/** A few dozen tokens, signatures of each kind, callers and their keys, tokens that count once. */
async function fill({ document, run, file, dataDir }: Installation): Promise<void> {
  for (let i = 0; i < 3; i += 1) {
    const path = file(`artifact-${i}`, `content ${i}`);
    await document('sign-blob', '--bundle', `${path}.json`, ...CONTEXT, path);
    const predicate = file(`run-${i}.json`, AGENT_RUN);
    const asked = ['--type', 'agent-run', '--predicate', predicate, '--bundle', `${path}.run.json`];
    await document('attest-blob', ...asked, ...CONTEXT, path);
  }
  const jtis: string[] = [];
  for (let i = 0; i < 24; i += 1) {
    const context = CONTEXT.map((word) => (word === 'code-writer' ? `code-writer-${i % 5}` : word));
    const { exitCode, stdout, stderr } = await run('token', ...context);
    if (exitCode !== 0) throw new Error(stderr);
    if (i < 3) jtis.push(JSON.parse(Buffer.from(stdout.split('.')[1]!, 'base64url').toString()).jti);
  }
  // A row is erased once a checkpoint covers it.
  for (const jti of jtis) {
    const erase = () => document('ledger', 'erase', jti, '--reason', 'ticket 4711');
    await vi.waitFor(erase, { timeout: 25_000, interval: 100 });
  }
  for (const caller of ['release-bot', 'docs-bot']) {
    const { key } = await document('callers', 'key', 'create', caller);
    if (caller === 'docs-bot') await document('callers', 'key', 'revoke', String(key).split('_')[1]!);
  }
  await document('callers', 'revoke', 'old-bot');
  const db = openDatabase(join(dataDir, 'colophon.db'));
  const used = new UsedTokenStore(db);
  const usedByCallers = new UsedTokenStore(db, 'used_caller_token');
  new SqliteLedger(db);
  for (let i = 0; i < 5; i += 1) {
    const use = { now: 1_764_000_000, forgetAt: 1_764_000_300 + i };
    await db.write(() => used.use(seededBytes(`token ${i}`, 32), use));
    await db.write(() => usedByCallers.use(seededBytes(`caller's token ${i}`, 32), use));
  }
  db.close();
  await document('health').catch(() => {});
}

const command = (line: readonly string[], { folder, home }: Pick<Copy, 'folder' | 'home'>) =>
  runLine([...line, '--output', 'json'], { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), COLOPHON_HOME: folder });

test('what was not touched verifies', async () => {
  writeFileSync(copy.file, copy.whole);
  for (const line of Object.values(LINES)) expect(await command(line, copy)).toMatchObject({ exitCode: 0 });
});

const CASES = [
  ...LEDGER.map((tree) => [tree, [LINES.ledger]] as const),
  ...LOGS.map((tree) => [tree, [LINES.logs]] as const),
  ...BOTH.map((tree) => [tree, [LINES.ledger, LINES.logs]] as const),
];

test.each(CASES)(
  'a flipped bit in %s is found',
  async (tree, lines) => {
    expect(await unnoticed(copy, tree, lines)).toEqual([]);
  },
  600_000,
);

test('a flipped bit in what a restore notes, and in an erasure after it, is found', async () => {
  const { run, document, file, dataDir, folder: home } = await install(onTestFinished);
  const { stdout } = await run('token', ...CONTEXT);
  const { jti } = JSON.parse(Buffer.from(stdout.split('.')[1]!, 'base64url').toString());
  // A row is erased once a checkpoint covers it, and the copy makes none.
  await vi.waitFor(
    async () => expect(await document('ledger', 'verify')).toMatchObject({ integrated_count: 1 }),
    25_000,
  );
  const { folder } = copyOf(dataDir, { home });
  // What the copy does not hold, and pins do: both trees grow.
  const artifact = file('artifact', 'content');
  await document('sign-blob', '--bundle', `${artifact}.json`, ...CONTEXT, artifact);
  const done = async (...line: string[]) =>
    expect(documentOf(await command(line, { folder, home }))).toMatchObject({ ok: true });
  await vi.waitFor(() => done('ledger', 'restore', '--reason', 'disk lost'), { timeout: 25_000, interval: 100 });
  await done('log', 'restore', '--reason', 'disk lost');
  await done('ledger', 'erase', jti, '--reason', 'ticket 4712');

  const restored = copyOf(folder, { home });
  expect(await unnoticed(restored, 'tree_restore', [LINES.ledger, LINES.logs])).toEqual([]);
  const ledger = readdirSync(join(folder, 'frozen')).find((name) => name.startsWith('ledger-'))!;
  const frozen = copyOf(folder, { home, file: join('frozen', ledger) });
  expect(await unnoticed(frozen, 'ledger_later_erasure', [LINES.ledger])).toEqual([]);
}, 600_000);

/** Which of some flips in a table or index none of these commands finds. */
async function unnoticed(
  copy: Copy,
  tree: string,
  lines: ReadonlyArray<readonly string[]>,
): Promise<readonly string[]> {
  const { file, whole } = copy;
  const ranges = copy.cells.get(tree)?.filter((cell) => !isOfAnotherStore(tree, cell, whole));
  if (ranges === undefined || ranges.length === 0) throw new Error(`${tree} holds nothing`);
  const found: string[] = [];
  for (let i = 0; i < FLIPS; i += 1) {
    const at = placeOf(ranges, `${tree} ${i}`);
    const flipped = Buffer.from(whole);
    flipped[at.byte]! ^= 1 << at.bit;
    writeFileSync(file, flipped);
    const outcomes = await Promise.all(lines.map((line) => command(line, copy)));
    if (outcomes.every(({ exitCode }) => exitCode === 0) && !meansNothing(tree, copy)) {
      found.push(describePlace(at, whole));
    }
  }
  return found;
}

/** The versions of all stores are in one table. */
function isOfAnotherStore(tree: string, { from, length }: UsedBytes, whole: Buffer): boolean {
  return tree === 'schema_version' && whole.subarray(from, from + length).includes('evidence');
}

const INDEXES = new Set(
  ['ledger_entry_jti', 'sqlite_autoindex_agent_name_2', 'used_caller_token_forget_at', 'used_token_forget_at'].concat([
    'log_entry_leaf_hash',
    'ct_entry_leaf_hash',
    'ct_entry_submission_hash',
  ]),
);

/** A number of a row that nothing refers to, or how SQLite notes that a column is that number: every row still reads the same. */
function meansNothing(tree: string, { file, pristine }: Copy): boolean {
  return !INDEXES.has(tree) && JSON.stringify(rowsOf(file, tree)) === JSON.stringify(rowsOf(pristine, tree));
}

function rowsOf(file: string, tree: string): Array<Record<string, unknown>> {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return db.prepare(`SELECT * FROM ${tree}`).all();
  } finally {
    db.close();
  }
}

type Place = { readonly byte: number; readonly bit: number; readonly cell: UsedBytes };

/** Any used bit of a tree is as likely as any other; the same seed names the same. */
function placeOf(ranges: readonly UsedBytes[], seed: string): Place {
  const random = createHash('sha256').update(seed).digest();
  const total = ranges.reduce((sum, { length }) => sum + length, 0);
  let rest = random.readUIntBE(0, 6) % total;
  for (const cell of ranges) {
    if (rest < cell.length) return { byte: cell.from + rest, bit: random[6]! % 8, cell };
    rest -= cell.length;
  }
  throw new Error('unreachable');
}

function describePlace({ byte, bit, cell }: Place, whole: Buffer): string {
  const text = whole
    .subarray(cell.from, cell.from + cell.length)
    .toString('latin1')
    .replace(/[^ -~]/g, '.');
  return `byte ${byte - cell.from} bit ${bit} of ${text.slice(0, 150)}`;
}
