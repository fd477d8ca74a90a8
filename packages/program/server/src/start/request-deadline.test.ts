import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { temporaryFolder } from '@colophon/testkit';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createRegistry } from '../registry/registry.ts';
import { mountFrontDoor } from './front-door.ts';

/** Long enough for an answer of a loaded machine. */
const TIMEOUT_MS = 400;

let app: FastifyInstance;
let port: number;
let host: string;

beforeEach(async () => {
  app = Fastify({ requestTimeout: 0 });
  mountFrontDoor(app, { timeoutMs: TIMEOUT_MS });
  const registry = createRegistry({ folder: temporaryFolder(onTestFinished) });
  onTestFinished(() => registry.close());
  await registry.register(app);
  app.addContentTypeParser('application/octet-stream', (_request, payload, done) => {
    let length = 0;
    payload.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    payload.on('end', () => done(null, length));
    payload.on('error', done);
  });
  app.post('/oauth/token', async (request) => request.body);
  app.post('/slow', async () => {
    await new Promise((resolve) => setTimeout(resolve, 2 * TIMEOUT_MS));
    return 'thought about it';
  });
  await app.listen({ port: 0, host: '127.0.0.1' });
  port = (app.server.address() as { port: number }).port;
  host = `localhost:${port}`;
});
afterEach(() => app.close());

const head = (path: string, length: number, headers = '') =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/octet-stream\r\nContent-Length: ${length}\r\n${headers}\r\n`;

/** Sends a part, and others behind it 100 ms apart, until the server hangs up. Answers with all that it said until then. */
function trickle(first: string, part = '', parts = Number.POSITIVE_INFINITY): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const socket: Socket = connect(port, '127.0.0.1');
    const send = (left: number) => {
      if (socket.destroyed || left <= 0) return;
      socket.write(part);
      setTimeout(send, 100, left - 1);
    };
    socket.on('data', (chunk) => {
      said += chunk.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(said));
    socket.write(first);
    if (part !== '') send(parts);
  });
}

test('a body that trickles in is cut off', async () => {
  expect(await trickle(head('/oauth/token', 1000), 'x')).toBe('');
});

test('a body in chunks that trickle in is cut off', async () => {
  const chunked = head('/oauth/token', 0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  expect(await trickle(chunked, '1\r\nx\r\n')).toBe('');
});

test('the body of a request that was refused before it was read is cut off as well', async () => {
  const refused = head('/oauth/token', 1000, 'Origin: https://evil.example\r\n');
  const said = await trickle(refused, 'x');
  expect(said).toContain('server.origin_refused');
});

test('an upload to the registry takes the time that it takes', async () => {
  const digest = createHash('sha256').update('x'.repeat(10)).digest('hex');
  const upload = head(`/v2/image/blobs/uploads/?digest=sha256:${digest}`, 10, 'Connection: close\r\n');
  expect(await trickle(upload, 'x', 10)).toContain('201 Created');
});

test.each([
  ['/v2/image/manifests/v1', 'UNSUPPORTED'],
  ['/v2/image/blobs/uploads/', '202 Accepted'],
  ['/v2/', 'UNSUPPORTED'],
])('a body that the registry does not read at %s is cut off after its answer', async (path, answer) => {
  expect(await trickle(head(path, 1000), 'x')).toContain(answer);
});

test('what is left of an upload that was refused in its middle is cut off', async () => {
  const upload = head(`/v2/image/blobs/uploads/?digest=sha256:${'0'.repeat(64)}`, 2 ** 40);
  expect(await trickle(upload, 'x')).toContain('SIZE_INVALID');
});

test('the answer may take longer than the request', async () => {
  expect(await trickle(`${head('/slow', 1, 'Connection: close\r\n')}x`)).toContain('thought about it');
});
