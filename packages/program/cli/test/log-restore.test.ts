import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@colophon/server';
import { openDatabase } from '@colophon/store';
import { fillDisk, smallDisk, temporaryFolder } from '@colophon/testkit';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { AGENT_RUN, CONTEXT } from './installation.ts';

/** A server with logs, and its operator's command lines. */
async function set(folder = temporaryFolder(onTestFinished)) {
  const dataDir = join(folder, 'data');
  const reviewerSecretFile = join(folder, 'config', 'colophon', 'reviewer-secret');
  const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), COLOPHON_HOME: dataDir };
  let url = '';
  let running: { close(): Promise<void> } | undefined;
  const start = async () => {
    const server = await startServer({
      dataDir,
      reviewerSecretFile,
      ...(url === '' ? { port: 0 } : { port: Number(new URL(url).port) }),
    });
    onTestFinished(() => server.close());
    running = server;
    url = server.url;
    return server;
  };
  const stop = async () => running?.close();
  // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
  const outcome = async (...line: string[]): Promise<any> => {
    const ran = await runLine([...line, '--output', 'json'], env);
    const document = documentOf(ran);
    return ran.exitCode === 0 ? document : { exitCode: ran.exitCode, ...document.error };
  };
  const path = (name: string) => join(folder, name);
  const sign = async (name: string) => {
    writeFileSync(path(name), name);
    const signed = await outcome('sign-blob', ...CONTEXT, '--bundle', path(`${name}.json`), path(name));
    if (signed.ok !== true) throw new Error(JSON.stringify(signed));
    return JSON.parse(readFileSync(path(`${name}.json`), 'utf8')).verificationMaterial.tlogEntries[0];
  };
  const verify = (name: string, ...more: string[]) =>
    outcome(
      ...['verify-blob', '--bundle', path(`${name}.json`), '--certificate-identity', 'agent:code-writer'],
      ...['--certificate-oidc-issuer', url, ...more, path(name)],
    );
  // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
  const get = async (path: string): Promise<any> => (await fetch(`${url}${path}`)).json();
  const copy = (to: string) => cpSync(dataDir, path(to), { recursive: true });
  const putBack = (from: string) => {
    rmSync(dataDir, { recursive: true });
    cpSync(path(from), dataDir, { recursive: true });
  };
  await start();
  return { folder, dataDir, env, start, stop, outcome, sign, verify, get, copy, putBack, path, url };
}

const REASON = ['--reason', 'disk lost'];
const RESTORE = ['log', 'restore', ...REASON];
const REFUSED = { exitCode: 20, code: 'server.nothing_to_restore' };

/** Two entries, a copy, and one more that is lost; the ledger is begun anew. */
async function rolledBack(folder?: string) {
  const server = await set(folder);
  await server.sign('kept');
  await server.sign('also-kept');
  await server.stop();
  server.copy('copy');
  await server.start();
  const lost = await server.sign('lost');
  const before = await server.get('/api/v1/log');
  await server.stop();
  cpSync(join(server.dataDir, 'trust'), server.path('old-trust'), { recursive: true });
  server.copy('newest');
  server.putBack('copy');
  expect(await server.outcome('ledger', 'restore', ...REASON)).toMatchObject({ ok: true });
  return { ...server, lost, before };
}

test('logs that were put back go on under other names and keys, and say so in their first entry', async () => {
  const { start, outcome, sign, verify, get, before, path, dataDir, env, url } = await rolledBack();
  await expect(start()).rejects.toMatchObject({
    code: 'pin.history_smaller',
    facts: { next: expect.stringContaining('colophon log restore --reason') },
  });
  const result = await outcome(...RESTORE);
  const oldOrigin = before.signedTreeHead.split('\n')[0];
  expect(result).toMatchObject({
    ok: true,
    transparency_origin: expect.stringMatching(/^localhost - \d+$/),
    log_index: 2,
    restored: [
      { log: 'transparency', origin: oldOrigin, pinned_size: 3, pinned_root: before.rootHash, kept_size: 2 },
      { log: 'certificate', origin: `${url.replace('http://', '')}/ct/v1`, pinned_size: 3, kept_size: 2 },
    ],
  });
  expect(result.transparency_origin).not.toBe(oldOrigin);
  const shown = JSON.stringify(result, null, 2)
    .replace(/[0-9a-f]{80}/g, '<uuid>')
    .replace(/[0-9a-f]{64}/g, '<hash>')
    .replaceAll(url.replace('http://', ''), '<host>')
    .replace(/- \d+"/g, '- <tree>"')
    .replace(/v1\/[0-9a-f]{16}/g, 'v1/<key>');
  await expect(`${shown}\n`).toMatchFileSnapshot('golden/log-restore.json');
  // Before any start: an older copy that is put back now is not begun either.
  const notes = readdirSync(path('config/colophon/pins')).filter((name) => name.endsWith('.retired'));
  expect(notes).toHaveLength(3);
  const server = await start();
  // Its first checkpoint was pinned by the restore.
  expect(server.unpinned).toEqual([]);
  const entry = await sign('new');
  expect([entry.logIndex, entry.inclusionProof.logIndex]).toEqual(['3', '1']);

  // What was made before verifies under the new root, and the old root knows nothing of the new logs.
  for (const name of ['kept', 'also-kept', 'lost', 'new']) expect(await verify(name)).toMatchObject({ ok: true });
  const old = ['--trusted-root', join(path('old-trust'), 'trusted_root.json')];
  expect(await verify('kept', ...old)).toMatchObject({ ok: true });
  expect(await verify('new', ...old)).toMatchObject({ exitCode: 13, code: 'log_entry.untrusted_log' });

  const { findings } = documentOf(await runLine(['doctor', ...old, '--output', 'json'], env));
  expect(findings).toContainEqual(
    expect.objectContaining({ code: 'doctor.log_not_pinned', refusal: 'log_entry.untrusted_log' }),
  );

  // The old tree is a shard, as in Rekor.
  expect(await outcome('health')).toMatchObject({ ok: true, entry_count: 4 });
  const log = await get('/api/v1/log');
  expect(log.inactiveShards).toMatchObject([{ treeID: before.treeID, treeSize: 2 }]);
  expect(log).toMatchObject({
    treeSize: 2,
    signedTreeHead: expect.stringMatching(`^${result.transparency_origin}\n2\n`),
  });
  const first = await get('/api/v1/log/entries?logIndex=2');
  const [{ attestation, body }] = Object.values(first) as [{ attestation: { data: string }; body: string }];
  expect(Object.keys(first)).toEqual([result.uuid]);
  expect(JSON.parse(Buffer.from(body, 'base64').toString())).toMatchObject({ kind: 'intoto', apiVersion: '0.0.2' });
  const statement = JSON.parse(Buffer.from(attestation.data, 'base64').toString());
  expect(statement.predicate).toMatchObject({
    reason: 'disk lost',
    transparencyLog: result.transparency_origin,
    ended: [{ origin: oldOrigin, pinnedSize: 3, pinnedRoot: before.rootHash, keptSize: 2 }, { log: 'certificate' }],
  });
  expect(await outcome('log', 'get', '--log-index', '2')).toMatchObject({ uuid: result.uuid, attestation: statement });
  // By its number, by its id with and without its tree, and by what it is about.
  for (const [name, logIndex] of [
    ['kept', 0],
    ['new', 3],
  ] as const) {
    const got = await outcome('log', 'get', '--log-index', String(logIndex));
    expect(got).toMatchObject({ ok: true, log_index: logIndex });
    expect(await outcome('log', 'get', '--uuid', got.uuid.slice(16))).toMatchObject({ log_index: logIndex });
    expect(await outcome('log', 'get', '--uuid', got.uuid)).toMatchObject({ log_index: logIndex });
    expect(await outcome('log', 'search', '--artifact', path(name))).toMatchObject({
      entries: [{ log_index: logIndex, signers: [{ subject: 'agent:code-writer', trusted: true }] }],
    });
  }
  expect(await outcome('log', 'search', '--sha', result.restored[0].key_id)).toMatchObject({
    entries: [{ log_index: 2 }],
  });
  expect(await outcome('log', 'search', '--artifact', path('lost'))).toMatchObject({ exitCode: 11 });
  expect(await outcome('log', 'verify')).toMatchObject({
    ok: true,
    logs: [
      { log: 'transparency', frozen_origin: oldOrigin, entry_count: 2 },
      { log: 'certificate', entry_count: 2 },
      { log: 'transparency', entry_count: 2 },
      { log: 'certificate', entry_count: 1 },
    ],
  });
  expect(await outcome('ledger', 'verify')).toMatchObject({ ok: true });
  // The certificate log that was frozen is read on, and takes nothing.
  const { ctlogs } = JSON.parse(readFileSync(join(dataDir, 'trust', 'trusted_root.json'), 'utf8'));
  expect(ctlogs).toHaveLength(2);
  const frozenCt = ctlogs[0].baseUrl.replace(url, '');
  expect(await get(`${frozenCt}/ct/v1/get-sth`)).toMatchObject({ tree_size: 2 });
  expect((await fetch(`${url}${frozenCt}/ct/v1/add-chain`, { method: 'POST', body: '{}' })).status).toBe(404);
  expect(await get('/ct/v1/get-sth')).toMatchObject({ tree_size: 1 });
  for (const [of, agreeing] of [
    [[], 3],
    [['--rekor-url', url], 3],
    [['--ct-log-url', url], 1],
    [['--ct-log-url', url + frozenCt], 2],
  ] as const)
    expect(await outcome('ledger', 'reconcile', ...of)).toMatchObject({
      ok: true,
      findings: [],
      agreeing_count: agreeing,
    });
});

test('an auditor sees by the old checkpoint that entries are gone, and by an older one that the rest is whole', async () => {
  const { start, outcome, before, path, url } = await rolledBack();
  const kept = openDatabase(join(path('copy'), 'colophon.db'), { readonly: true });
  const { note } = kept.sqlite.prepare("SELECT note FROM merkle_head WHERE tree = 'rekor' AND size = 1").get()!;
  kept.close();
  await outcome(...RESTORE);
  await start();
  writeFileSync(path('newest.checkpoint'), before.signedTreeHead);
  writeFileSync(path('older.checkpoint'), String(note));
  const audit = (checkpoint: string) => outcome('log', 'verify', '--checkpoint', path(checkpoint), '--rekor-url', url);
  expect(await audit('newest.checkpoint')).toMatchObject({ exitCode: 13, code: 'pin.log_behind' });
  // The pins of this machine have the newest one too: an auditor elsewhere does not.
  const env = { HOME: path('elsewhere'), XDG_CONFIG_HOME: path('elsewhere') };
  const ran = await runLine(
    [
      ...['log', 'verify', '--checkpoint', path('older.checkpoint'), '--rekor-url', url, '--output', 'json'],
      ...['--trusted-root', join(path('data'), 'trust', 'trusted_root.json')],
    ],
    env,
  );
  expect(documentOf(ran)).toMatchObject({ ok: true });
});

test('nothing is restored that is not lost, nor twice, nor while a server runs', async () => {
  const { start, stop, outcome, sign, dataDir } = await set();
  await sign('one');
  expect(await outcome(...RESTORE)).toMatchObject({ exitCode: 2, code: 'server.data_folder_in_use' });
  await stop();
  const before = readdirSync(dataDir, { recursive: true }).sort();
  expect(await outcome(...RESTORE)).toMatchObject(REFUSED);
  expect(await outcome('log', 'restore')).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  expect(await outcome('log', 'restore', '--reason', ' ')).toMatchObject({ exitCode: 1, code: 'cli.usage' });
  expect(readdirSync(dataDir, { recursive: true }).sort()).toEqual(before);
  await start();
  await sign('two');
});

test('a copy from before a restore is refused for good, and a second restore names all that ended', async () => {
  const { start, stop, outcome, putBack, sign, verify, get, dataDir, before, path } = await rolledBack();
  const first = await outcome(...RESTORE);
  expect(await outcome(...RESTORE)).toMatchObject(REFUSED);
  await start();
  await sign('between');
  await stop();
  const keys = readdirSync(join(dataDir, 'keys')).filter((name) => /-log-[0-9a-f]{16}\.pem$/.test(name));
  expect(keys).toHaveLength(2);
  for (const name of keys) cpSync(join(dataDir, 'keys', name), path(name));
  // The ledger's ones are restored by themselves: the newest state of the old logs, with every entry that was signed.
  putBack('newest');
  await expect(start()).rejects.toMatchObject({ code: 'pin.log_retired' });
  expect(await outcome('ledger', 'restore', ...REASON)).toMatchObject({ ok: true });
  await expect(start()).rejects.toMatchObject({
    code: 'pin.log_retired',
    facts: { next: expect.stringContaining('log restore') },
  });
  for (const name of keys) cpSync(path(name), join(dataDir, 'keys', name));
  const second = await outcome(...RESTORE);
  expect(second).toMatchObject({
    log_index: 3,
    restored: [
      { log: 'transparency', origin: before.signedTreeHead.split('\n')[0], pinned_size: 3, kept_size: 3 },
      { log: 'transparency', origin: first.transparency_origin, pinned_size: 2, kept_size: 0 },
      { log: 'certificate', pinned_size: 3, kept_size: 3 },
      { log: 'certificate', origin: first.certificate_origin, pinned_size: 1, kept_size: 0 },
    ],
  });
  await start();
  expect((await sign('after')).logIndex).toBe('4');
  // Also what was signed by the logs of which nothing is left.
  for (const name of ['kept', 'lost', 'between', 'after']) expect(await verify(name)).toMatchObject({ ok: true });
  expect((await get('/api/v1/log')).inactiveShards).toMatchObject([{ treeID: before.treeID, treeSize: 3 }]);
  expect(await outcome('log', 'verify')).toMatchObject({ ok: true });
  await stop();
  // A third one, of a log that took the place of another.
  const copied = path('third');
  cpSync(dataDir, copied, { recursive: true });
  await start();
  await sign('lost-again');
  await stop();
  rmSync(dataDir, { recursive: true });
  cpSync(copied, dataDir, { recursive: true });
  await outcome('ledger', 'restore', ...REASON);
  expect(await outcome(...RESTORE)).toMatchObject({ ok: true, log_index: 5 });
  await start();
  expect((await sign('at-last')).logIndex).toBe('6');
  const { inactiveShards, treeSize } = await get('/api/v1/log');
  expect([...inactiveShards.map((tree: { treeSize: number }) => tree.treeSize), treeSize]).toEqual([3, 2, 2]);
  for (const logIndex of ['0', '3', '4', '5', '6'])
    expect(await outcome('log', 'get', '--log-index', logIndex)).toMatchObject({ ok: true });
  for (const name of ['kept', 'lost', 'between', 'after', 'lost-again', 'at-last'])
    expect(await verify(name)).toMatchObject({ ok: true });
  expect((await outcome('log', 'verify')).logs).toHaveLength(6);
});

test('a lost database with its keys kept, and a lost key, are begun anew', async () => {
  const { start, stop, outcome, sign, verify, dataDir, get } = await set();
  await sign('old');
  await stop();
  for (const name of readdirSync(dataDir)) if (name.startsWith('colophon.db')) rmSync(join(dataDir, name));
  await expect(start()).rejects.toMatchObject({ code: 'pin.history_smaller' });
  await outcome('ledger', 'restore', ...REASON);
  await expect(start()).rejects.toMatchObject({ code: 'pin.history_smaller' });
  expect(await outcome(...RESTORE)).toMatchObject({
    log_index: 0,
    restored: [
      { log: 'transparency', pinned_size: 1, kept_size: 0 },
      { log: 'certificate', pinned_size: 1, kept_size: 0 },
    ],
  });
  expect(existsSync(join(dataDir, 'frozen'))).toBe(false);
  await start();
  await sign('new');
  for (const name of ['old', 'new']) expect(await verify(name)).toMatchObject({ ok: true });
  expect((await get('/api/v1/log')).inactiveShards).toEqual([]);
  await stop();
  const key = readdirSync(join(dataDir, 'keys')).find((name) => /^transparency-log-.{16}\.pem$/.test(name))!;
  rmSync(join(dataDir, 'keys', key));
  await expect(start()).rejects.toMatchObject({ code: 'authority.log_key_mismatch' });
  expect(await outcome(...RESTORE)).toMatchObject({ log_index: 2, restored: [{ kept_size: 2 }, { kept_size: 1 }] });
  await start();
  await sign('newest');
  for (const name of ['old', 'new', 'newest']) expect(await verify(name)).toMatchObject({ ok: true });
  expect(await outcome('log', 'verify')).toMatchObject({ ok: true });
});

test('a frozen log is verified with the rest, and missed where it is gone', async () => {
  const { start, stop, outcome, dataDir } = await rolledBack();
  await outcome(...RESTORE);
  await start();
  await stop();
  const file = readdirSync(join(dataDir, 'frozen')).find((name) => /^logs-[0-9a-f]{16}\.db$/.test(name))!;
  const frozen = join(dataDir, 'frozen', file);
  const run = (path: string, sql: string) => {
    const db = openDatabase(path);
    db.sqlite.exec(sql);
    db.close();
  };
  const live = join(dataDir, 'colophon.db');
  expect(await outcome('log', 'verify')).toMatchObject({ ok: true });
  // Whoever writes the file can write the digest too.
  const noted = (from: string, to: string, hasDigest: boolean) => {
    const db = openDatabase(live);
    const row = db.sqlite.prepare("SELECT part, number, record FROM tree_restore WHERE part = 'logs'").get()!;
    const record = String(row['record']).replace(from, to);
    db.sqlite.prepare("UPDATE tree_restore SET record = ? WHERE part = 'logs'").run(record);
    const digest = createHash('sha256')
      .update(JSON.stringify([row['part'], row['number'], record]))
      .digest();
    if (hasDigest) db.sqlite.prepare("UPDATE tree_restore SET row_digest = ? WHERE part = 'logs'").run(digest);
    db.close();
  };
  noted('disk lost', 'disk sold', false);
  expect(await outcome('log', 'verify')).toMatchObject({ exitCode: 2, code: 'store.corrupt' });
  await expect(start()).rejects.toMatchObject({ code: 'store.corrupt' });
  noted('disk sold', 'disk sold', true);
  expect(await outcome('log', 'verify')).toMatchObject({ exitCode: 13, code: 'cli.log_invalid', checked: live });
  await start();
  expect(await outcome('log', 'get', '--log-index', '2')).toMatchObject({ exitCode: 12, code: 'log.entry_mismatch' });
  await stop();
  noted('disk sold', 'disk lost', true);
  const other = frozen.replace(/logs-/, 'other-');
  cpSync(frozen, other);
  const forged = '\n— localhost AAAA\n';
  run(
    frozen,
    `UPDATE merkle_head SET note = substr(note, 1, instr(note, char(10) || char(10))) || '${forged}' WHERE tree = 'rekor'`,
  );
  await expect(start()).rejects.toMatchObject({ code: 'authority.log_key_mismatch' });
  cpSync(other, frozen);
  run(frozen, 'UPDATE log_entry SET integrated_time = integrated_time + 1 WHERE log_index = 1');
  expect(await outcome('log', 'verify')).toMatchObject({ exitCode: 13, code: 'cli.log_invalid', checked: frozen });
  rmSync(frozen);
  await expect(start()).rejects.toMatchObject({ code: 'server.data_folder_damaged' });
  expect(await outcome('log', 'verify')).toMatchObject({ code: 'server.data_folder_damaged' });
  expect(existsSync(frozen)).toBe(false);
});

test.each([
  ['the keys under their names', 'data/keys', /^certificate-log-[0-9a-f]{16}\.pem$/],
  ['a part of the copy', 'data/frozen', /^logs-.*\.new$/],
  ['the whole copy', 'data/frozen', /^logs-.*\.db$/],
  ['the note that an old log ended', 'config/colophon/pins', /\.retired$/],
])('a restore that is killed as soon as %s is there is repeated, or is done', async (_, place, name) => {
  const { start, outcome, folder, env, sign, verify } = await rolledBack();
  // The ledger's restore leaves such a note, too.
  const before = existsSync(join(folder, place)) ? readdirSync(join(folder, place)) : [];
  const program = join(import.meta.dirname, '../bin/colophon.js');
  const child = spawn(process.execPath, [program, ...RESTORE], { env: { ...process.env, ...env } });
  const ended = once(child, 'exit');
  const isThere = () =>
    existsSync(join(folder, place)) &&
    readdirSync(join(folder, place)).some((one) => name.test(one) && !before.includes(one));
  while (child.exitCode === null && !isThere()) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGKILL');
  await ended;
  expect(isThere()).toBe(true);
  const again = await outcome(...RESTORE);
  if (again.ok !== true) expect(again).toMatchObject(REFUSED);
  await start();
  expect((await sign('new')).logIndex).toBe('3');
  for (const one of ['kept', 'lost', 'new']) expect(await verify(one)).toMatchObject({ ok: true });
  expect(await outcome('log', 'verify')).toMatchObject({ ok: true });
});

test('what is known of an artifact, and where a token stands, is found in frozen logs', async () => {
  const { start, stop, outcome, path, copy, putBack, sign, dataDir } = await set();
  writeFileSync(path('run.json'), JSON.stringify(AGENT_RUN));
  writeFileSync(path('app'), 'app');
  const asked = ['--predicate', path('run.json'), '--type', 'agent-run', '--bundle', path('app.json')];
  await outcome('attest-blob', ...asked, ...CONTEXT, path('app'));
  await stop();
  copy('copy');
  await start();
  await sign('lost');
  await stop();
  putBack('copy');
  await outcome('ledger', 'restore', ...REASON);
  await outcome(...RESTORE);
  await start();
  expect(await outcome('evidence', 'import', path('app.json'))).toMatchObject({ ok: true });
  expect(await outcome('query', 'runs')).toMatchObject({ rows: [{ log_entry: { log_index: 0 } }] });
  expect(await outcome('explain', path('app'))).toMatchObject({
    signatures: [{ kind: 'agent-run', certificate_identity: { subject: 'agent:code-writer' } }],
    facts: expect.arrayContaining([expect.objectContaining({ field: 'agent_name', log_index: 0 })]),
  });
  const file = readdirSync(join(dataDir, 'frozen')).find((name) => name.startsWith('ledger-'))!;
  const db = openDatabase(join(dataDir, 'frozen', file));
  const { jti } = db.sqlite.prepare('SELECT jti FROM ledger_entry WHERE seq = 0').get()!;
  db.close();
  const erased = await outcome('ledger', 'erase', String(jti), '--reason', 'ticket 4711');
  expect(erased).toMatchObject({ ok: true, certificates: [{ log_index: 0 }], log_entries: [{ log_index: 0 }] });
  expect(await outcome('log', 'get', '--uuid', erased.log_entries[0].uuid)).toMatchObject({ log_index: 0 });
});

const MEGABYTES = 12;
const disk = smallDisk(MEGABYTES, (undo) => afterAll(undo));

test.skipIf(disk === undefined)('on a full disk nothing is restored, and all is as it was', async () => {
  const { outcome, start, sign, verify, dataDir } = await rolledBack(disk);
  const state = () => [
    readFileSync(join(dataDir, 'trust', 'trusted_root.json'), 'utf8'),
    readdirSync(join(dataDir, 'frozen')).filter((name) => name.endsWith('.db')),
  ];
  const before = state();
  const free = fillDisk(disk!);
  expect(await outcome(...RESTORE)).toMatchObject({ exitCode: 2 });
  free();
  expect(state()).toEqual(before);
  await expect(start()).rejects.toMatchObject({ code: 'pin.history_smaller' });
  expect(await outcome(...RESTORE)).toMatchObject({ ok: true, log_index: 2 });
  await start();
  await sign('new');
  for (const one of ['kept', 'lost', 'new']) expect(await verify(one)).toMatchObject({ ok: true });
});
