import { randomBytes } from 'node:crypto';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { deadUrl, selfSigned, startModelProvider, typedEvent } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MOST_RUN_REQUESTS } from '../src/proxy/proxy.ts';
import { observedRun, upstreamAt } from './observed.ts';
import { ask, codeIn, openWire, rawAnswer, startRawUpstream, type Wire } from './wire.ts';

const MODEL = 'claude-opus-4-1';
const MIB = 1024 * 1024;
const EVENT_STREAM = 'Content-Type: text/event-stream';
const start = typedEvent({ type: 'message_start', message: { id: 'msg_1', model: MODEL } });
const stop = typedEvent({ type: 'message_stop' });
const delta = typedEvent({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } });
const where = { upstream: 'up', request: 'POST /v1/messages' };

/** A witness before an upstream that answers each connection so. */
async function before(answer: (wire: Wire) => void | Promise<void>) {
  const upstream = await startRawUpstream(onTestFinished, answer);
  const run = await observedRun(onTestFinished, [upstreamAt('up', upstream.url)]);
  const url = `${run.base('up')}/v1/messages`;
  const { pathname } = new URL(url);
  const head = (more: readonly string[] = ['Content-Length: 2']) =>
    [`POST ${pathname} HTTP/1.1`, 'Host: a', ...more].join('\r\n').concat('\r\n\r\n');
  return { ...run, upstream, url, head, send: () => openWire(onTestFinished, run.port, `${head()}{}`) };
}

const answering = (answer: string | Uint8Array) =>
  before(({ socket }) => {
    socket.end(typeof answer === 'string' ? Buffer.from(answer, 'latin1') : answer);
  });

test.each([400, 401, 404, 413, 429, 500, 503, 529])(
  'an error %i of the provider passes, and is counted as no answer of a model',
  async (status) => {
    const body = JSON.stringify({ type: 'error', error: { type: 'x' }, model: MODEL });
    const { url, receipt } = await answering(rawAnswer(body, [], `${status} Reason`));
    const answer = await ask(url, { body: '{}' });
    expect([answer.status, answer.statusText, answer.text]).toEqual([status, 'Reason', body]);
    const { failed_answers, models, unattributed } = await receipt();
    expect([failed_answers, models, unattributed]).toEqual([1, [], undefined]);
  },
);

test('a status 304 is neither an answer nor an error', async () => {
  const { url, receipt } = await answering(rawAnswer('', ['Location: /x'], '304 Not Modified'));
  expect((await ask(url, { body: '{}' })).status).toBe(304);
  const { failed_answers, models, unattributed } = await receipt();
  expect([failed_answers, models, unattributed]).toEqual([undefined, [], undefined]);
});

test.each([300, 301, 302, 303, 305, 307, 308, 399])(
  'a status %i sends the agent elsewhere, and an answer from there is one that was not seen',
  async (status) => {
    const { url, receipt } = await answering(rawAnswer('', ['Location: /x'], `${status} Elsewhere`));
    expect((await ask(url, { body: '{}' })).status).toBe(status);
    const { failed_answers, models, unattributed } = await receipt();
    expect([failed_answers, models]).toEqual([undefined, []]);
    expect(unattributed).toEqual([expect.objectContaining({ reason: 'answer_not_seen', answers: 1 })]);
  },
);

describe('an answer that breaks off', () => {
  const half = `HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n${EVENT_STREAM}\r\n\r\n`;

  test.each([
    ['by the end of the connection', (wire: Wire) => wire.socket.end(`${half}${start}${delta}`)],
    ['by a reset', (wire: Wire) => wire.socket.write(`${half}${start}${delta}`, () => wire.socket.resetAndDestroy())],
    [
      'in a chunk',
      (wire: Wire) =>
        wire.socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${EVENT_STREAM}\r\n\r\nfff\r\n${start}`),
    ],
    [
      'without its last chunk',
      (wire: Wire) =>
        wire.socket.end(
          `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${EVENT_STREAM}\r\n\r\n${start.length.toString(16)}\r\n${start}\r\n`,
        ),
    ],
    [
      'by what is no chunk',
      (wire: Wire) =>
        wire.socket.end(
          `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${EVENT_STREAM}\r\n\r\n${start.length.toString(16)}\r\n${start}\r\nxyz\r\n`,
        ),
    ],
  ])('%s breaks off for the client too, and is incomplete', async (_, answer) => {
    const { url, receipt } = await before((wire) => {
      answer(wire);
    });
    await expect(ask(url, { body: '{}' })).rejects.toThrow('aborted');
    expect(await receipt()).toMatchObject({ models: [{ served: MODEL, answers: 1, incomplete: 1 }] });
  });

  test('before it named a model is of none', async () => {
    const { url, receipt } = await answering(`${half}: comment\n\n`);
    await expect(ask(url, { body: '{}' })).rejects.toThrow('aborted');
    expect(await receipt()).toMatchObject({ models: [], unattributed: [{ reason: 'model_absent', ...where }] });
  });

  test('in the middle of a document was not read', async () => {
    const { url, receipt } = await answering(`HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"model":"${MODEL}"}`);
    await expect(ask(url, { body: '{}' })).rejects.toThrow('aborted');
    expect(await receipt()).toMatchObject({ models: [], unattributed: [{ reason: 'answer_unreadable', ...where }] });
  });

  test('in a coding is read as far as it came', async () => {
    const coded = gzipSync(
      start +
        randomBytes(10_000)
          .toString('hex')
          .replace(/.{100}/g, ': $&\n'),
    );
    const { url, receipt } = await before(({ socket }) => {
      socket.write(`${half.replace(EVENT_STREAM, `Content-Encoding: gzip\r\n${EVENT_STREAM}`)}`);
      socket.end(coded.subarray(0, -100));
    });
    await expect(ask(url, { body: '{}' })).rejects.toThrow('aborted');
    expect(await receipt()).toMatchObject({ models: [{ served: MODEL, answers: 1, incomplete: 1 }] });
  });

  test('that came whole, and did not say that it ends, is incomplete', async () => {
    const { url, receipt } = await answering(rawAnswer(start + delta, [EVENT_STREAM]));
    expect((await ask(url, { body: '{}' })).text).toBe(start + delta);
    expect(await receipt()).toMatchObject({ models: [{ served: MODEL, answers: 1, incomplete: 1 }] });
  });
});

describe('an answer that cannot be read passes as it is, and is of no known model', () => {
  const bomb = gzipSync(Buffer.alloc(33 * 1024 * 1024, ' '));

  test.each<[string, string, Buffer | string]>([
    ['with an event that is no JSON', EVENT_STREAM, `${start}data: oops\n\n${stop}`],
    ['with an event of 16 MiB', EVENT_STREAM, `${start}data: "${'x'.repeat(17 * 1024 * 1024)}"\n\n${stop}`],
    ['in a coding that is not known', 'Content-Encoding: compress', JSON.stringify({ model: MODEL })],
    ['in another coding than it says', 'Content-Encoding: gzip', JSON.stringify({ model: MODEL })],
    ['in four codings', 'Content-Encoding: gzip, gzip, gzip, gzip', gzipSync('{}')],
    ['that is a bomb', 'Content-Encoding: gzip', bomb],
    [
      'that is a stream and a bomb',
      `Content-Encoding: gzip\r\n${EVENT_STREAM}`,
      gzipSync(`data: "${'x'.repeat(17 * 1024 * 1024)}`),
    ],
    ['that is no JSON', 'Content-Type: application/json', '<html>'],
    ['that is a stream and does not say so', 'Content-Type: text/plain', start + stop],
    ['that is empty', 'Content-Type: application/json', ''],
  ])('%s', async (_, header, body) => {
    const { url, receipt } = await before(({ socket }) => {
      const bytes = Buffer.from(body as string);
      socket.write(rawAnswer('', [header]).replace('Content-Length: 0', `Content-Length: ${bytes.length}`));
      socket.end(bytes);
    });
    const answer = await ask(url, { body: JSON.stringify({ model: 'asked' }) });
    expect(answer.body.equals(Buffer.from(body as string))).toBe(true);
    const { models, unattributed } = await receipt();
    expect([models, unattributed]).toEqual([[], [{ reason: 'answer_unreadable', ...where, answers: 1 }]]);
  });
});

test('a request that cannot be read passes, and what it asked for is not known', async () => {
  const provider = await startModelProvider(onTestFinished, [{ model: MODEL }]);
  const { base, receipt } = await observedRun(onTestFinished, [upstreamAt('up', provider.url)]);
  const url = `${base('up')}/v1/messages`;
  const large = Buffer.alloc(33 * 1024 * 1024, ' ');
  large.write(JSON.stringify({ model: 'asked' }));
  await ask(url, { body: large });
  await ask(url, { body: '{"model":"asked"' });
  await ask(url, { body: JSON.stringify(['asked']) });
  await ask(url, { body: gzipSync(JSON.stringify({ model: 'asked' })), headers: { 'content-encoding': 'compress' } });
  expect(provider.requests.map(({ body }) => body.length)).toMatchObject([large.length, 16, 9, {}]);
  const { models } = await receipt();
  expect(models).toEqual([expect.objectContaining({ upstream: 'up', served: MODEL, answers: 4 })]);
  expect(models[0]).not.toHaveProperty('requested');
});

describe('an upstream that does not answer', () => {
  const refusal = { status: 502, code: 'witness.upstream_unavailable' };

  async function answered(url: string, more: object = {}) {
    const { base, receipt } = await observedRun(onTestFinished, [upstreamAt('up', url, more)]);
    const { status, text, headers } = await ask(`${base('up')}/v1/messages`, { body: Buffer.alloc(1_000_000, ' ') });
    expect(headers['content-type']).toBe('application/json');
    const { models, failed_answers, unattributed } = await receipt();
    expect([models, failed_answers, unattributed]).toEqual([[], undefined, undefined]);
    return { status, code: codeIn(text) };
  }

  test('because nobody listens there', async () => {
    expect(await answered(await deadUrl())).toEqual(refusal);
  });

  test.each([
    ['closes the connection', ''],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['answers with two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    ['answers with a length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['answers with a character that no status text has', 'HTTP/1.1 200 O\x01K\r\nContent-Length: 0\r\n\r\n'],
    ['answers with a status below 100', 'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n'],
    ['answers with a header that no header is', 'HTTP/1.1 200 OK\r\nX-\x01: 1\r\n\r\n'],
    ['answers with a head of 1 MB', `HTTP/1.1 200 OK\r\nX-A: ${'a'.repeat(1_000_000)}\r\n\r\n`],
  ])('because it %s', async (_, bytes) => {
    const upstream = await startRawUpstream(onTestFinished, ({ socket }) => {
      socket.end(Buffer.from(bytes, 'latin1'));
    });
    expect(await answered(upstream.url)).toEqual(refusal);
  });

  test('in a way that can be passed on is not listened to any more', async () => {
    const upstream = await startRawUpstream(onTestFinished, ({ socket }) => {
      socket.write('HTTP/1.1 200 O\x01K\r\nContent-Length: 1000\r\n\r\n');
    });
    expect(await answered(upstream.url)).toEqual(refusal);
    await upstream.untilOpen(0);
  });

  test('because its certificate is of an authority that nobody named', async () => {
    const { url, cert } = await startTlsProvider();
    expect(await answered(url)).toEqual(refusal);
    expect(await answered(url, { ca: selfSigned().cert })).toEqual(refusal);
    expect(await answered(url.replace('localhost', '127.0.0.1'), { ca: cert })).toEqual(refusal);
  });
});

async function startTlsProvider() {
  const { cert, key } = selfSigned();
  const server = createTlsServer({ cert, key }, (request, response) => {
    request.resume().on('end', () => response.end(JSON.stringify({ type: 'message', model: MODEL })));
  });
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, cert };
}

test('an upstream with TLS and an authority of its own is reached', async () => {
  const { url, cert: ca } = await startTlsProvider();
  const { base, receipt } = await observedRun(onTestFinished, [upstreamAt('up', url, { ca })]);
  expect((await ask(`${base('up')}/v1/messages`, { body: '{}' })).status).toBe(200);
  expect(await receipt()).toMatchObject({ models: [{ served: MODEL }], upstreams: [{ address: url }] });
});

describe('a client that goes away', () => {
  test('in the middle of a stream ends the request to the upstream', async () => {
    const { upstream, send, receipt } = await before(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n${EVENT_STREAM}\r\n\r\n${start}`);
    });
    const client = send();
    await client.until(start);
    expect(upstream.open()).toBe(1);
    client.socket.destroy();
    await upstream.untilOpen(0);
    expect(await receipt()).toMatchObject({ models: [{ served: MODEL, answers: 1, incomplete: 1 }] });
  });

  test('before the answer ends the request to the upstream, and is no answer', async () => {
    const { upstream, send, receipt } = await before(() => {});
    const client = send();
    await upstream.untilOpen(1);
    client.socket.destroy();
    await upstream.untilOpen(0);
    expect((await receipt()).models).toEqual([]);
  });

  test('in the middle of its request ends the request to the upstream', async () => {
    const { upstream, port, head, receipt } = await before(() => {});
    const client = openWire(onTestFinished, port, `${head(['Content-Length: 1000'])}{`);
    await upstream.untilOpen(1);
    client.socket.resetAndDestroy();
    await upstream.untilOpen(0);
    expect((await receipt()).models).toEqual([]);
  });

  test('after an early answer, and before the rest of its request, ends the request to the upstream', async () => {
    const { upstream, port, head } = await before(({ socket }) => {
      socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}');
    });
    const client = openWire(onTestFinished, port, `${head(['Content-Length: 1000'])}{`);
    await client.until('{}');
    client.socket.destroy();
    await upstream.untilOpen(0);
  });

  test('with several requests on one connection ends all of them', async () => {
    const { upstream, port, head } = await before(() => {});
    const client = openWire(onTestFinished, port, `${head()}{}`.repeat(5));
    await upstream.untilOpen(5);
    client.socket.destroy();
    await upstream.untilOpen(0);
  });
});

describe('requests on one connection that then asks for another protocol', () => {
  const websocket = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: AAAA'];

  /** The first is never answered, so that the answer to the second waits for its turn. */
  const slowThenQuick = (answered: () => void = () => {}) =>
    before(async ({ socket, until }) => {
      if ((await until('}')).includes('"slow"')) return;
      socket.end(rawAnswer(JSON.stringify({ type: 'message', model: MODEL })), answered);
    });

  test.each([
    ['a tunnel', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a websocket', `GET / HTTP/1.1\r\nHost: a\r\n${websocket.join('\r\n')}\r\n\r\n`],
  ])('%s are over at once, and give their places back', async (_, other) => {
    const quick = Promise.withResolvers<void>();
    const { upstream, port, head, opened, witness } = await slowThenQuick(quick.resolve);
    const slow = `${head(['Content-Length: 8'])}{"slow"}`;
    const client = openWire(onTestFinished, port, `${slow}${head()}{}`);
    await quick.promise;
    client.socket.write(other);
    // What comes now would stand in the middle of an answer.
    expect(await client.closed()).toBe('');
    await upstream.untilOpen(0);
    const begun = Date.now();
    await witness.end(opened);
    // It waits for five seconds for what is under way.
    expect(Date.now() - begun).toBeLessThan(4_500);
  });
});

describe('a run that takes all it can', () => {
  const other = (witness: Awaited<ReturnType<typeof observedRun>>['witness']) =>
    witness.open({ agentName: 'a', agentVersion: '1', policyPackHash: `sha256:${'a'.repeat(64)}` });

  test('has 256 requests under way, and others go on', async () => {
    const { upstream, port, head, url, witness, opened } = await before(async ({ socket, until }) => {
      if ((await until('\r\n\r\n')).includes('Content-Length: 2\r')) socket.end(rawAnswer('{}'));
    });
    const begun = `${head(['Content-Length: 1000'])}{`;
    const clients = Array.from({ length: MOST_RUN_REQUESTS }, () => openWire(onTestFinished, port, begun));
    await upstream.untilOpen(MOST_RUN_REQUESTS);
    const refused = await ask(url, { body: '{}', headers: { 'content-length': '2' } });
    expect([refused.status, codeIn(refused.text)]).toEqual([503, 'witness.busy']);
    const others = url.replace(opened.token, other(witness).token);
    expect((await ask(others, { body: '{}', headers: { 'Content-Length': '2' } })).status).toBe(200);
    for (const { socket } of clients) socket.destroy();
    await upstream.untilOpen(0);
    expect((await ask(url, { body: '{}', headers: { 'Content-Length': '2' } })).status).toBe(200);
  });

  test('keeps 64 MiB while it is read, and others go on', async () => {
    const { upstream, port, head, url, witness, opened, receipt } = await before(
      async ({ socket, until, received }) => {
        if (received().includes(`Content-Length: ${31 * MIB + 1}\r`)) return;
        await until('"}');
        socket.end(rawAnswer(JSON.stringify({ type: 'message', model: MODEL })));
      },
    );
    const begun = `${head([`Content-Length: ${31 * MIB + 1}`])}${' '.repeat(31 * MIB)}`;
    const clients = [begun, begun].map((bytes) => openWire(onTestFinished, port, bytes));
    await expect.poll(() => upstream.wires.map((wire) => wire.received().length > 31 * MIB)).toEqual([true, true]);
    const asked = async (base: string, model: string) => {
      const body = `${' '.repeat(3 * MIB)}{"model":"${model}"}`;
      expect((await ask(base, { body, headers: { 'Content-Length': String(body.length) } })).status).toBe(200);
    };
    // It passes all the same, and what was asked is not known.
    await asked(url, 'a');
    const neighbour = other(witness);
    await asked(url.replace(opened.token, neighbour.token), 'b');
    for (const { socket } of clients) socket.destroy();
    await upstream.untilOpen(0);
    await asked(url, 'c');
    const requested = (models: readonly { readonly requested?: string }[]) => models.map((model) => model.requested);
    expect(requested((await receipt()).models).sort()).toEqual(['c', undefined]);
    expect(requested(neighbour.run.receipt({ key_id: 'k', place: 'same-host' }, Date.now()).models)).toEqual(['b']);
  });
});

test('the answers to several requests on one connection come in their order', async () => {
  const { port, head, receipt } = await before(async ({ socket, until }) => {
    const bytes = await until('}');
    const model = /"model":"(\w+)"/.exec(bytes)?.[1];
    socket.end(rawAnswer(JSON.stringify({ type: 'message', model })));
  });
  const body = (model: string) => JSON.stringify({ model });
  const asked = ['a', 'b', 'c'].map((model) => head([`Content-Length: ${body(model).length}`]) + body(model));
  const received = await openWire(onTestFinished, port, asked.join('')).until('"model":"c"');
  expect([...received.matchAll(/"model":"(\w)"/g)].map(([, model]) => model)).toEqual(['a', 'b', 'c']);
  const { models } = await receipt();
  expect(models.map(({ requested, served }) => [requested, served]).sort()).toEqual([
    ['a', 'a'],
    ['b', 'b'],
    ['c', 'c'],
  ]);
});
