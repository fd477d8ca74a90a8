import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@colophon/server';
import { openDatabase } from '@colophon/store';
import { temporaryFolder } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { CONTEXT } from './installation.ts';

/** A server with logs, and its operator's command lines. */
async function set() {
  const folder = temporaryFolder(onTestFinished);
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
async function rolledBack() {
  const server = await set();
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
  const { start, outcome, sign, verify, get, before, path, dataDir, url } = await rolledBack();
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

  // The old tree is a shard, as in Rekor.
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
