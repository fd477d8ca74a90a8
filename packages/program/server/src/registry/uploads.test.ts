import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '@colophon/testkit';
import Fastify from 'fastify';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createRegistry } from './registry.ts';
import { MAX_OPEN_UPLOADS, SLOW_AFTER_MS } from './uploads.ts';

let folder: string;
let port: number;
let now: number;

beforeEach(async () => {
  now = 0;
  folder = temporaryFolder(onTestFinished);
  const registry = createRegistry({ folder, now: () => now });
  const app = Fastify({ forceCloseConnections: true });
  onTestFinished(async () => {
    await app.close();
    registry.close();
  });
  await registry.register(app);
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});

/** One client: all that it sends goes over one connection. */
function client() {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const send = (method: string, path: string, body: Uint8Array | string = '') =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request({ port, method, path, agent, headers: { 'content-length': body.length } }, (answer) =>
        resolve(answer.resume()),
      )
        .once('error', reject)
        .end(body);
    });
  const begin = async () => {
    const { statusCode, headers } = await send('POST', '/v2/demo/app/blobs/uploads/');
    expect(statusCode).toBe(202);
    return headers.location!;
  };
  /** An upload with one byte in it, and no more to come. */
  const clutter = async () => {
    const location = await begin();
    await send('PATCH', location, 'x');
    return location;
  };
  return { send, begin, clutter };
}

/** What has arrived of all uploads, in bytes. */
function writtenBytes(): number {
  const uploads = join(folder, 'uploads');
  return readdirSync(uploads).reduce((sum, id) => sum + statSync(join(uploads, id)).size, 0);
}

const digestOf = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const times = (count: number, work: () => Promise<unknown>) => Array.from({ length: count }, work);

test('uploads that were begun and left keep nobody from pushing', async () => {
  const [adversary, honest] = [client(), client()];
  for (let i = 0; i < MAX_OPEN_UPLOADS; i += 1) await adversary.clutter();
  const bytes = randomBytes(100_000);
  const location = await honest.begin();
  // Between every two steps of the push as many are begun as there are places.
  for (let i = 0; i < MAX_OPEN_UPLOADS; i += 1) await adversary.clutter();
  expect((await honest.send('PATCH', location, bytes.subarray(0, 50_000))).statusCode).toBe(202);
  for (let i = 0; i < MAX_OPEN_UPLOADS; i += 1) await adversary.clutter();
  const put = await honest.send('PUT', `${location}?digest=${digestOf(bytes)}`, bytes.subarray(50_000));
  expect(put.statusCode).toBe(201);
});

test('from many connections too, the upload that was touched longest ago gives way', async () => {
  const honest = client();
  const abandoned = await client().clutter();
  now = 1;
  const slow = await honest.begin();
  const others = Array.from({ length: MAX_OPEN_UPLOADS - 2 }, client);
  now = 2;
  await Promise.all(others.map(({ clutter }) => clutter()));
  now = 3;
  const late = await client().clutter();
  const status = async (location: string) => (await honest.send('GET', location)).statusCode;
  expect(await Promise.all([abandoned, slow, late].map(status))).toEqual([404, 204, 204]);
});

test('no more are open than there are places, however many are begun at once', async () => {
  const crowd = Array.from({ length: 40 }, client);
  const begun = await Promise.all(crowd.flatMap(({ begin }) => times(10, begin)));
  const statuses = await Promise.all(
    begun.map(async (location, i) => (await crowd[i % 40]!.send('GET', location as string)).statusCode),
  );
  expect(statuses.filter((status) => status === 204)).toHaveLength(MAX_OPEN_UPLOADS);
});

test('where every place is taken by bytes that trickle in, the slowest gives way, after a while', async () => {
  const honest = client();
  const trickling: ClientRequest[] = [];
  const cut: number[] = [];
  for (let i = 0; i < MAX_OPEN_UPLOADS; i += 1) {
    const path = await client().begin();
    await new Promise<void>((sent) => {
      const slow = request({ port, method: 'PATCH', path, headers: { 'content-length': 1_000_000 } });
      slow.on('error', () => cut.push(i));
      // One of them sends less than all others.
      slow.write(Buffer.alloc(i === 7 ? 10 : 1000), () => sent());
      trickling.push(slow);
    });
  }
  onTestFinished(() => trickling.forEach((slow) => void slow.destroy()));
  const sent = (MAX_OPEN_UPLOADS - 1) * 1000 + 10;
  await expect.poll(writtenBytes).toBe(sent);
  const push = async () => (await honest.send('POST', '/v2/demo/app/blobs/uploads/')).statusCode;
  expect(await push()).toBe(429);
  expect(cut).toEqual([]);
  now = SLOW_AFTER_MS;
  expect(await push()).toBe(202);
  await expect.poll(() => cut).toEqual([7]);
});
