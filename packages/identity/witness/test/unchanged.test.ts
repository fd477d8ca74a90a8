import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { startModelProvider } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { observedRun, upstreamAt } from './observed.ts';
import { ask, openWire, rawAnswer, startRawUpstream } from './wire.ts';

const CODINGS = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync, deflate: deflateSync };

async function proxied(url: string) {
  const run = await observedRun(onTestFinished, [upstreamAt('up', url)]);
  return { ...run, url: run.base('up'), path: new URL(run.base('up')).pathname };
}

/** A server of Node's, which reads nothing before its listener does. */
async function listening(listener: RequestListener) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Lines of the first head in these bytes, without those that are of one connection. */
function headLines(bytes: string) {
  const [head = ''] = bytes.split('\r\n\r\n', 1);
  return head.split('\r\n').filter((line) => !/^(?:connection|keep-alive|transfer-encoding):/i.test(line));
}

describe.each(['/v1/messages', '/v1/other'])('bytes on the way to %s and back', (path) => {
  test.each([
    ['Content-Length', 0],
    ['Content-Length', 1],
    ['Content-Length', 300_000],
    ['chunks', 0],
    ['chunks', 300_000],
  ])('are the same, with %s, for %i bytes', async (framing, size) => {
    const [sent, answered] = [randomBytes(size), randomBytes(size)];
    const provider = await startModelProvider(onTestFinished, [
      (_, response) => {
        if (framing === 'Content-Length') response.setHeader('content-length', size);
        response.write(answered.subarray(0, size / 2));
        response.end(answered.subarray(size / 2));
      },
    ]);
    const { url } = await proxied(provider.url);
    const { body, headers } = await ask(
      url + path,
      framing === 'chunks' ? { chunks: [sent.subarray(0, 10), sent.subarray(10)] } : { body: sent },
    );
    expect(body.equals(answered)).toBe(true);
    expect(headers['content-length']).toBe(framing === 'chunks' ? undefined : String(size));
    expect(provider.requests[0]?.body.equals(sent)).toBe(true);
    const length = provider.requests[0]?.headers['content-length'];
    expect(length).toBe(framing === 'chunks' ? undefined : String(size));
  });

  test.each(Object.entries(CODINGS))('are the same in %s, and are not decoded', async (coding, encode) => {
    const encoded = encode(JSON.stringify({ model: 'm', type: 'message', content: [] }));
    const provider = await startModelProvider(onTestFinished, [
      (_, response) => response.writeHead(200, { 'content-encoding': coding }).end(encoded),
    ]);
    const { url } = await proxied(provider.url);
    const { body, headers } = await ask(url + path, { headers: { 'content-encoding': coding }, body: encoded });
    expect(body.equals(encoded)).toBe(true);
    expect(headers['content-encoding']).toBe(coding);
    expect(provider.requests[0]?.body.equals(encoded)).toBe(true);
    expect(provider.requests[0]?.headers['content-encoding']).toBe(coding);
  });
});

test('the head of a request keeps order, spelling and duplicates of its headers', async () => {
  const upstream = await startRawUpstream(onTestFinished, ({ socket }) => {
    socket.end(rawAnswer('{}'));
  });
  const { port, path } = await proxied(upstream.url);
  const lines = ['X-B: 1', 'x-a:2', 'X-b: 3', 'ACCEPT: */*', 'Anthropic-Beta: a', 'anthropic-beta: b', 'x-latin: \xe4'];
  const head = [`GET ${path}/v1/models HTTP/1.1`, 'host: witness', ...lines].join('\r\n');
  await openWire(onTestFinished, port, `${head}\r\n\r\n`).until('{}');
  const [first, ...rest] = headLines(upstream.wires[0]!.received());
  expect(first).toBe('GET /v1/models HTTP/1.1');
  expect(rest).toEqual([`Host: ${new URL(upstream.url).host}`, ...lines.map((line) => line.replace(/: ?/, ': '))]);
});

test('the head of an answer keeps status text, order, spelling and duplicates of its headers', async () => {
  const lines = ['Set-Cookie: a=1', 'X-B: 1', 'set-cookie: b=2', 'x-b: 2', 'DATE: never', 'x-latin: \xe4\xff'];
  const upstream = await startRawUpstream(onTestFinished, ({ socket }) => {
    socket.end(Buffer.from(rawAnswer('{}', lines, '299 Well D\xf6ne'), 'latin1'));
  });
  const { port, path } = await proxied(upstream.url);
  const received = await openWire(
    onTestFinished,
    port,
    `GET ${path}/x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
  ).closed();
  expect(headLines(received)).toEqual(['HTTP/1.1 299 Well D\xf6ne', 'Content-Length: 2', ...lines]);
});

test.each([
  ['HEAD', '200 OK', ['Content-Length: 1000', 'X-A: 1']],
  ['HEAD', '200 OK', ['X-A: 1']],
  ['GET', '204 No Content', ['X-A: 1']],
  ['POST', '204 No Content', ['X-A: 1']],
  ['GET', '304 Not Modified', ['ETag: "a"', 'Content-Length: 1000']],
  ['POST', '200', ['Content-Length: 0']],
])('an answer to %s with %s has no body, and no other headers', async (method, status, lines) => {
  const upstream = await startRawUpstream(onTestFinished, ({ socket }) => {
    socket.write(`HTTP/1.1 ${[status, ...lines].join('\r\n')}\r\n\r\n`);
  });
  const { port, path } = await proxied(upstream.url);
  const head = `${method} ${path}/v1/messages HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  const received = await openWire(onTestFinished, port, head).closed();
  expect(headLines(received)).toEqual([`HTTP/1.1 ${status === '200' ? '200 ' : status}`, ...lines]);
  expect(received.endsWith('\r\n\r\n')).toBe(true);
});

test.each([
  '/v1/a%20b/%C3%A4%e4?x=%2F&y=a+b&&z',
  '/v1/models/org:model@1?',
  '/v1//messages/?key=..%2f..%5C/../',
  '/v1/messages;a=b?beta=true',
  "/!$&'()*,-.~_",
  '/',
])('the path %s arrives as it is', async (path) => {
  const upstream = await startRawUpstream(onTestFinished, ({ socket }) => {
    socket.end(rawAnswer('{}'));
  });
  const { port, path: base } = await proxied(upstream.url);
  await openWire(onTestFinished, port, `GET ${base}${path} HTTP/1.1\r\nHost: a\r\n\r\n`).until('{}');
  expect(headLines(upstream.wires[0]!.received())[0]).toBe(`GET ${path} HTTP/1.1`);
});

test('the path of an upstream stands before that of a request, and nothing outside of it is reached', async () => {
  const provider = await startModelProvider(onTestFinished, [{ model: 'm' }]);
  const { base, port } = await observedRun(onTestFinished, [upstreamAt('up', `${provider.url}/gateway/v1/`)]);
  expect((await ask(`${base('up')}/chat/completions`, { body: '{}' })).status).toBe(200);
  expect(provider.requests[0]?.target).toBe('/gateway/v1/chat/completions');
  const outside = new URL(base('up')).pathname.replace('/gateway/v1', '');
  for (const path of ['/other', '/gateway/v1x', '/gateway', '//gateway/v1']) {
    expect((await ask(`http://127.0.0.1:${port}${outside}${path}`)).status, path).toBe(400);
  }
  expect(provider.requests).toHaveLength(1);
});

test('an answer that comes before the body of its request arrives, and the body is not waited for', async () => {
  const upstream = await listening((_, response) => {
    response.writeHead(413, 'Too Much').end('{"error":"too large"}');
  });
  const { url, receipt } = await proxied(upstream);
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  const asked = request(`${url}/v1/messages`, { method: 'POST', headers: { 'content-length': 1_000_000 } }, resolve);
  onTestFinished(() => {
    asked.destroy();
  });
  asked.on('error', () => {});
  asked.write('{');
  const answer = await promise;
  expect([answer.statusCode, answer.statusMessage]).toEqual([413, 'Too Much']);
  expect((await buffer(answer)).toString()).toBe('{"error":"too large"}');
  expect(await receipt()).toMatchObject({ failed_answers: 1, models: [] });
});

test('the head of an answer arrives before its body', async () => {
  const { promise: body, resolve: sendBody } = Promise.withResolvers<void>();
  const provider = await startModelProvider(onTestFinished, [
    async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      await body;
      response.end('data: {}\n\n');
    },
  ]);
  const { url } = await proxied(provider.url);
  const answer = await new Promise<IncomingMessage>((resolve) =>
    request(`${url}/v1/messages`, { method: 'POST' }, resolve).end('{}'),
  );
  sendBody();
  expect((await buffer(answer)).toString()).toBe('data: {}\n\n');
});

test.each(['\n', '\r\n\r\n\r\n', ': comment', 'data: {"type":"message_stop"}', '\u0000\u00ff'])(
  'bytes after the last event of a stream arrive: %j',
  async (trailing) => {
    const stream = `data: {"type":"message_start","message":{"model":"m"}}\n\n${trailing}`;
    const provider = await startModelProvider(onTestFinished, [
      (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream),
    ]);
    const { url, receipt } = await proxied(provider.url);
    expect((await ask(`${url}/v1/messages`, { body: '{}' })).text).toBe(stream);
    expect((await receipt()).models).toMatchObject([{ served: 'm' }]);
  },
);

describe('64 MiB pass through little memory', () => {
  const MIB = 1024 * 1024;
  const part = randomBytes(MIB);
  const hashOf64 = () => {
    const hash = createHash('sha256');
    for (let i = 0; i < 64; i += 1) hash.update(part);
    return hash.digest('hex');
  };

  /** Writes 64 MiB as fast as they are taken; `written` counts them. */
  async function pour(into: NodeJS.WritableStream, written: { bytes: number }) {
    for (let i = 0; i < 64; i += 1) {
      written.bytes += MIB;
      if (!into.write(part)) await new Promise((resolve) => into.once('drain', resolve));
    }
    into.end();
  }

  /** Reads slowly: as much as is there, and then everything else has its turn. Says how far the writer was ahead. */
  async function sip(from: AsyncIterable<Buffer>, written: { bytes: number }) {
    const hash = createHash('sha256');
    let read = 0;
    let ahead = 0;
    for await (const bytes of from) {
      hash.update(bytes);
      read += bytes.length;
      ahead = Math.max(ahead, written.bytes - read);
      await new Promise(setImmediate);
      await new Promise(setImmediate);
    }
    return { hash: hash.digest('hex'), ahead };
  }

  test('of a request', async () => {
    const written = { bytes: 0 };
    const { promise, resolve } = Promise.withResolvers<{ hash: string; ahead: number }>();
    const upstream = await listening(async (asked: IncomingMessage, response: ServerResponse) => {
      resolve(await sip(asked, written));
      response.end('{}');
    });
    const { url } = await proxied(upstream);
    const asked = request(`${url}/v1/messages`, { method: 'POST', agent: false });
    const answered = new Promise((done) => asked.on('response', (answer) => answer.resume().on('end', done)));
    await pour(asked, written);
    const { hash, ahead } = await promise;
    await answered;
    expect(hash).toBe(hashOf64());
    expect(ahead).toBeLessThan(24 * MIB);
  });

  test('of an answer', async () => {
    const written = { bytes: 0 };
    const upstream = await listening((_, response) => {
      void pour(response, written);
    });
    const { url } = await proxied(upstream);
    const answer = await new Promise<IncomingMessage>((resolve) =>
      request(`${url}/v1/messages`, { method: 'POST', agent: false }, resolve).end('{}'),
    );
    const { hash, ahead } = await sip(answer, written);
    expect(hash).toBe(hashOf64());
    expect(ahead).toBeLessThan(24 * MIB);
  });
});
