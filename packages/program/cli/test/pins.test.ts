import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  consistencyProof,
  ecdsaKeyHash,
  formatCheckpoint,
  hashLeaf,
  rootFromLeafHashes,
  signNote,
} from '@colophon/merkle';
import { startServer } from '@colophon/server';
import { temporaryFolder } from '@colophon/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { documentOf, runLine } from './command-line.ts';
import { CONTEXT } from './installation.ts';

/** A checkpoint comes within half a second, and is answered for one more. */

/** A server that can be stopped, and command lines of somebody with a home, who trusts it. */
async function set() {
  const folder = temporaryFolder(onTestFinished);
  const dataDir = join(folder, 'data');
  const secret = join(folder, 'server', 'reviewer-secret');
  let port = 0;
  const start = async () => {
    const server = await startServer({ dataDir, reviewerSecretFile: secret, port });
    onTestFinished(() => server.close());
    port = Number(new URL(server.url).port);
    return server;
  };
  let server = await start();
  const { url } = server;
  /** A person of this name, on a machine of their own. */
  const person = (name: string) => {
    const home = join(folder, name);
    mkdirSync(home, { recursive: true });
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config'), COLOPHON_ISSUER: url };
    const pins = join(home, 'config', 'colophon', 'pins');
    const run = (...line: string[]) => runLine([...line, '--output', 'json'], env);
    // biome-ignore lint/suspicious/noExplicitAny: tests say what must be in it
    const outcome = async (...line: string[]): Promise<any> => {
      const ran = await run(...line);
      const document = documentOf(ran);
      return ran.exitCode === 0 ? document : { exitCode: ran.exitCode, ...document.error };
    };
    return { home, env, pins, run, outcome, text: (...line: string[]) => runLine(line, env) };
  };
  const trust = { root: join(folder, 'trusted_root.json'), key: join(folder, 'ledger.pub') };
  cpSync(join(dataDir, 'trust', 'trusted_root.json'), trust.root);
  cpSync(join(dataDir, 'trust', 'ledger.pub'), trust.key);
  const signing = (name: string, signer: string) => {
    const file = join(folder, name);
    writeFileSync(file, name);
    const home = join(folder, signer);
    const env = { HOME: home, COLOPHON_HOME: dataDir, XDG_CONFIG_HOME: home };
    return runLine(['sign-blob', file, ...CONTEXT, '--yes', '--output', 'json'], env);
  };
  /** By a signer who has seen nothing before. */
  const sign = async (name: string) => {
    const ran = await signing(name, `signer of ${name}`);
    if (ran.exitCode !== 0) throw new Error(ran.stderr);
    return join(folder, name);
  };
  const verified = (file: string) => [
    ...['verify-blob', file, '--trusted-root', trust.root, '--certificate-identity', 'agent:code-writer'],
    ...['--certificate-oidc-issuer', url],
  ];
  const ledgerSize = async (size: number) =>
    expect.poll(async () => (await (await fetch(`${url}/ledger/checkpoint`)).text()).split('\n')[1]).toBe(`${size}`);
  return {
    folder,
    dataDir,
    url,
    trust,
    person,
    sign,
    signing,
    verified,
    ledgerSize,
    stop: () => server.close(),
    start: async () => {
      server = await start();
    },
    copy() {
      cpSync(dataDir, `${dataDir}.copy`, { recursive: true });
    },
    /** The older copy goes on, as if its operator had no pins. */
    async fork() {
      await server.close();
      rmSync(join(folder, 'server', 'pins'), { recursive: true });
      rmSync(dataDir, { recursive: true });
      cpSync(`${dataDir}.copy`, dataDir, { recursive: true });
      server = await start();
    },
  };
}

/** Answers at an address of its own what `url` does, but for what `change` makes of it. */
async function between(url: string, change: (path: string, body: string) => string | number): Promise<string> {
  const proxy = createServer(async (request, response) => {
    const answer = await fetch(`${url}${request.url}`);
    const changed = change(request.url!, await answer.text());
    if (typeof changed === 'number') return response.writeHead(changed, { location: url }).end('');
    return response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(changed);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

describe('an auditor with a checkpoint of last month', () => {
  test('convinces themselves by one command, without the database', async () => {
    const { person, sign, trust, url, folder, ledgerSize } = await set();
    for (const name of ['a', 'b', 'c']) await sign(name);
    await ledgerSize(3);
    const checkpoint = join(folder, 'last-month');
    writeFileSync(checkpoint, await (await fetch(`${url}/ledger/checkpoint`)).text());
    for (const name of ['d', 'e']) await sign(name);
    await ledgerSize(5);
    const auditor = person('auditor');
    const line = ['ledger', 'verify', '--checkpoint', checkpoint, '--issuer', url, '--key', trust.key];
    expect(await auditor.outcome(...line)).toMatchObject({
      ok: true,
      origin: `${new URL(url).host}/ledger`,
      size: 5,
      continues: [{ from: 'checkpoint', size: 3 }],
    });
    // A machine without a place for pins is told so, and has its answer.
    const nowhere = await runLine(line, { ...auditor.env, XDG_CONFIG_HOME: '/proc/nowhere' });
    expect(nowhere.exitCode).toBe(0);
    expect(nowhere.stderr).toContain('is not pinned');
    // What was seen once is known the next time.
    expect(await auditor.outcome('ledger', 'verify', '--issuer', url, '--key', trust.key)).toMatchObject({
      continues: [{ from: 'pin', size: 5 }],
    });
    expect((await auditor.text(...line)).stdout).toMatch(/continues the checkpoint +3 entries/);
    const log = ['log', 'verify', '--rekor-url', url, '--trusted-root', trust.root];
    expect(await auditor.outcome(...log)).toMatchObject({ size: 5, continues: [] });
    await sign('f');
    expect(await auditor.outcome(...log)).toMatchObject({ size: 6, continues: [{ from: 'pin', size: 5 }] });
  });

  test('is told of a history that was put back, once it is as long again, and once it is longer', async () => {
    const { person, sign, trust, url, copy, fork, stop, start, folder } = await set();
    await sign('a');
    await stop();
    copy();
    await start();
    for (const name of ['b', 'c']) await sign(name);
    const auditor = person('auditor');
    const ledger = join(folder, 'ledger.checkpoint');
    const log = join(folder, 'log.checkpoint');
    await expect
      .poll(async () => (await auditor.text('ledger', 'checkpoint', '--issuer', url, '--key', trust.key)).stdout)
      .toContain('/ledger\n3\n');
    await auditor.text('ledger', 'checkpoint', '--issuer', url, '--key', trust.key, '--out', ledger);
    await auditor.text('log', 'checkpoint', '--rekor-url', url, '--trusted-root', trust.root, '--out', log);
    expect(readFileSync(log, 'utf8')).toMatch(/^localhost - \d+\n3\n/);
    await fork();
    const ledgerLine = ['ledger', 'verify', '--checkpoint', ledger, '--issuer', url, '--key', trust.key];
    const logLine = ['log', 'verify', '--checkpoint', log, '--rekor-url', url, '--trusted-root', trust.root];
    for (const line of [ledgerLine, logLine]) {
      expect(await auditor.outcome(...line)).toMatchObject({ exitCode: 13, code: 'pin.log_behind' });
    }
    const local = ['--data', join(folder, 'data')];
    expect(await auditor.outcome(...local, 'ledger', 'verify', '--checkpoint', ledger)).toMatchObject({
      exitCode: 13,
      code: 'pin.history_smaller',
    });
    expect(await auditor.outcome(...local, 'log', 'verify', '--checkpoint', log)).toMatchObject({
      exitCode: 13,
      code: 'pin.history_smaller',
    });
    for (const name of ['x', 'y']) await sign(name);
    await expect.poll(async () => (await auditor.outcome(...ledgerLine)).code).toBe('pin.fork');
    expect(await auditor.outcome(...logLine)).toMatchObject({ exitCode: 13, code: 'pin.fork' });
    await sign('z');
    await expect.poll(async () => (await auditor.outcome(...ledgerLine)).code).toBe('pin.inconsistent');
    expect(await auditor.outcome(...logLine)).toMatchObject({ exitCode: 13, code: 'pin.inconsistent' });
    expect(await auditor.outcome(...local, 'ledger', 'verify', '--checkpoint', ledger)).toMatchObject({
      code: 'pin.fork',
    });
    expect(await auditor.outcome(...local, 'log', 'verify', '--checkpoint', log)).toMatchObject({ code: 'pin.fork' });
  });

  test('believes no proof of another tree, no older answer, no redirect and no other log', async () => {
    const { person, sign, trust, url, folder, ledgerSize } = await set();
    for (const name of ['a', 'b', 'c']) await sign(name);
    await ledgerSize(3);
    const checkpoint = join(folder, 'checkpoint');
    const older = await (await fetch(`${url}/ledger/checkpoint`)).text();
    writeFileSync(checkpoint, older);
    for (const name of ['d', 'e', 'f', 'g']) await sign(name);
    await ledgerSize(7);
    // The issuer's name stands in its checkpoints; who answers for it is another matter.
    const asked = async (change: (path: string, body: string) => string | number) => {
      const { env } = person('auditor');
      const history = await between(url, change);
      const ran = await runLine(
        ['log', 'verify', '--rekor-url', history, '--trusted-root', trust.root, '--output', 'json'],
        env,
      );
      return ran.exitCode === 0 ? documentOf(ran) : { exitCode: ran.exitCode, ...documentOf(ran).error };
    };
    expect(await asked((_, body) => body)).toMatchObject({ ok: true, size: 7 });
    await sign('h');
    const zeros = (path: string, body: string) =>
      path.includes('/proof') ? body.replace(/[0-9a-f]{64}/, '0'.repeat(64)) : body;
    expect(await asked(zeros)).toMatchObject({ exitCode: 13, code: 'pin.inconsistent' });
    const long = (path: string) =>
      path.includes('/proof') ? JSON.stringify({ hashes: Array(200).fill('0'.repeat(64)) }) : '';
    expect(await asked((path, body) => long(path) || body)).toMatchObject({ exitCode: 3, code: 'pin.log_refused' });
    expect(await asked((path, body) => (path.includes('/proof') ? 302 : body))).toMatchObject({
      code: 'pin.log_unavailable',
    });
    expect(await asked((path, body) => (path.includes('/proof') ? 404 : body))).toMatchObject({
      exitCode: 3,
      code: 'pin.log_refused',
    });
    expect(await asked((path, body) => (path.includes('/proof') ? 'x'.repeat(2_000_000) : body))).toMatchObject({
      code: 'pin.log_unavailable',
    });
    expect(
      await asked((path, body) => (path.endsWith('/log') ? body.replace(/\\n8\\n/, '\\n9\\n') : body)),
    ).toMatchObject({ exitCode: 13, code: 'pin.checkpoint_invalid' });
    const { outcome } = person('auditor');
    const line = ['ledger', 'verify', '--issuer', url, '--key', trust.key, '--checkpoint'];
    const log = join(folder, 'log.checkpoint');
    await person('other').text('log', 'checkpoint', '--rekor-url', url, '--trusted-root', trust.root, '--out', log);
    expect(await outcome(...line, log)).toMatchObject({ exitCode: 13, code: 'pin.checkpoint_invalid' });
    expect(await outcome(...line, join(folder, 'a'))).toMatchObject({ exitCode: 13, code: 'pin.checkpoint_invalid' });
    expect(await outcome(...line, join(folder, 'nowhere'))).toMatchObject({ exitCode: 1, code: 'cli.file_unreadable' });
    // As long as the stream is, it never ends.
    expect(await outcome(...line, '/dev/zero')).toMatchObject({ exitCode: 20, code: 'cli.file_too_large' });
    expect(await outcome(...line, `${url}/nowhere`)).toMatchObject({ exitCode: 3, code: 'pin.log_refused' });
    expect(await outcome(...line, `${url}/ledger/checkpoint`)).toMatchObject({ ok: true });
    expect(await outcome(...line, checkpoint)).toMatchObject({
      ok: true,
      continues: [{ from: 'checkpoint', size: 3 }, { from: 'pin' }],
    });
  });
});

/** An issuer, as far as an auditor sees it, whose operator holds its ledger's key and answers for these ledgers as it likes. */
async function operator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const ledger = (origin: string, rows: readonly string[]) => {
    const leaves = rows.map((row) => hashLeaf(Buffer.from(row)));
    const text = formatCheckpoint({ origin, size: leaves.length, root: rootFromLeafHashes(leaves) });
    const signer = { name: origin, keyHash: ecdsaKeyHash(spki) };
    const note = signNote(text, { ...signer, sign: (bytes) => sign('sha256', bytes, privateKey) });
    const nodes = (level: number, index: number) =>
      rootFromLeafHashes(leaves.slice(index * 2 ** level, (index + 1) * 2 ** level));
    return { origin, note, proof: (first: number, second: number) => consistencyProof(first, second, nodes) };
  };
  let served: ReturnType<typeof ledger>[] = [];
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
    const name = searchParams.get('origin');
    const meant = served.find(({ origin }) => origin === (name ?? served[0]!.origin));
    if (meant === undefined) return response.writeHead(404).end();
    if (pathname === '/ledger/checkpoint') return response.end(meant.note);
    const sizes = ['first', 'second'].map((size) => Number(searchParams.get(size)));
    const hashes = meant.proof(sizes[0]!, sizes[1]!).map((hash) => Buffer.from(hash).toString('hex'));
    response.end(JSON.stringify({ hashes }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const folder = temporaryFolder(onTestFinished);
  const key = join(folder, 'ledger.pub');
  writeFileSync(key, publicKey.export({ type: 'spki', format: 'pem' }));
  const other = `127.0.0.1:${port}/ledger/${createHash('sha256').update(spki).digest('hex').slice(0, 16)}`;
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    folder,
    names: { first: `127.0.0.1:${port}/ledger`, other },
    serve: (...ledgers: (readonly [origin: string, rows: readonly string[]])[]) => {
      served = ledgers.map(([origin, rows]) => ledger(origin, rows));
    },
  };
}

describe('an operator who signs everything anew with the real key', () => {
  test('is found out, also where the new history has another name', async () => {
    const { url, key, folder, names, serve } = await operator();
    const home = join(folder, 'auditor');
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, 'config') };
    const audit = async (...more: string[]) => {
      const ran = await runLine(['ledger', 'verify', '--issuer', url, '--key', key, '--output', 'json', ...more], env);
      return ran.exitCode === 0 ? documentOf(ran) : { exitCode: ran.exitCode, ...documentOf(ran).error };
    };
    serve([names.first, ['a', 'b', 'c', 'd', 'e']]);
    expect(await audit()).toMatchObject({ ok: true, size: 5 });
    const without = ['a', 'b', 'd', 'e', 'f', 'g'];
    serve([names.first, without]);
    expect(await audit()).toMatchObject({ exitCode: 13, code: 'pin.inconsistent' });
    // Under the name that a restored ledger of this key would have, of which nothing is pinned.
    serve([names.other, without]);
    expect(await audit()).toMatchObject({ exitCode: 3, code: 'pin.log_refused' });
    serve([names.other, without], [names.first, without]);
    expect(await audit()).toMatchObject({ exitCode: 13, code: 'pin.inconsistent' });
    // What was seen under the first name is still there, so nothing of it was removed.
    serve([names.other, without], [names.first, ['a', 'b', 'c', 'd', 'e', 'f']]);
    expect(await audit()).toMatchObject({
      ok: true,
      origin: names.other,
      continues: [{ from: 'pin', size: 5, origin: names.first }],
    });
  });
});

test('who signs is refused by a second history of the log, and is handed no signature', async () => {
  const { signing, stop, copy, start, fork, folder } = await set();
  expect((await signing('a', 'signer')).exitCode).toBe(0);
  await stop();
  copy();
  await start();
  expect((await signing('b', 'signer')).exitCode).toBe(0);
  await fork();
  const refused = await signing('x', 'signer');
  expect(refused.exitCode).toBe(13);
  expect(documentOf(refused).error).toMatchObject({ code: 'pin.fork', checked: join(folder, 'x') });
  expect(readdirSync(folder).filter((name) => name.startsWith('x'))).toEqual(['x']);
});

test('who signs is told of pins that cannot be read, and of damaged ones before anything is logged', async () => {
  const { signing, folder, url, trust, person } = await set();
  expect((await signing('a', 'signer')).exitCode).toBe(0);
  const pins = join(folder, 'signer', 'colophon', 'pins');
  const [name] = readdirSync(pins).filter((one) => one.endsWith('.pinned'));
  writeFileSync(join(pins, name!), '');
  const refused = await signing('b', 'signer');
  expect(refused.exitCode).toBe(2);
  expect(documentOf(refused).error).toMatchObject({ code: 'pin.damaged', checked: join(pins, name!) });
  const size = async () =>
    (await person('auditor').outcome('log', 'verify', '--rekor-url', url, '--trusted-root', trust.root)).size;
  expect(await size()).toBe(1);
  // Nobody else's business: a home that this user may not look into has no pins for them.
  writeFileSync(join(folder, 'file'), '');
  const blind = await signing('c', 'file/home');
  expect(blind.exitCode, blind.stdout).toBe(0);
  expect(blind.stderr).toContain('not held against pins');
  expect(await size()).toBe(2);
});

describe('who verifies a signature', () => {
  test('pins what they see, and refuses a second history of the log', async () => {
    const { person, sign, verified, copy, fork, stop, start } = await set();
    const first = await sign('a');
    await stop();
    copy();
    await start();
    const second = await sign('b');
    const { outcome, pins } = person('verifier');
    expect(await outcome(...verified(first))).toMatchObject({ ok: true });
    expect(await outcome(...verified(second))).toMatchObject({ ok: true });
    // An older bundle is normal.
    expect(await outcome(...verified(first))).toMatchObject({ ok: true });
    expect(readdirSync(pins).filter((name) => /\.(pinned|seen)$/.test(name))).toHaveLength(2);
    await fork();
    const forged = await sign('x');
    expect(await outcome(...verified(forged))).toMatchObject({ exitCode: 13, code: 'pin.fork' });
    expect(await outcome('log', 'get', '--log-index', '1', '--trusted-root', verified('')[3]!)).toMatchObject({
      exitCode: 13,
      code: 'pin.fork',
    });
    // Whoever has seen neither takes it: nothing but a memory tells them apart.
    expect(await person('newcomer').outcome(...verified(forged))).toMatchObject({ ok: true });
    // A longer fork is not noticed offline, and its checkpoint takes the place of no pin: the log is asked, and found out.
    const longer = await sign('y');
    expect(await outcome(...verified(longer))).toMatchObject({ ok: true });
    expect(await outcome(...verified(longer), '--require-consistency')).toMatchObject({
      exitCode: 13,
      code: 'pin.inconsistent',
    });
  });

  test('can have the log prove it, and is refused where it does not', async () => {
    const { person, sign, verified, url, stop, folder } = await set();
    const file = await sign('a');
    const { outcome, text, pins } = person('verifier');
    const checkpoint = join(folder, 'checkpoint');
    await text('log', 'checkpoint', '--trusted-root', verified('')[3]!, '--out', checkpoint);
    await sign('b');
    const later = await sign('c');
    expect(await outcome(...verified(file), '--require-consistency')).toMatchObject({ ok: true });
    expect(
      readdirSync(pins)
        .filter((name) => name.endsWith('.pinned'))
        .map((name) => readFileSync(join(pins, name), 'utf8').split('\n')[1]),
    ).toEqual(['3']);
    const ci = () => person(`ci-${Math.random()}`);
    for (const place of [checkpoint, `${url}/api/v1/log`]) {
      expect(await ci().outcome(...verified(later), '--checkpoint', place, '--require-consistency')).toMatchObject({
        ok: true,
      });
    }
    // The ledger has its first one within a second.
    await vi.waitFor(async () => expect((await fetch(`${url}/ledger/checkpoint`)).ok).toBe(true), 25_000);
    expect(await ci().outcome(...verified(later), '--checkpoint', `${url}/ledger/checkpoint`)).toMatchObject({
      exitCode: 13,
      code: 'pin.checkpoint_invalid',
    });
    await stop();
    expect(await ci().outcome(...verified(later), '--checkpoint', checkpoint)).toMatchObject({ ok: true });
    expect(await ci().outcome(...verified(later), '--require-consistency')).toMatchObject({
      exitCode: 3,
      code: 'pin.log_unavailable',
    });
  });

  test('is not shown a log that was begun anew under another name with the same key', async () => {
    const { person, sign, verified, dataDir, folder, stop, start, trust, url } = await set();
    const { outcome } = person('verifier');
    for (const name of ['a', 'b']) await outcome(...verified(await sign(name)));
    await stop();
    rmSync(join(folder, 'server', 'pins'), { recursive: true });
    for (const name of readdirSync(dataDir)) if (name.startsWith('colophon.db')) rmSync(join(dataDir, name));
    await start();
    const anew = await sign('x');
    const refused = { exitCode: 3, code: 'pin.log_refused' };
    expect(await outcome(...verified(anew), '--require-consistency')).toMatchObject(refused);
    const log = ['log', 'verify', '--rekor-url', url, '--trusted-root', trust.root];
    expect(await outcome(...log)).toMatchObject(refused);
    expect(await person('newcomer').outcome(...log)).toMatchObject({ ok: true, size: 1 });
  });

  test('is kept from verifying by no lines that a stranger adds to checkpoints of the log', async () => {
    const { person, sign, verified } = await set();
    const { outcome, pins } = person('verifier');
    const files = [];
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) files.push(await sign(name));
    for (const file of files.slice(0, 6)) {
      const bundle = JSON.parse(readFileSync(`${file}.sigstore.json`, 'utf8'));
      const { checkpoint } = bundle.verificationMaterial.tlogEntries[0].inclusionProof;
      // The log's own signature under a name that is as long as a line may be, and somebody's beside it.
      const [text, line] = checkpoint.envelope.split('\n\n');
      const [, , signature] = line.split(' ');
      const junk = Buffer.alloc(300).toString('base64');
      const foreign = Array.from({ length: 90 }, () => `\u2014 stranger ${junk}\n`).join('');
      checkpoint.envelope = `${text}\n\n\u2014 ${'\u20ac'.repeat(20_000)} ${signature.trim()}\n${foreign}${line}`;
      writeFileSync(`${file}.sigstore.json`, JSON.stringify(bundle));
      expect(await outcome(...verified(file))).toMatchObject({ ok: true });
    }
    expect(await outcome(...verified(files[6]!))).toMatchObject({ ok: true });
    for (const name of readdirSync(pins)) expect(readFileSync(join(pins, name), 'utf8')).not.toMatch(/stranger|\u20ac/);
  });

  test('goes on without a place for pins, and not with one that is damaged', async () => {
    const { person, sign, verified } = await set();
    const file = await sign('a');
    const { outcome, pins, env } = person('verifier');
    expect(await outcome(...verified(file))).toMatchObject({ ok: true });
    const [name] = readdirSync(pins).filter((one) => one.endsWith('.pinned'));
    writeFileSync(join(pins, name!), readFileSync(join(pins, name!), 'utf8').slice(0, 60));
    expect(await outcome(...verified(file))).toMatchObject({
      exitCode: 2,
      code: 'pin.damaged',
      checked: join(pins, name!),
    });
    rmSync(pins, { recursive: true });
    // Nothing can be made there.
    const ran = await runLine(verified(file), { ...env, XDG_CONFIG_HOME: '/proc/nowhere' });
    expect(ran.exitCode).toBe(0);
    expect(ran.stderr).toContain('is not pinned');
  });
});
