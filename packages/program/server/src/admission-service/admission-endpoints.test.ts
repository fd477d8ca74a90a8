import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { beginningUid, MAX_REVIEW_BYTES, MAX_REVIEW_VALUES } from '@colophon/kubernetes';
import type { ReviewHandler } from '@colophon/webhook';
import { expect, onTestFinished, test } from 'vitest';
import { Readiness } from '../operations/readiness.ts';
import { admissionEndpoints } from './admission-endpoints.ts';
import { AdmissionMeter } from './admission-meter.ts';

const ANSWER = JSON.stringify({ response: { uid: 'u', allowed: false, status: { message: 'nö' } } });

async function listen(
  before: () => Promise<void> = async () => {},
): Promise<{ readonly port: number; readonly reviews: readonly string[] }> {
  const reviews: string[] = [];
  const handler = {
    answer: async (_webhook, bytes) => {
      await before();
      reviews.push(Buffer.from(bytes).toString());
      return { status: 200, body: ANSWER };
    },
    answerUnread: async (beginning, why) => {
      const uid = beginningUid(beginning);
      return uid === undefined ? undefined : { status: 200, body: JSON.stringify({ why, uid, allowed: false }) };
    },
  } satisfies Pick<ReviewHandler, 'answer' | 'answerUnread'>;
  const readiness = new Readiness();
  const meter = new AdmissionMeter(readiness, '1');
  const server = createServer(
    admissionEndpoints({ handler: handler as never, readiness, meter, timeoutMs: 1_000 }),
  ).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close().closeAllConnections());
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: (server.address() as AddressInfo).port, reviews };
}

function post(port: number, body: string): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/validate', method: 'POST', headers }, resolve)
      .once('error', reject)
      .end(body);
  });
}

test('an answer says how long it is', async () => {
  const { port, reviews } = await listen();
  const answer = await post(port, '{}');
  expect(answer.headers).toMatchObject({
    'content-length': String(Buffer.byteLength(ANSWER)),
    'cache-control': 'no-store',
  });
  expect(answer.headers).not.toHaveProperty('transfer-encoding');
  expect([await text(answer), reviews]).toEqual([ANSWER, ['{}']]);
});

const LARGE = JSON.stringify({ x: 'x'.repeat(100_000) });

/** Requests whose bodies come as far as they are given, and no further. */
function begin(port: number, count: number, body: Uint8Array): Socket[] {
  const head = `POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${MAX_REVIEW_BYTES}\r\n\r\n`;
  return Array.from({ length: count }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(head);
    socket.write(body);
    onTestFinished(() => void socket.destroy());
    return socket;
  });
}

test('what is announced and does not come keeps nobody out', async () => {
  const { port, reviews } = await listen();
  begin(port, 100, Buffer.from('{'));
  await delay(200);
  expect([(await post(port, '{}')).statusCode, (await post(port, LARGE)).statusCode]).toEqual([200, 200]);
  expect(reviews).toEqual(['{}', LARGE]);
});

test('a body that is cut off is no review, and counts no longer among those that are being read', async () => {
  const { port, reviews } = await listen();
  const cutOff = begin(port, 2, Buffer.alloc(MAX_REVIEW_BYTES - 1, 0x20));
  await expect.poll(async () => (await post(port, LARGE)).statusCode).toBe(503);
  expect((await post(port, '{}')).statusCode).toBe(200);
  for (const socket of cutOff) socket.destroy();
  await expect.poll(async () => (await post(port, LARGE)).statusCode).toBe(200);
  expect(reviews.filter((review) => review !== '{}' && review !== LARGE)).toEqual([]);
});

test('a body is held until its answer is out', async () => {
  let come = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { port } = await listen(() => {
    come += 1;
    return promise;
  });
  const whole = JSON.stringify({ x: 'x'.repeat(MAX_REVIEW_BYTES - 8) });
  const waiting = Array.from({ length: 2 }, () => post(port, whole));
  await expect.poll(() => come).toBe(2);
  expect((await post(port, LARGE)).statusCode).toBe(503);
  resolve();
  expect((await Promise.all(waiting)).map(({ statusCode }) => statusCode)).toEqual(Array(2).fill(200));
  expect((await post(port, LARGE)).statusCode).toBe(200);
});

const REVIEW = '{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","x":"';
const reviewOf = (bytes: number) => `${REVIEW.padEnd(bytes - 3, 'x')}"}}`;
const answerTo = async (port: number, body: string) => {
  const answer = await post(port, body);
  return [answer.statusCode, JSON.parse(await text(answer))];
};

test('a review that is larger than any is refused by its uid', async () => {
  const { port, reviews } = await listen();
  const refused = { why: 'too-large', uid: 'u-1', allowed: false };
  expect(await answerTo(port, reviewOf(MAX_REVIEW_BYTES + 1))).toEqual([200, refused]);
  expect(await answerTo(port, reviewOf(3 * MAX_REVIEW_BYTES))).toEqual([200, refused]);
  expect(reviews).toEqual([]);
  expect((await post(port, reviewOf(MAX_REVIEW_BYTES))).statusCode).toBe(200);
  expect(reviews.map((review) => review.length)).toEqual([MAX_REVIEW_BYTES]);
  expect((await post(port, 'x'.repeat(MAX_REVIEW_BYTES + 1))).statusCode).toBe(413);
});

test('one that does not say how large it is, too', async () => {
  const { port } = await listen();
  const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: '127.0.0.1', port, path: '/validate', method: 'POST', headers }, resolve)
      .once('error', reject)
      .end(reviewOf(MAX_REVIEW_BYTES + 1));
  });
  expect(JSON.parse(await text(answer))).toMatchObject({ why: 'too-large', uid: 'u-1' });
});

test('what is announced as too large and does not come is refused by its beginning', async () => {
  const { port } = await listen();
  const head = `POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${1e9}\r\n\r\n`;
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  onTestFinished(() => void socket.destroy());
  socket.write(head + reviewOf(2_000));
  const [said] = await once(socket, 'data');
  expect(String(said)).toContain('"why":"too-large"');
});

const listOf = (values: number) => `${REVIEW}","list":[${Array(values).fill('0').join()}]}}`;

test('a review with more values than any has is refused by its uid, however few bytes they take', async () => {
  const { port, reviews } = await listen();
  expect(await answerTo(port, listOf(MAX_REVIEW_VALUES))).toEqual([
    200,
    { why: 'too-large', uid: 'u-1', allowed: false },
  ]);
  expect(reviews).toEqual([]);
  expect((await post(port, listOf(MAX_REVIEW_VALUES - 20))).statusCode).toBe(200);
  expect(reviews).toHaveLength(1);
});

test('values of large bodies are held until their answers are out', async () => {
  let come = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const { port } = await listen(() => {
    come += 1;
    return promise;
  });
  const waiting = post(port, listOf(MAX_REVIEW_VALUES - 20));
  await expect.poll(() => come).toBe(1);
  expect(await answerTo(port, listOf(100_000))).toEqual([200, { why: 'no-room', uid: 'u-1', allowed: false }]);
  const small = post(port, '[[],[]]');
  await expect.poll(() => come).toBe(2);
  resolve();
  expect([(await waiting).statusCode, (await small).statusCode]).toEqual([200, 200]);
  expect((await post(port, listOf(100_000))).statusCode).toBe(200);
});

test('a large review that finds no room is refused by its uid: without an answer it could come in', async () => {
  const { port } = await listen();
  begin(port, 2, Buffer.alloc(MAX_REVIEW_BYTES - 1, 0x20));
  await expect.poll(async () => (await post(port, LARGE)).statusCode).toBe(503);
  expect(await answerTo(port, reviewOf(100_000))).toEqual([200, { why: 'no-room', uid: 'u-1', allowed: false }]);
});
