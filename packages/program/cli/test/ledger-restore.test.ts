import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveConfiguration } from '@colophon/server';
import { openDatabase, SqliteLedger, StoreError } from '@colophon/store';
import { SIX_FIELDS, temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test, vi } from 'vitest';
import { documentOf, runLine } from './command-line.ts';

const WAIT = { timeout: 5_000 };

/** An issuer alone, as `serve` runs it, and its operator's command lines. */
async function set(more = '') {
  const folder = temporaryFolder(onTestFinished);
  const dataDir = join(folder, 'data');
  const pins = join(folder, 'config', 'colophon', 'pins');
  const secret = join(folder, 'config', 'colophon', 'reviewer-secret');
  const configuration = join(folder, 'colophon.yaml');
  const env = {
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    COLOPHON_CONFIG: configuration,
    COLOPHON_HOME: dataDir,
  };
  let address = '';
  let running: { close(): Promise<void> } | undefined;
  const start = async () => {
    writeFileSync(
      configuration,
      `issuer: http://localhost:7999\nlisten: { address: 127.0.0.1, port: 0 }\ndata: ${dataDir}\npins: ${pins}\n${more}`,
    );
    const server = await serveConfiguration({
      file: configuration,
      env,
      reviewerSecretFile: secret,
      logLevel: 'silent',
    });
    onTestFinished(() => server.close());
    running = server;
    address = `http://${server.addresses[0]}`;
  };
  const stop = async () => running?.close();
  const ask = async (headers: Record<string, string> = {}) => {
    const answer = await fetch(`${address}/oauth/token`, {
      method: 'POST',
      body: JSON.stringify(SIX_FIELDS),
      headers: { 'content-type': 'application/json', ...headers },
    });
    return answer.status;
  };
  const mint = async () => {
    const answer = await fetch(`${address}/oauth/token`, {
      method: 'POST',
      body: JSON.stringify(SIX_FIELDS),
      headers: { 'content-type': 'application/json' },
    });
    if (answer.status !== 200) throw new Error(await answer.text());
    return JSON.parse(Buffer.from((await answer.text()).split('.')[1]!, 'base64url').toString()).jti as string;
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
  const outcome = async (...line: string[]): Promise<any> => {
    const ran = await runLine([...line, '--output', 'json'], env);
    const document = documentOf(ran);
    return ran.exitCode === 0 ? document : { exitCode: ran.exitCode, ...document.error };
  };
  const checkpoint = async (origin?: string) => {
    const query = origin === undefined ? '' : `?origin=${encodeURIComponent(origin)}`;
    return (await fetch(`${address}/ledger/checkpoint${query}`)).text();
  };
  const rows = async (count: number) =>
    expect.poll(async () => (await checkpoint()).split('\n')[1], WAIT).toBe(`${count}`);
  // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
  const get = async (path: string): Promise<any> => (await fetch(`${address}${path}`)).json();
  const copy = (to = 'copy') => cpSync(dataDir, join(folder, to), { recursive: true });
  const putBack = (from = 'copy') => {
    rmSync(dataDir, { recursive: true });
    cpSync(join(folder, from), dataDir, { recursive: true });
  };
  await start();
  return { folder, dataDir, pins, env, ask, start, stop, mint, outcome, checkpoint, rows, get, copy, putBack };
}

const RESTORE = ['ledger', 'restore', '--reason', 'disk lost'];
const REFUSED = { exitCode: 20, code: 'server.nothing_to_restore' };

/** Two rows, a copy, and two more that are lost. */
async function rolledBack() {
  const server = await set();
  const kept = await server.mint();
  await server.mint();
  await server.rows(2);
  await server.stop();
  server.copy();
  await server.start();
  const lost = await server.mint();
  await server.mint();
  await server.rows(4);
  const before = await server.checkpoint();
  await server.stop();
  cpSync(join(server.dataDir, 'trust', 'ledger.pub'), join(server.folder, 'old.pub'));
  server.copy('newest');
  server.putBack();
  return { ...server, kept, lost, before };
}

test('a ledger that was put back goes on under another name and key, whose first row names the old one', async () => {
  const { start, outcome, mint, rows, checkpoint, get, kept, lost, before, folder, dataDir } = await rolledBack();
  await expect(start()).rejects.toMatchObject({ code: 'pin.history_smaller' });
  const result = await outcome(...RESTORE);
  expect(result).toMatchObject({
    ok: true,
    origin: expect.stringMatching(/^localhost:7999\/ledger\/[0-9a-f]{16}$/),
    restored: [
      {
        origin: 'localhost:7999/ledger',
        pinned_size: 4,
        kept_size: 2,
        reason: 'disk lost',
        pinned_root: Buffer.from(before.split('\n')[2]!, 'base64').toString('hex'),
      },
    ],
  });
  const shown = JSON.stringify(result, null, 2)
    .replace(/[0-9a-f]{64}/g, '<hash>')
    .replaceAll('localhost:7999', '<issuer>')
    .replace(/[0-9a-f]{16}/g, '<key>')
    .replace(/\d{4}-\d{2}-\d{2}T[\d:]+Z/g, '<time>');
  await expect(`${shown}\n`).toMatchFileSnapshot('golden/ledger-restore.json');
  await start();
  const jti = await mint();
  await rows(2);
  expect(await checkpoint()).toMatch(new RegExp(`^${result.origin}\n2\n`));
  // Rows of both are found, each with a proof of its own ledger.
  expect((await get(`/runs/${jti}`)).proof.checkpoint).toContain(result.origin);
  expect((await get(`/runs/${kept}`)).proof).toMatchObject({
    tree_size: 2,
    checkpoint: expect.stringMatching(/^localhost:7999\/ledger\n2\n/),
  });
  expect(await get(`/runs/${lost}`)).toMatchObject({ code: 'issuer.run_not_found' });
  expect(await checkpoint('localhost:7999/ledger')).toMatch(/^localhost:7999\/ledger\n2\n/);
  expect(JSON.parse(await checkpoint('elsewhere/ledger'))).toMatchObject({
    code: 'issuer.ledger_unknown',
    status: 404,
  });
  expect(await outcome('ledger', 'verify')).toMatchObject({ ok: true, token_count: 1, event_count: 1 });
  const records = JSON.parse((await runLine(['ledger', 'export'], { COLOPHON_HOME: dataDir, HOME: folder })).stdout);
  expect(records.map((record: { event: { event: string } | null }) => record.event?.event ?? 'token')).toEqual([
    'token',
    'token',
    'ledger.restored',
    'token',
  ]);
  expect(records[2].event.restored).toEqual(result.restored[0]);
  expect(readdirSync(join(dataDir, 'frozen')).filter((name) => name.endsWith('.db'))).toHaveLength(1);
});

test('a frozen ledger is verified with the rest, and missed where it is gone', async () => {
  const { start, stop, outcome, dataDir, kept } = await rolledBack();
  await outcome(...RESTORE);
  const [name] = readdirSync(join(dataDir, 'frozen'));
  const file = join(dataDir, 'frozen', name!);
  await start();
  await stop();
  const db = openDatabase(file);
  db.sqlite.prepare('UPDATE ledger_entry SET payload = ? WHERE jti = ?').run('{}', kept);
  db.close();
  expect(await outcome('ledger', 'verify')).toMatchObject({ exitCode: 13, code: 'cli.ledger_invalid', checked: file });
  rmSync(file);
  await expect(start()).rejects.toMatchObject({ code: 'server.data_folder_damaged' });
  expect(existsSync(file)).toBe(false);
});

test('nothing is restored that is not lost, nor twice, nor while a server runs', async () => {
  const { start, stop, outcome, rows, mint } = await set();
  await mint();
  await rows(1);
  expect(await outcome(...RESTORE)).toMatchObject({ exitCode: 2, code: 'server.data_folder_in_use' });
  await stop();
  expect(await outcome(...RESTORE)).toMatchObject(REFUSED);
  // An issuer alone has none.
  expect(await outcome('log', 'restore', '--reason', 'disk lost')).toMatchObject(REFUSED);
  expect(await outcome('ledger', 'restore')).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  expect(await outcome('ledger', 'restore', '--reason', ' ')).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  await start();
  await mint();
});

test('a copy from before a restore is refused for good, and a second restore names all that ended', async () => {
  const { start, stop, outcome, putBack, rows, mint, dataDir } = await rolledBack();
  const first = await outcome(...RESTORE);
  expect(await outcome(...RESTORE)).toMatchObject(REFUSED);
  await start();
  await mint();
  await rows(2);
  await stop();
  const keys = readdirSync(join(dataDir, 'keys')).filter((name) => name.startsWith('ledger-'));
  expect(keys).toHaveLength(1);
  const key = readFileSync(join(dataDir, 'keys', keys[0]!));
  // Even the newest state of the old ledger, with every row that was signed.
  for (const from of ['copy', 'newest']) {
    putBack(from);
    await expect(start()).rejects.toMatchObject({
      code: 'pin.log_retired',
      facts: { next: expect.stringContaining('ledger restore') },
    });
  }
  writeFileSync(join(dataDir, 'keys', keys[0]!), key, { mode: 0o600 });
  const second = await outcome(...RESTORE);
  expect(second.restored).toMatchObject([
    { origin: 'localhost:7999/ledger', pinned_size: 4, kept_size: 4 },
    { origin: first.origin, pinned_size: 2, kept_size: 0 },
  ]);
  await start();
  await mint();
  await rows(3);
  expect(await outcome('ledger', 'verify')).toMatchObject({ ok: true, event_count: 2 });
});

test('a lost database with its keys kept is begun anew, and nothing is kept of it', async () => {
  const { start, stop, outcome, rows, mint, dataDir } = await set();
  await mint();
  await rows(1);
  await stop();
  for (const name of readdirSync(dataDir)) if (name.startsWith('colophon.db')) rmSync(join(dataDir, name));
  await expect(start()).rejects.toMatchObject({ code: 'pin.history_smaller' });
  expect(await outcome(...RESTORE)).toMatchObject({ restored: [{ pinned_size: 1, kept_size: 0 }] });
  expect(existsSync(join(dataDir, 'frozen'))).toBe(false);
  await start();
  await mint();
  await rows(2);
});

test.each([
  ['the key under its name', 'data/keys', /^ledger-[0-9a-f]{16}\.pem$/],
  ['a part of the copy', 'data/frozen', /\.new$/],
  ['the whole copy', 'data/frozen', /\.db$/],
  ['the note that the old ledger ended', 'config/colophon/pins', /\.retired$/],
])('a restore that is killed as soon as %s is there is repeated, or is done', async (_, place, name) => {
  const { start, outcome, folder, env, rows, mint, kept, get } = await rolledBack();
  const program = join(import.meta.dirname, '../bin/colophon.js');
  const child = spawn(process.execPath, [program, ...RESTORE], { env: { ...process.env, ...env } });
  const ended = once(child, 'exit');
  const isThere = () =>
    existsSync(join(folder, place)) && readdirSync(join(folder, place)).some((one) => name.test(one));
  while (child.exitCode === null && !isThere()) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGKILL');
  await ended;
  expect(isThere()).toBe(true);
  const again = await outcome(...RESTORE);
  if (again.ok !== true) expect(again).toMatchObject(REFUSED);
  await start();
  const jti = await mint();
  await rows(2);
  expect(await get(`/runs/${kept}`)).toMatchObject({ jti: kept, integrated: true });
  expect(await get(`/runs/${jti}`)).toMatchObject({ seq: 1 });
  expect(await outcome('ledger', 'verify')).toMatchObject({ ok: true, event_count: 1 });
});

/** Names of the files of the data folder that hold a text. */
function filesWith(dataDir: string, text: string): string[] {
  return readdirSync(dataDir, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(dataDir, name)).isFile() && readFileSync(join(dataDir, name)).includes(text));
}

const erase = (jti: string) => ['ledger', 'erase', jti, '--reason', 'ticket 4711'];

test('a row of a frozen ledger is erased from every file, beside a running server', async () => {
  const { start, outcome, get, kept, dataDir, rows, mint, stop } = await rolledBack();
  const content = `,"jti":"${kept}"`;
  await outcome(...RESTORE);
  const residue = openDatabase(join(dataDir, 'frozen', readdirSync(join(dataDir, 'frozen'))[0]!));
  const payload = residue.sqlite.prepare('SELECT payload FROM ledger_entry WHERE jti = ?').get(kept)!['payload'];
  residue.close();
  // What older programs left in free pages of the file that is written.
  const live = openDatabase(join(dataDir, 'colophon.db'));
  live.sqlite.exec('PRAGMA secure_delete = OFF; CREATE TABLE scratch (payload TEXT)');
  live.sqlite.prepare('INSERT INTO scratch VALUES (?)').run(payload!);
  live.sqlite.exec('DROP TABLE scratch');
  live.close();
  // What a restore that was killed before its end leaves.
  const [name] = readdirSync(join(dataDir, 'frozen'));
  for (const left of ['ledger-0123456789abcdef.db', 'ledger-fedcba9876543210.db.new'])
    cpSync(join(dataDir, 'frozen', name!), join(dataDir, 'frozen', left));
  await start();
  await mint();
  await rows(2);
  expect(filesWith(dataDir, content)).toHaveLength(4);
  const { leaf_hash, proof } = await get(`/runs/${kept}`);
  const erased = await outcome(...erase(kept));
  expect(erased).toMatchObject({ ok: true, jti: kept, leaf_index: 0, is_resumed: false });
  expect(filesWith(dataDir, content)).toEqual([]);
  expect(await get(`/runs/${kept}`)).toMatchObject({ payload: null, erased: erased.erased, leaf_hash, proof });
  await rows(3);
  expect((await get(`/runs/${erased.erased.jti}`)).event).toMatchObject({
    event: 'token.erased',
    erased_jti: kept,
    erased_ledger: 'localhost:7999/ledger',
    erased_leaf_hash: leaf_hash,
  });
  expect(await outcome('ledger', 'verify')).toMatchObject({ ok: true, event_count: 2 });
  expect(await outcome(...erase(kept))).toMatchObject({ exitCode: 10, code: 'erasure.erased_already' });
  expect(await outcome(...erase(erased.erased.jti))).toMatchObject({ code: 'erasure.is_event' });
  await stop();
  // Neither the event nor the erased row goes without the other.
  const frozen = openDatabase(join(dataDir, 'frozen', name!));
  frozen.sqlite.exec('DELETE FROM ledger_later_erasure');
  expect((await outcome('ledger', 'verify')).issues).toContainEqual(
    expect.objectContaining({ code: 'ledger.erasure_unrecorded' }),
  );
  const said = { ...erased.erased, reason: 'another' };
  frozen.sqlite.prepare('INSERT INTO ledger_later_erasure VALUES (0, ?, 1)').run(JSON.stringify(said));
  expect(await outcome('ledger', 'verify')).toMatchObject({ issues: [{ code: 'ledger.erasure_unrecorded' }] });
  frozen.close();
});

test.each(['recordErasure', 'eraseFrozen'] as const)(
  'an erasure that is killed after %s is told, and the same command ends it',
  async (step) => {
    const { outcome, kept, dataDir, start } = await rolledBack();
    await outcome(...RESTORE);
    await start();
    const original = SqliteLedger.prototype[step] as (...args: unknown[]) => Promise<void>;
    // biome-ignore lint/suspicious/noExplicitAny: as a process that ends there
    const killed = vi.spyOn(SqliteLedger.prototype, step as any).mockImplementation(async function (
      this: unknown,
      ...args: unknown[]
    ) {
      await original.apply(this, args);
      throw new StoreError('store.unavailable', 'killed');
    });
    expect((await outcome(...erase(kept))).ok).toBeUndefined();
    killed.mockRestore();
    const told = step === 'recordErasure' ? 'ledger.erasure_undone' : 'ledger.erasure_unfinished';
    await expect
      .poll(async () => (await outcome('ledger', 'verify')).issues?.map(({ code }: { code: string }) => code), WAIT)
      .toEqual([told]);
    expect(await outcome(...erase(kept))).toMatchObject({ ok: true, is_resumed: true });
    expect(filesWith(dataDir, `,"jti":"${kept}"`)).toEqual([]);
    await expect.poll(() => outcome('ledger', 'verify'), WAIT).toMatchObject({ ok: true, event_count: 2 });
  },
);

test('callers, their keys and token keys are those of the copy, and the restore says of when', async () => {
  const callers = ['builder', 'leaver', 'late'].map(
    (name) => `  - { name: ${name}, apiKey: true, may: { agents: [${SIX_FIELDS.agent_name}] } }\n`,
  );
  const { start, stop, outcome, ask, rows, get, copy, putBack, dataDir, env } = await set(
    `callers:\n${callers.join('')}`,
  );
  const create = async (name: string) => (await outcome('callers', 'key', 'create', name)).key as string;
  const bearer = (key: string) => ask({ authorization: `Bearer ${key}` });
  const [builder, leaver, spent] = [await create('builder'), await create('leaver'), await create('builder')];
  await outcome('callers', 'key', 'revoke', spent.split('_')[1]!);
  expect(await bearer(builder)).toBe(200);
  const rotated = await outcome('keys', 'rotate');
  const ring = async () =>
    (await outcome('keys', 'list')).keys.map(({ kid, state }: { kid: string; state: string }) => [kid, state]);
  const ringOfCopy = await ring();
  await rows(5);
  await stop();
  copy();
  await start();
  // What the copy does not have.
  await outcome('callers', 'revoke', 'leaver');
  const late = await create('late');
  await outcome('keys', 'revoke', rotated.retiring_kid);
  expect([await bearer(leaver), await bearer(late)]).toEqual([401, 200]);
  await rows(8);
  await stop();
  putBack();
  const kept = await outcome(...RESTORE);
  expect(kept.restored).toMatchObject([{ pinned_size: 8, kept_size: 5 }]);
  const list = async () => (await outcome('callers', 'list')).callers;
  await start();
  expect(await outcome('ledger', 'verify')).toMatchObject({ ok: true });
  expect([await bearer(builder), await bearer(spent), await bearer(late)]).toEqual([200, 401, 401]);
  // Said, and to be done again: what was revoked since holds no more.
  expect(await bearer(leaver)).toBe(200);
  expect(await ring()).toEqual(ringOfCopy);
  const records = JSON.parse((await runLine(['ledger', 'export'], env)).stdout) as { issued_at: string }[];
  expect(kept.last_kept_at).toBe(records[4]!.issued_at);
  await outcome('callers', 'revoke', 'leaver');
  await outcome('keys', 'revoke', rotated.retiring_kid);
  expect(await bearer(leaver)).toBe(401);
  expect((await list()).find(({ caller }: { caller: string }) => caller === 'leaver')).toMatchObject({
    active_key_count: 0,
    revoked_at: expect.any(String),
  });
  await rows(4);
  expect(await outcome('ledger', 'verify')).toMatchObject({ ok: true });
  expect(existsSync(join(dataDir, 'frozen'))).toBe(true);
  expect((await get('/.well-known/jwks.json')).keys).toHaveLength(1);
  // In words, too.
  await stop();
  putBack();
  const told = await runLine(RESTORE, env);
  expect(told.stdout).toContain(`as old as the copy, ${kept.last_kept_at} or later: revoke and erase again`);
});
