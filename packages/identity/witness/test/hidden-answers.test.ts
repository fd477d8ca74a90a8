import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { typedEvent } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { observedRun, upstreamAt } from './observed.ts';
import { openWire, rawAnswer, startRawUpstream, type Wire } from './wire.ts';

// An agent that wants an answer, and a receipt without it.

const MODEL = 'claude-opus-4-1';
const EVENT_STREAM = 'Content-Type: text/event-stream';
const start = typedEvent({ type: 'message_start', message: { id: 'msg_1', model: MODEL } });
const document = JSON.stringify({ type: 'message', model: MODEL });

async function before(answer: (wire: Wire) => void | Promise<void>) {
  const upstream = await startRawUpstream(onTestFinished, answer);
  const run = await observedRun(onTestFinished, [upstreamAt('up', upstream.url)]);
  const path = new URL(run.base('up')).pathname;
  const open = (head: readonly string[], body = '') =>
    openWire(onTestFinished, run.port, `${head.join('\r\n').replaceAll('$', path)}\r\n\r\n${body}`);
  const seen = () => run.opened.run.receipt({ key_id: run.key.kid, place: 'same-host' }, 0);
  return { ...run, upstream, open, seen };
}

const asking = ['POST $/v1/messages HTTP/1.1', 'Host: a', 'Content-Length: 2'];
const unfinished = ['POST $/v1/messages HTTP/1.1', 'Host: a', 'Transfer-Encoding: chunked'];

test('an answer counts although its request never ends', async () => {
  const { open, seen, opened } = await before(({ socket }) => {
    socket.write(rawAnswer(document));
  });
  await open(unfinished, '2\r\n{}\r\n').until('}');
  await opened.run.read(5_000);
  expect(seen().models).toEqual([{ upstream: 'up', served: MODEL, answers: 1, uncounted: 1 }]);
});

describe('an answer that is held open', () => {
  const streaming = (wire: Wire) => {
    wire.socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n${EVENT_STREAM}\r\n\r\n${start}`);
  };

  test('counts as far as it has passed, and not twice when it is over', async () => {
    const { open, seen, upstream, opened } = await before(streaming);
    const client = open(asking, '{}');
    await client.until(start);
    const { models, response_ids } = seen();
    expect(models).toEqual([{ upstream: 'up', served: MODEL, answers: 1, incomplete: 1, uncounted: 1 }]);
    expect(response_ids).toEqual(['msg_1']);
    client.socket.destroy();
    await upstream.untilOpen(0);
    await opened.run.settled(5_000);
    expect(seen().models).toEqual(models);
  });

  test('of which nothing has passed yet does not count', async () => {
    const { open, seen } = await before(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n${EVENT_STREAM}\r\n\r\n`);
    });
    await open(asking, '{}').until('\r\n\r\n');
    const { models, unattributed } = seen();
    expect([models, unattributed]).toEqual([[], undefined]);
  });

  test('is of no known model where it is a document', async () => {
    const { open, seen } = await before(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n${document}`);
    });
    await open(asking, '{}').until(document);
    expect(seen()).toMatchObject({ models: [], unattributed: [{ reason: 'answer_unreadable', answers: 1 }] });
  });

  test('by the request before it on its connection counts once', async () => {
    const { open, seen } = await before(async ({ socket, until }) => {
      if ((await until('\r\n\r\n')).includes('/v1/messages')) socket.end(rawAnswer(document));
    });
    open(['GET $/v1/later HTTP/1.1', 'Host: a', '', ...asking], '{}');
    while (seen().models.length === 0) await new Promise(setImmediate);
    const { models, unattributed } = seen();
    expect([models, unattributed]).toEqual([[{ upstream: 'up', served: MODEL, answers: 1, uncounted: 1 }], undefined]);
  });

  test('is cut at the end of the run, so that nothing passes after its receipt', async () => {
    const { open, seen, upstream, opened } = await before(streaming);
    const client = open(asking, '{}');
    await client.until(start);
    await opened.run.stop(1);
    await client.closed();
    await upstream.untilOpen(0);
    expect(seen().models).toEqual([{ upstream: 'up', served: MODEL, answers: 1, incomplete: 1, uncounted: 1 }]);
  });

  test('may come to its end after the run has, and is waited for', async () => {
    const { open, seen, witness, opened, upstream } = await before(({ socket }) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${document.length}\r\n\r\n{`);
    });
    const client = open([...asking, 'Connection: close'], '{}');
    await client.until('\r\n\r\n{');
    const ending = witness.end(opened, { reason: 'exited', exitCode: 0 });
    await new Promise(setImmediate);
    expect(opened.run.isOpen).toBe(true);
    upstream.wires[0]!.socket.write(document.slice(1));
    await ending;
    expect(opened.run.isOpen).toBe(false);
    expect(seen().models).toEqual([{ upstream: 'up', served: MODEL, answers: 1, uncounted: 1 }]);
  });

  test('that has not begun at the end of the run does not begin any more', async () => {
    const { open, seen, upstream, opened } = await before(() => {});
    const client = open(asking, '{}');
    await upstream.untilOpen(1);
    await opened.run.stop(1);
    expect(await client.closed()).toBe('');
    await upstream.untilOpen(0);
    expect(seen().models).toEqual([]);
  });
});

describe('an answer whose head never came', () => {
  const whole = (body: string) => (wire: Wire) => wire.until(body);
  const headOf = (path: string, body: string, method = 'POST') => [
    `${method} $${path} HTTP/1.1`,
    'Host: a',
    `Content-Length: ${body.length}`,
  ];
  const STORED = [
    ['/v1/responses', '{}'],
    ['/v1/responses', '{"store":true}'],
    ['/v1/responses', '{"store":false,"background":true}'],
    ['/v1/responses', '{"store":true,"store":false}'],
    ['/v1/responses', 'no json'],
    ['/v1/chat/completions', '{"store":true}'],
    ['/v1/chat/completions', 'no json'],
    ['/v1/messages', 'no json'],
    // What the model writes goes on to a server of the agent's choice, or to a later request.
    ['/v1/messages', '{"mcp_servers":[{"type":"url","url":"https://a.example"}]}'],
    ['/v1/messages', '{"container":"c_1","tools":[{"type":"code_execution_20250825","name":"code_execution"}]}'],
    ['/v1/responses', '{"store":false,"tools":[{"type":"mcp","server_url":"https://a.example"}]}'],
    ['/v1/responses', '{"store":false,"conversation":"conv_1"}'],
    ['/v1/batches', '{}'],
    ['/v1/messages/batches', '{}'],
  ] as const;
  const NOT_STORED = [
    ['/v1/messages', '{}'],
    ['/v1/messages', '{"tools":[{"name":"edit","input_schema":{}}]}'],
    ['/v1/chat/completions', '{}'],
    ['/v1/responses', '{"store":false}'],
    ['/v1/embeddings', '{}'],
  ] as const;
  const unseen = (path: string) => [{ reason: 'answer_not_seen', upstream: 'up', request: `POST ${path}`, answers: 1 }];

  test.each(STORED)('counts where the provider keeps it and the agent leaves: %s %s', async (path, body) => {
    const { open, upstream, receipt } = await before(() => {});
    const client = open(headOf(path, body), body);
    await upstream.untilOpen(1);
    await whole(body)(upstream.wires[0]!);
    client.socket.destroy();
    await upstream.untilOpen(0);
    expect((await receipt()).unattributed).toEqual(unseen(path));
  });

  test.each(NOT_STORED)('does not count where nothing is kept: %s %s', async (path, body) => {
    const { open, upstream, receipt } = await before(() => {});
    const client = open(headOf(path, body), body);
    await upstream.untilOpen(1);
    await whole(body)(upstream.wires[0]!);
    client.socket.destroy();
    await upstream.untilOpen(0);
    expect(await receipt()).not.toHaveProperty('unattributed');
  });

  test.each([...STORED.slice(0, 1), ...STORED.slice(4, 5), ...STORED.slice(-2, -1)])(
    'counts where it is cut at the end of the run: %s %s',
    async (path, body) => {
      const { open, upstream, opened, seen } = await before(() => {});
      open(headOf(path, body), body);
      await upstream.untilOpen(1);
      await whole(body)(upstream.wires[0]!);
      await opened.run.stop(1);
      expect(seen().unattributed).toEqual(unseen(path));
    },
  );

  test.each([...STORED.slice(0, -2), ...NOT_STORED.slice(0, 4)])(
    'is as one of which the head alone came: %s %s',
    async (path, body) => {
      const { open, upstream, receipt } = await before(async ({ socket, until }) => {
        await until(body);
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n${EVENT_STREAM}\r\n\r\n`);
      });
      const client = open(headOf(path, body), body);
      await client.until('\r\n\r\n');
      client.socket.destroy();
      await upstream.untilOpen(0);
      const isKept = STORED.some(([one, other]) => one === path && other === body);
      expect((await receipt()).unattributed?.length ?? 0).toBe(isKept ? 1 : 0);
    },
  );

  test('counts where the upstream breaks off, or answers with what is no head', async () => {
    const { open, receipt } = await before(async ({ socket, until }) => {
      const isFirst = (await until('{}')).includes('X-First');
      if (isFirst) socket.destroy();
      else socket.end('HTTP/1.1 200 \x01\r\nContent-Length: 2\r\n\r\n{}', 'latin1');
    });
    const last = 'Connection: close';
    await open([...headOf('/v1/responses', '{}'), 'X-First: 1', last], '{}').closed();
    await open([...headOf('/v1/responses', '{}'), last], '{}').closed();
    expect(await receipt()).toMatchObject({ unattributed: [{ reason: 'answer_not_seen', answers: 2 }] });
  });

  test('does not count where a request that reads is given up, or one that was not sent to its end', async () => {
    const { open, upstream, receipt } = await before(() => {});
    const reading = open(['GET $/v1/responses/resp_1 HTTP/1.1', 'Host: a']);
    const sending = open(['POST $/v1/responses HTTP/1.1', 'Host: a', 'Content-Length: 9'], '{');
    await upstream.untilOpen(2);
    reading.socket.destroy();
    sending.socket.destroy();
    await upstream.untilOpen(0);
    expect(await receipt()).not.toHaveProperty('unattributed');
  });

  test.each([
    ['connection termination', '/v1/responses', '{}', 1],
    ['remote reset', '/v1/responses', '{"background":true}', 1],
    ['remote connection failure', '/v1/responses', '{}', 0],
    ['overflow', '/v1/responses', '{}', 0],
    ['connection termination', '/v1/responses', '{"store":false}', 0],
    ['connection termination', '/v1/messages', '{}', 0],
  ] as const)('a gateway answers 503 by a reset, with the reason %s: %s %s', async (reason, path, body, count) => {
    const text = `upstream connect error or disconnect/reset before headers. reset reason: ${reason}`;
    const { open, receipt } = await before(async ({ socket, until }) => {
      await until(body);
      socket.end(rawAnswer(text, ['Content-Type: text/plain'], '503 Service Unavailable'));
    });
    const received = await open([...headOf(path, body), 'Connection: close'], body).closed();
    expect(received).toContain(text);
    expect((await receipt()).unattributed ?? []).toEqual(unseen(path).slice(0, count));
  });

  test('does not count where the upstream cannot be reached', async () => {
    const run = await observedRun(onTestFinished, [upstreamAt('up', 'http://127.0.0.1:1')]);
    const head = [...headOf('/v1/responses', '{}'), 'Connection: close'].join('\r\n');
    const received = await openWire(
      onTestFinished,
      run.port,
      `${head.replace('$', new URL(run.base('up')).pathname)}\r\n\r\n{}`,
    ).closed();
    expect(received).toMatch(/^HTTP\/1\.1 502 /);
    expect(await run.receipt()).not.toHaveProperty('unattributed');
  });
});

test('what was asked for and left counts also while nobody has read yet what was asked', async () => {
  const { open, upstream, opened, seen } = await before(() => {});
  const asked = gzipSync(`{"store":true}${' '.repeat(30_000_000)}`);
  const head = ['POST $/v1/responses HTTP/1.1', 'Host: a', 'Content-Encoding: gzip', `Content-Length: ${asked.length}`];
  const client = open(head, asked.toString('latin1'));
  await upstream.untilOpen(1);
  await expect.poll(() => upstream.wires[0]!.received().length).toBeGreaterThanOrEqual(asked.length);
  client.socket.destroy();
  await upstream.untilOpen(0);
  expect(seen()).toMatchObject({ unattributed: [{ answers: 1 }] });
  await opened.run.settled(20_000);
  expect(seen().unattributed).toEqual([
    { reason: 'answer_not_seen', upstream: 'up', request: 'POST /v1/responses', answers: 1 },
  ]);
});

describe('an error counts as an answer', () => {
  const errorWith = (body: string) =>
    before(({ socket }) => {
      socket.end(rawAnswer(body, ['Content-Type: application/json'], '400 Bad Request'));
    });

  test.each([
    '{"error":{"code":"json_validate_failed","failed_generation":"what it wrote"}}',
    '{"error":{"message":"x"},"choices":[{"message":{"content":"what it wrote"}}]}',
    '{"content":[{"type":"text","text":"what it wrote"}]}',
    '{"output":{"text":"what it wrote"}}',
  ])('where it gives back what a model wrote: %s', async (body) => {
    const { open, receipt } = await errorWith(body);
    await open([...asking, 'Connection: close'], '{}').closed();
    const { failed_answers, unattributed } = await receipt();
    expect(failed_answers).toBe(1);
    expect(unattributed).toMatchObject([{ reason: 'answer_unreadable', request: 'POST /v1/messages', answers: 1 }]);
  });

  test('where it breaks off after its beginning, or there is no room to read it', async () => {
    const generation = JSON.stringify({ error: { failed_generation: 'what it wrote' } });
    const { open, receipt } = await before(({ socket, received }) => {
      const isCut = received().includes('X-Cut');
      const head = `HTTP/1.1 400 Bad Request\r\n${isCut ? '' : 'Content-Encoding: unknown\r\n'}`;
      socket.end(`${head}Content-Length: ${generation.length + (isCut ? 3 : 0)}\r\n\r\n${generation}`);
    });
    await open([...asking, 'X-Cut: 1', 'Connection: close'], '{}').closed();
    await open([...asking, 'Connection: close'], '{}').closed();
    expect((await receipt()).unattributed).toMatchObject([{ reason: 'answer_unreadable', answers: 2 }]);
  });

  test.each([
    ['POST', '/v1/completions'],
    ['POST', '/v1/responses/resp_1/cancel'],
    ['GET', '/v1/responses/resp_1'],
  ])('also of %s %s', async (method, path) => {
    const { open, receipt } = await errorWith('{"output":[{"type":"message"}]}');
    await open([`${method} $${path} HTTP/1.1`, 'Host: a', 'Connection: close']).closed();
    expect((await receipt()).unattributed).toMatchObject([{ reason: 'answer_unreadable', answers: 1 }]);
  });

  test.each([
    '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
    '{"error":{"message":"no","failed_generation":""},"choices":[],"content":null}',
    '<html>Bad gateway</html>',
    '',
  ])('but not by itself: %s', async (body) => {
    const { open, receipt } = await errorWith(body);
    await open([...asking, 'Connection: close'], '{}').closed();
    const { failed_answers, unattributed } = await receipt();
    expect([failed_answers, unattributed]).toEqual([1, undefined]);
  });
});

test('an error that is held open counts as far as it has passed, and not twice when it is over', async () => {
  const { open, seen, upstream, opened } = await before(({ socket }) => {
    socket.write('HTTP/1.1 400 Bad Request\r\nContent-Length: 1000\r\n\r\n{"error":{"failed_generation":"CODE');
  });
  const client = open(asking, '{}');
  await client.until('CODE');
  const { failed_answers, unattributed } = seen();
  expect([failed_answers, unattributed]).toMatchObject([1, [{ reason: 'answer_unreadable', answers: 1 }]]);
  client.socket.destroy();
  await upstream.untilOpen(0);
  await opened.run.settled(5_000);
  expect(seen()).toMatchObject({ failed_answers, unattributed });
});

test.each([
  ['POST', '/v1/responses/resp_1/cancel', '200 OK', true],
  ['GET', '/v1/responses/resp_1/input_items', '200 OK', true],
  ['GET', '/v1/responses', '200 OK', true],
  ['GET', '/v1/batches/batch_1', '200 OK', true],
  ['GET', '/v1/files/file-1/content', '302 Found', true],
  ['HEAD', '/v1/files/file-1/content', '302 Found', true],
  ['GET', '/v1/files/file-1/content', '304 Not Modified', false],
  ['GET', '/v1/files/file-1/content', '404 Not Found', false],
  ['GET', '/v1/files/file-1', '200 OK', false],
])('what a provider keeps is read: %s %s with %s: %s', async (method, path, status, counts) => {
  const { open, receipt } = await before(({ socket }) => {
    socket.end(rawAnswer('', ['Location: https://a.example/signed'], status));
  });
  await open([`${method} $${path} HTTP/1.1`, 'Host: a', 'Connection: close']).closed();
  const said = [{ reason: 'request_unknown', upstream: 'up', request: `${method} ${path}`, answers: 1 }];
  expect((await receipt()).unattributed).toEqual(counts ? said : undefined);
});

test('a receipt waits for what has passed and is still being decoded', async () => {
  const coded = gzipSync(document + ' '.repeat(8_000_000));
  const { open, witness, opened } = await before(({ socket }) => {
    socket.write(
      rawAnswer('', ['Content-Encoding: gzip']).replace('Content-Length: 0', `Content-Length: ${coded.length}`),
    );
    socket.end(coded);
  });
  const client = open([...asking, 'Connection: close'], '{}');
  await client.closed();
  const { payload } = await witness.receipt(opened.run);
  const { predicate } = JSON.parse(Buffer.from(payload, 'base64').toString());
  expect(predicate.models).toEqual([{ upstream: 'up', served: MODEL, answers: 1, uncounted: 1 }]);
  expect(predicate).not.toHaveProperty('unattributed');
});

describe('a request within the body of another one', () => {
  const inner = 'POST /v1/messages HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';

  test.each(['TRACE', 'QUERY'])('reaches nothing with a method that is refused: %s', async (method) => {
    const { open, upstream } = await before(() => {});
    const head = [`${method} $/x HTTP/1.1`, 'Host: a', 'Transfer-Encoding: chunked'];
    const received = await open(head, `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n${inner}`).closed();
    expect(received.split(' ')[1]).toBe('405');
    expect(upstream.wires).toEqual([]);
  });

  test.each(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'POST', 'PUT', 'PATCH'])(
    'stays within it: %s in chunks',
    async (method) => {
      const { open, upstream } = await before(async ({ socket, until }) => {
        await until('0\r\n\r\n');
        socket.end(rawAnswer(''));
      });
      const head = [`${method} $/x HTTP/1.1`, 'Host: a', 'Transfer-Encoding: chunked', 'Connection: close'];
      await open(head, `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`).closed();
      const [got = '', body] = upstream.wires[0]!.received().split(/\r\n\r\n(.*)/s);
      expect(got).toMatch(/\r\ntransfer-encoding: chunked(?:\r\n|$)/i);
      expect(body).toBe(`${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`);
    },
  );

  test.each(['GET', 'DELETE', 'POST'])('stays within it: %s with Content-Length', async (method) => {
    const { open, upstream } = await before(async ({ socket, until }) => {
      await until(inner);
      socket.end(rawAnswer(''));
    });
    const length = `Content-Length: ${inner.length}`;
    await open([`${method} $/x HTTP/1.1`, 'Host: a', length, 'Connection: close, content-length'], inner).closed();
    const received = upstream.wires[0]!.received();
    expect(received).toContain(`\r\n${length}\r\n`);
    expect(received.endsWith(`\r\n\r\n${inner}`)).toBe(true);
  });

  test.each([
    ['two lengths', ['Content-Length: 2', 'Content-Length: 70']],
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked']],
    ['chunks that are none', ['Transfer-Encoding: chunked, identity']],
    ['a coding before the length', ['Transfer-Encoding: xchunked']],
    ['a space before the colon', ['Content-Length : 2']],
    ['a length that is no number', ['Content-Length: +2']],
    ['a line that is folded', ['X-A: 1', ' Content-Length: 2']],
  ])('is not made by %s', async (_, lines) => {
    const { open, upstream } = await before(({ socket }) => {
      socket.end(rawAnswer(''));
    });
    const received = await open(['POST $/x HTTP/1.1', 'Host: a', ...lines], `{}${inner}`).closed();
    expect(received).toMatch(/^HTTP\/1\.1 400 /);
    const got = upstream.wires.map((wire) => wire.received()).join('');
    expect(got).not.toContain('/v1/messages');
  });
});

test.each(['{"error":{"message":"Failed to parse input at pos 0: CODE","type":"server_error"}}', 'CODE'])(
  'an error of a server that may give back what a model wrote counts: %s',
  async (body) => {
    const { open, receipt, upstream } = await before(async ({ socket, until }) => {
      await until('{}');
      socket.end(rawAnswer(body, [], '500 Internal Server Error'));
    });
    await open(asking, '{}').until(body);
    await upstream.untilOpen(0);
    expect((await receipt()).unattributed).toMatchObject([{ reason: 'answer_unreadable', answers: 1 }]);
  },
);

const other = JSON.stringify({ type: 'message', model: 'other-model' });
test.each<[string, string, Buffer]>([
  ['two models under one name', 'identity', Buffer.from(`{"type":"message","model":"other-model","model":"${MODEL}"}`)],
  ['a br body that goes on', 'br', Buffer.concat([brotliCompressSync(document), Buffer.from(other)])],
  ['a deflate body that goes on', 'deflate', Buffer.concat([deflateSync(document), Buffer.from(other)])],
  ['two zstd frames', 'zstd', Buffer.concat([zstdCompressSync(document), zstdCompressSync(other)])],
])('an answer that readers may read otherwise is of no known model: %s', async (_, coding, body) => {
  const { open, receipt, upstream } = await before(async ({ socket, until }) => {
    await until('{}');
    socket.write(
      `HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
    );
    socket.end(body);
  });
  await open(asking, '{}').until('\r\n\r\n');
  await upstream.untilOpen(0);
  const { models, unattributed } = await receipt();
  expect(models).toEqual([]);
  expect(unattributed).toMatchObject([{ reason: 'answer_unreadable', answers: 1 }]);
});
