import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { MAX_REVIEW_BYTES } from '@colophon/kubernetes';
import type { ReviewHandler } from '@colophon/webhook';
import { expect, onTestFinished, test } from 'vitest';
import { Readiness } from '../operations/readiness.ts';
import { admissionEndpoints } from './admission-endpoints.ts';
import { AdmissionMeter } from './admission-meter.ts';

const ANSWER = JSON.stringify({ response: { uid: 'u', allowed: false, status: { message: 'nö' } } });

async function listen(): Promise<{ readonly port: number; readonly reviews: readonly string[] }> {
  const reviews: string[] = [];
  const handler = {
    answer: async (_webhook, bytes) => {
      reviews.push(Buffer.from(bytes).toString());
      return { status: 200, body: ANSWER };
    },
  } satisfies Pick<ReviewHandler, 'answer'>;
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

test('a body that is cut off is no review, and counts no longer among those that are being read', async () => {
  const { port, reviews } = await listen();
  const cutOff = Array.from({ length: 8 }, () => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    socket.write(
      `POST /validate HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${MAX_REVIEW_BYTES}\r\n\r\n{`,
    );
    return socket;
  });
  await expect.poll(async () => (await post(port, '{}')).statusCode).toBe(503);
  for (const socket of cutOff) socket.destroy();
  await expect.poll(async () => (await post(port, '{}')).statusCode).toBe(200);
  expect(reviews.filter((review) => review !== '{}')).toEqual([]);
});
