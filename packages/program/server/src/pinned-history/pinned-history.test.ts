import { createPublicKey } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FilePins, readSignedCheckpoint } from '@colophon/pins';
import { openDatabase } from '@colophon/store';
import { expect, onTestFinished, test } from 'vitest';
import { runServe } from '../../test/running-serve.ts';
import { runServer, type TestServer } from '../../test/running-server.ts';

const pinsOf = ({ dataDir }: { dataDir: string }) => join(dataDir, '..', 'config', 'pins');
const restart = (server: TestServer) =>
  runServer(onTestFinished, { ...server, port: Number(new URL(server.url).port) });
const integrated = async ({ url }: { url: string }, size: number) =>
  expect.poll(async () => (await (await fetch(`${url}/ledger/checkpoint`)).text()).split('\n')[1]).toBe(String(size));

/** A server that issued and logged, a copy of its folder from then, and as much again after it. */
async function twoStates() {
  const server = await runServer(onTestFinished);
  await server.sign('before');
  await server.close();
  const copy = `${server.dataDir}.copy`;
  cpSync(server.dataDir, copy, { recursive: true });
  const again = await restart(server);
  await again.sign('after');
  await again.mint();
  await again.close();
  return { server, copy };
}

const putBack = ({ dataDir }: TestServer, copy: string) => {
  rmSync(dataDir, { recursive: true });
  cpSync(copy, dataDir, { recursive: true });
};

test('an older copy of the data folder is not started, whichever of its trees is the first', async () => {
  const { server, copy } = await twoStates();
  putBack(server, copy);
  await expect(restart(server)).rejects.toMatchObject({
    code: 'pin.history_smaller',
    kind: 'untrusted',
    facts: { next: expect.stringContaining('colophon ledger restore --reason') },
  });
  // The ledger's pin alone is gone: the logs are held against their own.
  const pins = pinsOf(server);
  const others = readdirSync(pins).filter((name) => !readFileSync(join(pins, name), 'utf8').includes('/ledger\n'));
  for (const name of readdirSync(pins)) if (!others.includes(name)) rmSync(join(pins, name));
  await expect(restart(server)).rejects.toMatchObject({
    code: 'pin.history_smaller',
    facts: {
      next: expect.stringContaining('put the newest copy back'),
      expected: expect.stringContaining('localhost - '),
    },
  });
  for (const name of others)
    if (readFileSync(join(pins, name), 'utf8').startsWith('localhost - ')) rmSync(join(pins, name));
  await expect(restart(server)).rejects.toMatchObject({
    code: 'pin.history_smaller',
    facts: { expected: expect.stringContaining('/ct/v1') },
  });
});

test('nothing was signed by the start that was refused, and the newest copy starts', async () => {
  const { server, copy } = await twoStates();
  const newest = `${server.dataDir}.newest`;
  renameSync(server.dataDir, newest);
  cpSync(copy, server.dataDir, { recursive: true });
  const heads = () => {
    const db = openDatabase(server.paths.database, { readonly: true });
    const rows = db.sqlite.prepare('SELECT tree, size, note FROM merkle_head ORDER BY tree, size').all();
    db.close();
    return rows;
  };
  const before = heads();
  await expect(restart(server)).rejects.toMatchObject({ code: 'pin.history_smaller' });
  expect(heads()).toEqual(before);
  rmSync(server.dataDir, { recursive: true });
  renameSync(newest, server.dataDir);
  const again = await restart(server);
  expect(again.unpinned).toEqual([]);
});

test('a lost database with its keys kept is the same', async () => {
  const { server } = await twoStates();
  for (const name of readdirSync(server.dataDir))
    if (name.startsWith('colophon.db')) rmSync(join(server.dataDir, name));
  await expect(restart(server)).rejects.toMatchObject({ code: 'pin.history_smaller' });
});

test('a history that went on from an older copy, without the pins, is refused where they are back', async () => {
  const { server, copy } = await twoStates();
  putBack(server, copy);
  const pins = pinsOf(server);
  renameSync(pins, `${pins}.away`);
  const forked = await restart(server);
  expect(forked.unpinned).toEqual(['ledger', 'transparency log', 'certificate log']);
  for (let n = 0; n < 9; n += 1) await forked.sign(`other ${n}`);
  await forked.close();
  rmSync(pins, { recursive: true });
  renameSync(`${pins}.away`, pins);
  await expect(restart(server)).rejects.toMatchObject({ code: 'pin.fork' });
});

test('the pin follows what is signed, and a start without one says so once', async () => {
  const server = await runServer(onTestFinished);
  expect(server.unpinned).toEqual([]);
  await server.mint();
  await integrated(server, 1);
  await server.close();
  const texts = () =>
    readdirSync(pinsOf(server))
      .filter((name) => name.endsWith('.pinned'))
      .map((name) => readFileSync(join(pinsOf(server), name), 'utf8'));
  expect(texts().find((text) => text.includes('/ledger\n'))).toContain('/ledger\n1\n');
  rmSync(pinsOf(server), { recursive: true });
  const again = await restart(server);
  expect(again.unpinned).toEqual(['ledger']);
  await again.close();
  const third = await restart(server);
  expect(third.unpinned).toEqual([]);
});

test.each([
  ['cut', (text: string) => text.slice(0, -20)],
  ['empty', () => ''],
  ['of a smaller size', (text: string) => text.replace('/ledger\n1\n', '/ledger\n0\n')],
  ['no text', () => Buffer.of(0xff, 0xfe, 0)],
  ['long', (text: string) => text + 'x'.repeat(300_000)],
])('a pin file that is %s is an error, and not no pin', async (_, change) => {
  const server = await runServer(onTestFinished);
  await server.mint();
  await integrated(server, 1);
  await server.close();
  const pins = pinsOf(server);
  const file = readdirSync(pins).find((name) => readFileSync(join(pins, name), 'utf8').includes('/ledger\n'))!;
  writeFileSync(join(pins, file), change(readFileSync(join(pins, file), 'utf8')));
  await expect(restart(server)).rejects.toMatchObject({ code: 'pin.damaged', facts: { checked: join(pins, file) } });
});

test('a folder in the place of a pin, and a file in the place of their folder, are errors', async () => {
  const server = await runServer(onTestFinished);
  await server.mint();
  await integrated(server, 1);
  await server.close();
  const pins = pinsOf(server);
  const file = join(
    pins,
    readdirSync(pins).find((name) => readFileSync(join(pins, name), 'utf8').includes('/ledger\n'))!,
  );
  rmSync(file);
  mkdirSync(file);
  await expect(restart(server)).rejects.toMatchObject({ code: 'pin.damaged' });
  rmSync(pins, { recursive: true });
  writeFileSync(pins, '');
  await expect(restart(server)).rejects.toMatchObject({ code: 'pin.unavailable' });
});

test('a fork that a client has seen meanwhile is not forgotten once the history is longer', async () => {
  const server = await runServer(onTestFinished);
  await server.mint();
  await integrated(server, 1);
  await server.close();
  const copy = `${server.dataDir}.copy`;
  cpSync(server.dataDir, copy, { recursive: true });
  const pins = pinsOf(server);
  cpSync(pins, `${pins}.copy`, { recursive: true });
  const forked = await restart(server);
  for (let n = 0; n < 3; n += 1) await forked.mint();
  await integrated(forked, 4);
  const note = await (await fetch(`${forked.url}/ledger/checkpoint`)).text();
  await forked.close();
  putBack(server, copy);
  rmSync(pins, { recursive: true });
  renameSync(`${pins}.copy`, pins);
  const again = await restart(server);
  const publicKey = createPublicKey(readFileSync(again.paths.ledgerPublicKey));
  const seen = readSignedCheckpoint(note, publicKey);
  new FilePins(pins).keep({ origin: seen.origin, publicKey }, seen, false);
  for (let n = 0; n < 5; n += 1) await again.mint();
  await integrated(again, 6);
  await again.close();
  await expect(restart(server)).rejects.toMatchObject({ code: 'pin.fork' });
});

test('clients that write pins at the same time keep no server from starting', async () => {
  const server = await runServer(onTestFinished);
  await server.mint();
  await server.close();
  const pins = pinsOf(server);
  const sizes = () => readdirSync(pins).filter((name) => name.endsWith('.pinned'));
  for (const name of sizes()) rmSync(join(pins, name));
  const other = new DatabaseSync(join(pins, 'lock.db'));
  onTestFinished(() => other.close());
  other.exec('BEGIN EXCLUSIVE');
  const again = await restart(server);
  expect(sizes()).toEqual([]);
  other.exec('COMMIT');
  await again.close();
  expect(sizes()).not.toEqual([]);
});

test.each([
  ['their folder', (pins: string) => pins],
  ['a folder above it', (pins: string) => dirname(pins)],
])('pins that lie in the data folder by way of a link are none: %s', async (_, linked) => {
  const server = await runServer(onTestFinished);
  await server.close();
  const pins = pinsOf(server);
  rmSync(pins, { recursive: true, force: true });
  const link = linked(pins);
  const target = join(server.dataDir, 'linked');
  if (existsSync(link)) renameSync(link, target);
  else mkdirSync(target);
  symlinkSync(target, link);
  const again = await restart(server);
  await again.mint();
  await again.close();
  expect(existsSync(pins) ? readdirSync(pins) : []).toEqual([]);
});

test('serve keeps its pins where the file says, and holds the folder against them', async () => {
  const first = await runServe(onTestFinished);
  const pins = join(first.folder, 'elsewhere');
  await first.close();
  const text = `pins: ${pins}\ncallers:\n  - { name: builder, apiKey: true, may: { agents: [code-fixer] } }\n`;
  const start = () => runServe(onTestFinished, { dataDir: first.dataDir, text });
  const server = await start();
  const key = await server.key('builder');
  expect((await server.mint(key)).status).toBe(200);
  await server.close();
  const copy = `${first.dataDir}.copy`;
  cpSync(first.dataDir, copy, { recursive: true });
  const again = await start();
  expect((await again.mint(key)).status).toBe(200);
  await again.close();
  expect(existsSync(pins)).toBe(true);
  rmSync(first.dataDir, { recursive: true });
  cpSync(copy, first.dataDir, { recursive: true });
  await expect(start()).rejects.toMatchObject({ code: 'pin.history_smaller' });
});
