import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase, SqliteLedger, UsedTokenStore } from '@colophon/store';
import { seededBytes, temporaryFolder } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { runLine } from './command-line.ts';
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

const undo: Array<() => void | Promise<void>> = [];
let here: Installation;
let copy: string;
let whole: Buffer;
let pristine: string;
let cells: Map<string, readonly UsedBytes[]>;

beforeAll(async () => {
  here = await install((step) => undo.push(step));
  await fill(here);
  copy = join(
    temporaryFolder((step) => undo.push(step)),
    'data',
  );
  mkdirSync(copy);
  const db = openDatabase(join(here.dataDir, 'colophon.db'));
  db.sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  for (const name of ['installation.json', 'trust', 'colophon.db']) {
    cpSync(join(here.dataDir, name), join(copy, name), { recursive: true });
  }
  const file = join(copy, 'colophon.db');
  pristine = join(copy, 'pristine.db');
  cpSync(file, pristine);
  whole = readFileSync(file);
  cells = usedCells(file, whole);
}, 60_000);
afterAll(async () => {
  for (const step of undo.reverse()) await step();
});

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
    await vi.waitFor(erase, { timeout: 10_000, interval: 100 });
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

const verified = (line: readonly string[]) =>
  runLine([...line, '--output', 'json'], { HOME: here.folder, COLOPHON_HOME: copy });

test('what was not touched verifies', async () => {
  writeFileSync(join(copy, 'colophon.db'), whole);
  for (const line of Object.values(LINES)) expect(await verified(line)).toMatchObject({ exitCode: 0 });
});

const CASES = [
  ...LEDGER.map((tree) => [tree, [LINES.ledger]] as const),
  ...LOGS.map((tree) => [tree, [LINES.logs]] as const),
  ...BOTH.map((tree) => [tree, [LINES.ledger, LINES.logs]] as const),
];

test.each(CASES)(
  'a flipped bit in %s is found',
  async (tree, lines) => {
    const ranges = cells.get(tree)?.filter((cell) => !isOfAnotherStore(tree, cell));
    if (ranges === undefined || ranges.length === 0) throw new Error(`${tree} holds nothing`);
    const unnoticed: string[] = [];
    for (let i = 0; i < FLIPS; i += 1) {
      const at = placeOf(ranges, `${tree} ${i}`);
      const flipped = Buffer.from(whole);
      flipped[at.byte]! ^= 1 << at.bit;
      writeFileSync(join(copy, 'colophon.db'), flipped);
      const outcomes = await Promise.all(lines.map(verified));
      if (outcomes.every(({ exitCode }) => exitCode === 0) && !meansNothing(tree)) unnoticed.push(describePlace(at));
    }
    expect(unnoticed).toEqual([]);
  },
  600_000,
);

/** The versions of all stores are in one table. */
function isOfAnotherStore(tree: string, { from, length }: UsedBytes): boolean {
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
function meansNothing(tree: string): boolean {
  return (
    !INDEXES.has(tree) &&
    JSON.stringify(rowsOf(join(copy, 'colophon.db'), tree)) === JSON.stringify(rowsOf(pristine, tree))
  );
}

function rowsOf(file: string, tree: string): unknown[] {
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

function describePlace({ byte, bit, cell }: Place): string {
  const text = whole
    .subarray(cell.from, cell.from + cell.length)
    .toString('latin1')
    .replace(/[^ -~]/g, '.');
  return `byte ${byte - cell.from} bit ${bit} of ${text.slice(0, 150)}`;
}
