import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { SIX_FIELDS } from '@colophon/testkit';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { issuerFixture, ledgerSize } from './issuer-fixture.ts';

const HOSTS = ['127.0.0.1', '::1'];
const BODY = JSON.stringify(SIX_FIELDS);

async function listening(host: string) {
  const fixture = await issuerFixture(onTestFinished);
  const app = Fastify();
  await fixture.issuer.register(app);
  await app.listen({ host, port: 0 });
  onTestFinished(() => app.close());
  return { ...fixture, port: (app.server.address() as AddressInfo).port };
}

/** Writes raw bytes to a fresh connection and answers with everything that came until the peer closed it. */
function exchange(host: string, port: number, ...chunks: Array<string | Buffer>): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host);
    let answer = '';
    socket.on('connect', () => {
      for (const chunk of chunks) socket.write(chunk);
    });
    socket.on('data', (data) => {
      answer += data.toString('latin1');
    });
    socket.on('close', () => resolve(answer));
    // The peer may reset a connection on which more was sent than it wanted to read.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (!['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) reject(error);
    });
  });
}

const head = (...lines: string[]) =>
  `${['POST /oauth/token HTTP/1.1', 'Host: localhost', ...lines].join('\r\n')}\r\n\r\n`;

test.each(HOSTS)('on %s the body of the answer is the token and nothing else', async (host) => {
  const { port } = await listening(host);
  const answer = await exchange(
    host,
    port,
    head('Content-Type: application/json', `Content-Length: ${BODY.length}`, 'Connection: close') + BODY,
  );
  const [headers, body] = answer.split('\r\n\r\n') as [string, string];
  expect(headers).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(headers.toLowerCase()).toContain(`content-length: ${body.length}`);
  expect(body).toMatch(/^eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+$/);
});

test.each(HOSTS)('on %s a body over 16 KiB is answered 413 and the connection ends', async (host) => {
  const { port, db } = await listening(host);
  const announced = await exchange(host, port, head('Content-Type: application/json', 'Content-Length: 100000'));
  expect(announced).toMatch(/^HTTP\/1\.1 413 /);
  expect(announced).toMatch(/\r\nconnection: close\r\n/i);
  expect(announced).toContain('"code":"issuer.body_too_large"');
  const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
  const streamed = await exchange(
    host,
    port,
    head('Content-Type: application/json', 'Transfer-Encoding: chunked'),
    chunk,
    chunk,
  );
  expect(streamed).toMatch(/^HTTP\/1\.1 413 /);
  expect(streamed).toMatch(/\r\nconnection: close\r\n/i);
  expect(ledgerSize(db)).toBe(0);
});

test('what is refused before its body leaves no connection on which the body could be a request', async () => {
  const { port, db } = await listening('127.0.0.1');
  const smuggled = head('Content-Type: application/json', `Content-Length: ${BODY.length}`) + BODY;
  const answer = await exchange(
    '127.0.0.1',
    port,
    head('Content-Type: text/plain', `Content-Length: ${smuggled.length}`) + smuggled,
  );
  expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  expect(answer).toMatch(/^HTTP\/1\.1 415 /);
  expect(ledgerSize(db)).toBe(0);
});

test.each([
  ['two content types', ['Content-Type: application/json', 'Content-Type: text/plain']],
  ['one content type twice', ['Content-Type: application/json', 'Content-Type: application/json']],
  ['no content type', []],
])('%s are refused', async (_title, lines) => {
  const { port, db } = await listening('127.0.0.1');
  const answer = await exchange('127.0.0.1', port, head(...lines, `Content-Length: ${BODY.length}`) + BODY);
  expect(answer).toMatch(/^HTTP\/1\.1 415 /);
  expect(ledgerSize(db)).toBe(0);
});

test.each([
  ['two lengths', [`Content-Length: ${BODY.length}`, 'Content-Length: 0']],
  ['a length and chunks', [`Content-Length: ${BODY.length}`, 'Transfer-Encoding: chunked']],
  ['a negative length', ['Content-Length: -1']],
])('%s never mint', async (_title, lines) => {
  const { port, db } = await listening('127.0.0.1');
  const answer = await exchange('127.0.0.1', port, head('Content-Type: application/json', ...lines) + BODY);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(ledgerSize(db)).toBe(0);
});

test('a body shorter than announced never mints', async () => {
  const { port, db } = await listening('127.0.0.1');
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.end(head('Content-Type: application/json', `Content-Length: ${BODY.length + 1}`) + BODY);
    });
    socket.resume();
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
  expect(ledgerSize(db)).toBe(0);
});

test('a host that parses JSON its own way changes nothing here, and is not changed', async () => {
  const { issuer } = await issuerFixture(onTestFinished);
  const app = Fastify();
  onTestFinished(() => app.close());
  app.addContentTypeParser(/^.*$/, { parseAs: 'string' }, (_request, _body, done) => done(null, { host: 'parser' }));
  app.post('/other', async (request) => ({ got: request.body }));
  await issuer.register(app);
  const headers = { 'content-type': 'application/json' };
  const token = await app.inject({ method: 'POST', url: '/oauth/token', headers, payload: BODY });
  expect(token.statusCode).toBe(200);
  const other = await app.inject({
    method: 'POST',
    url: '/other',
    headers: { 'content-type': 'text/x' },
    payload: 'x',
  });
  expect(other.json()).toEqual({ got: { host: 'parser' } });
});
