import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { askPeer, type PeerAnswer } from '../ask/ask-peer.ts';
import { NoAnswer } from '../ask/no-answer.ts';
import { fetchTrusting } from './private-ca.ts';

const LIMITS = { timeoutMs: 100_000, mostBytes: 1_000 };

/** A server with a certificate of its own, and what a client asks it. */
async function serve(answer: RequestListener) {
  const certificate = selfSigned();
  const asked: string[] = [];
  const server = createServer(certificate, (request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? '-'}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  const ask = (fetch: typeof globalThis.fetch, question = {}, limits = {}) =>
    askPeer(url, question, { ...LIMITS, ...limits, fetch }).catch((error: unknown) => error as NoAnswer);
  return { ask, asked, trusting: fetchTrusting(certificate.cert) };
}

test('a server is trusted by its own authority, with headers and status as fetch has them', async () => {
  const { ask, asked, trusting } = await serve((_request, response) =>
    response.writeHead(404, { 'x-kind': 'pot', 'set-cookie': ['a=1', 'b=2'] }).end('short'),
  );
  const answer = (await ask(trusting, { headers: { authorization: 'Bearer abc' } })) as PeerAnswer;
  expect(answer).toMatchObject({ status: 404, isOk: false });
  expect([...answer.headers]).toEqual(
    expect.arrayContaining([
      ['x-kind', 'pot'],
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ]),
  );
  expect(Buffer.from(answer.body).toString()).toBe('short');
  expect(asked).toEqual(['GET / Bearer abc']);
});

test('the authority counts for its own questions only, also on a connection that is open', async () => {
  const { ask, asked, trusting } = await serve((_request, response) => response.end('{}'));
  expect(await ask(trusting)).toMatchObject({ status: 200 });
  expect(await ask(fetch)).toMatchObject({ kind: 'network', message: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(await ask(fetchTrusting(selfSigned().cert))).toMatchObject({ kind: 'network' });
  expect(await ask(trusting)).toMatchObject({ status: 200 });
  expect(asked).toHaveLength(2);
});

test('a certificate that is another host’s is refused', async () => {
  const certificate = selfSigned('other.example');
  const server = createServer(certificate, (_request, response) => response.end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
  const asking = askPeer(url, {}, { ...LIMITS, fetch: fetchTrusting(certificate.cert) });
  await expect(asking).rejects.toMatchObject({ message: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test('a body of bytes arrives whole, with its length', async () => {
  const received: string[] = [];
  const { ask, trusting } = await serve((request, response) => {
    request.setEncoding('utf8').on('data', (part: string) => received.push(part));
    request.once('end', () => response.end(request.headers['content-length']));
  });
  const body = new TextEncoder().encode('{"a":"ä"}');
  const answer = (await ask(trusting, { method: 'POST', body })) as PeerAnswer;
  expect([received.join(''), Buffer.from(answer.body).toString()]).toEqual(['{"a":"ä"}', String(body.length)]);
});

test.each([301, 302, 303, 307, 308])('a redirect with %i is the answer', async (status) => {
  const { ask, asked, trusting } = await serve((_request, response) =>
    response.writeHead(status, { location: '/elsewhere' }).end(),
  );
  expect(await ask(trusting)).toMatchObject({ status });
  expect(asked).toHaveLength(1);
});

test('answers without a body, endless ones, slow ones and none end as those of fetch', async () => {
  const bodiless = await serve((_request, response) => response.writeHead(204).end());
  expect(await bodiless.ask(bodiless.trusting)).toMatchObject({ status: 204, body: new Uint8Array() });
  expect(await bodiless.ask(bodiless.trusting, { method: 'HEAD' })).toMatchObject({ status: 204 });
  const endless = await serve((_request, response) => {
    const timer = setInterval(() => response.write('x'.repeat(500)), 1);
    response.once('close', () => clearInterval(timer));
  });
  expect(await endless.ask(endless.trusting)).toMatchObject({ kind: 'too-large' });
  const silent = await serve(() => {});
  expect(await silent.ask(silent.trusting, {}, { timeoutMs: 100 })).toMatchObject({ kind: 'timeout' });
  const halting = await serve((_request, response) => response.writeHead(200, { 'content-length': '9' }).write('abc'));
  expect(await halting.ask(halting.trusting, {}, { timeoutMs: 100 })).toBeInstanceOf(NoAnswer);
  const broken = await serve((request) => request.socket.destroy());
  expect(await broken.ask(broken.trusting)).toMatchObject({ kind: 'network', message: 'ECONNRESET' });
});

test('the caller’s own signal ends a question', async () => {
  const { ask, trusting } = await serve(() => {});
  const reason = new Error('enough');
  expect(await ask(trusting, {}, { signal: AbortSignal.abort(reason) })).toBe(reason);
  const controller = new AbortController();
  setTimeout(() => controller.abort(reason), 50);
  expect(await ask(trusting, {}, { signal: controller.signal })).toBe(reason);
});

test('without a certificate, without TLS or with a body that is no bytes nothing is asked', async () => {
  for (const text of ['', '\n', 'no PEM']) expect(() => fetchTrusting(text)).toThrow(TypeError);
  const trusting = fetchTrusting(selfSigned().cert);
  await expect(trusting('http://127.0.0.1:9/')).rejects.toThrow(TypeError);
  await expect(trusting('https://127.0.0.1:9/', { method: 'POST', body: 'x' })).rejects.toThrow(TypeError);
});
