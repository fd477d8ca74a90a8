import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type Reply, startModelProvider, typedEvent } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hashOf, observedRun, PROMPT, upstreamAt } from './observed.ts';
import { ask } from './wire.ts';

type Script = Parameters<typeof startModelProvider>[1];

async function before(script: Script) {
  const provider = await startModelProvider(onTestFinished, script);
  const run = await observedRun(onTestFinished, [upstreamAt('up', provider.url)]);
  return { ...run, provider, url: run.base('up') };
}

const asking = (more: object = {}) => ({ body: JSON.stringify({ model: 'asked', messages: [], ...more }) });
const PATHS = ['/v1/messages', '/v1/responses', '/v1/chat/completions'] as const;
const streamOf = (events: readonly string[], headers: Record<string, string> = {}): Script => [
  (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', ...headers });
    for (const event of events) response.write(event);
    response.end();
  },
];

describe.each(PATHS)('an answer at %s', (path) => {
  const stream = path !== '/v1/messages';

  test.each<[string, Reply, string]>([
    ['without a model', { model: undefined }, 'model_absent'],
    ['with an empty model', { model: '' }, 'model_absent'],
    ['with a model that is no text', { model: 5 as never }, 'model_malformed'],
    ['with a blank model', { model: ' ' }, 'model_malformed'],
    ['with a model that cannot be printed', { model: 'gpt\u200b' }, 'model_malformed'],
    ['with the word for no model', { model: 'unknown' }, 'model_malformed'],
  ])('%s is of no known model, streamed or not', async (_, reply, reason) => {
    const { url, receipt } = await before([reply]);
    for (const isStreamed of [false, true]) await ask(url + path, asking({ stream: isStreamed }));
    const { models, unattributed } = await receipt();
    expect([models, unattributed]).toEqual([[], [{ reason, upstream: 'up', request: `POST ${path}`, answers: 2 }]]);
  });

  test('that names another model in its middle is of neither', async () => {
    const change = {
      '/v1/messages': [
        typedEvent({ type: 'message_start', message: { model: 'a' } }),
        typedEvent({ type: 'message_delta', delta: { model: 'b' } }),
      ],
      '/v1/responses': [
        typedEvent({ type: 'response.created', response: { model: 'a' } }),
        typedEvent({ type: 'response.completed', response: { model: 'b' } }),
      ],
      '/v1/chat/completions': ['data: {"model":"a"}\n\n', 'data: {"model":"b"}\n\n', 'data: [DONE]\n\n'],
    }[path];
    const { url, receipt } = await before(streamOf(change));
    await ask(url + path, asking({ stream }));
    expect(await receipt()).toMatchObject({ models: [], unattributed: [{ reason: 'model_changed', answers: 1 }] });
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('in %s is read, to a request in the same', async (coding, encode) => {
    const document = JSON.stringify({ model: 'served', type: 'message', object: 'response', choices: [] });
    const { url, receipt } = await before([
      (_, response) => response.writeHead(200, { 'content-encoding': coding }).end(encode(Buffer.from(document))),
    ]);
    const { body } = asking();
    await ask(url + path, { headers: { 'content-encoding': coding }, body: encode(Buffer.from(body)) });
    expect((await receipt()).models).toEqual([
      { upstream: 'up', requested: 'asked', served: 'served', answers: 1, uncounted: 1 },
    ]);
  });

  test('that another model of the transport is named for is of neither', async () => {
    const { url, receipt } = await before([
      (_, response) => response.setHeader('openai-model', 'gpt-5-mini').end('{"model":"gpt-5"}'),
    ]);
    await ask(url + path, asking());
    expect(await receipt()).toMatchObject({ models: [], unattributed: [{ reason: 'model_changed' }] });
  });
});

test('a turn of the Messages API that a fallback or an advisor had a part in is of no single model', async () => {
  const message = { type: 'message', model: 'claude-opus-4-1', content: [], usage: { output_tokens: 1 } };
  const answers = [
    { ...message, content: [{ type: 'fallback' }] },
    { ...message, usage: { iterations: [{ type: 'fallback_message', model: 'claude-haiku-4-5' }] } },
    { ...message, usage: { iterations: [{ type: 'advisor_message', model: 'claude-haiku-4-5' }] } },
    { ...message, usage: { iterations: [{ type: 'message', model: 'claude-opus-4-1' }] } },
  ];
  const { url, receipt } = await before(answers.map((answer) => (_, response) => response.end(JSON.stringify(answer))));
  for (const _ of answers) await ask(`${url}/v1/messages`, asking());
  const { models, unattributed } = await receipt();
  expect(models).toMatchObject([{ served: 'claude-opus-4-1', answers: 1 }]);
  expect(unattributed).toMatchObject([{ reason: 'model_changed', answers: 3 }]);
});

test('a chat as Azure and OpenRouter stream it is read: an empty first chunk, comments, CRLF, usage last', async () => {
  const chunk = (more: object) => `data: ${JSON.stringify({ id: 'chatcmpl-1', model: 'gpt-4o', ...more })}\r\n\r\n`;
  const { url, receipt } = await before(
    streamOf([
      ': OPENROUTER PROCESSING\r\n\r\n',
      'data: {"choices":[],"id":"","model":"","object":""}\r\n\r\n',
      chunk({ choices: [{ index: 0, delta: { content: 'a' } }], usage: null }),
      ': OPENROUTER PROCESSING\r\n\r\n',
      chunk({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 4 } }),
      'data: [DONE]',
    ]),
  );
  await ask(`${url}/v1/chat/completions`, asking());
  expect(await receipt()).toMatchObject({
    input: { context_token_count: 3 },
    models: [{ requested: 'asked', served: 'gpt-4o', answers: 1, input_tokens: 3, output_tokens: 4 }],
    response_ids: ['chatcmpl-1'],
  });
  expect((await receipt()).models[0]).not.toHaveProperty('incomplete');
});

test('what is beyond the bounds of a receipt is counted, and the receipt can be signed', async () => {
  const replies: Reply[] = Array.from({ length: 40 }, (_, index) => ({
    model: `model-${index}`,
    id: `id-${index}`,
    tool: { name: `tool-${index}`, input: {} },
  }));
  const { url, receipt, witness, opened } = await before(replies);
  for (const _ of replies) await ask(`${url}/v1/messages`, asking());
  for (let i = 0; i < 20; i += 1) await ask(`${url}/v1/unknown/${i}`, asking());
  const { models, unattributed = [], response_ids, response_ids_hash, tools_invoked, more_tools } = await receipt();
  expect([models.length, response_ids?.length, tools_invoked?.length, more_tools]).toEqual([16, 32, 32, 8]);
  expect(response_ids_hash).toBe(hashOf(replies.map(({ id }) => `${id}\n`).join('')));
  expect(unattributed.length).toBeLessThanOrEqual(16);
  const counted = (reason: string) =>
    unattributed.filter((entry) => entry.reason === reason).reduce((total, { answers }) => total + answers, 0);
  expect([counted('more_models'), counted('request_unknown')]).toEqual([24, 20]);
  await expect(witness.receipt(opened.run)).resolves.toMatchObject({ signatures: [{}] });
});

test('requests that differ have no temperature and no limit in common', async () => {
  const { url, receipt } = await before([{ model: 'served' }]);
  await ask(`${url}/v1/messages`, asking({ temperature: 1, max_tokens: 5 }));
  await ask(`${url}/v1/messages`, asking({ temperature: 0, max_tokens: 5 }));
  const { models } = await receipt();
  expect(models).toMatchObject([{ requested: 'asked', answers: 2, max_tokens: 5 }]);
  expect(models[0]).not.toHaveProperty('temperature');
});

test.each([
  ['POST', '/v1/complete'],
  ['POST', '/v1/responses/compact'],
  ['POST', '/v1/messages/batches'],
  ['PUT', '/v1/complete'],
  // What a server may take for a request that is read.
  ['POST', '/v1/messages/'],
  ['POST', '/v1/mess%61ges'],
  ['POST', '/v1/Messages'],
  ['POST', '/v1/messages;a=b'],
  ['POST', '/v1/chat/completions%3f/files'],
  ['POST', '/v1/messages%00/models'],
  ['POST', '/models/attacker/files'],
  // What returns an answer that was written before.
  ['GET', '/v1/responses/resp_1'],
  ['GET', '/v1/conversations/conv_1/items'],
  ['GET', '/v1/chat/completions'],
  ['GET', '/v1/files/file-1/content'],
  ['GET', '/v1/messages/batches/msgbatch_1/results'],
  // What begins like a request that no model answers.
  ['POST', '/v1/files/x/complete'],
])('an answer to %s %s is of no known model', async (method, path) => {
  const { url, receipt } = await before([{ model: 'served' }]);
  expect((await ask(url + path, { method })).status).toBe(200);
  const { models, unattributed } = await receipt();
  const request = `${method} ${path}`;
  expect([models, unattributed]).toEqual([[], [{ reason: 'request_unknown', upstream: 'up', request, answers: 1 }]]);
});

test.each([
  ['POST', '/v1/messages/count_tokens'],
  ['POST', '/v1/embeddings'],
  ['PUT', '/v1/files'],
  ['GET', '/v1/models'],
  ['GET', '/v1/files/file-1'],
  ['DELETE', '/v1/responses/resp_1'],
  ['GET', '/v1/messages'],
])('an answer to %s %s is of no model', async (method, path) => {
  const { url, receipt } = await before([{ model: 'served' }]);
  expect((await ask(url + path, { method })).status).toBe(200);
  const { models, unattributed } = await receipt();
  expect([models, unattributed]).toEqual([[], undefined]);
});

test.each([
  ['with a body', { headers: { 'content-length': '17' }, body: '{"model":"asked"}' }],
  ['with a body in chunks', { headers: { 'transfer-encoding': 'chunked' }, body: '{"model":"asked"}' }],
  ['that names another method', { headers: { 'X-HTTP-Method-Override': 'POST' } }],
])('an answer to a GET %s counts, since some servers take it for a POST', async (_, asked) => {
  const { url, receipt } = await before([{ model: 'served' }]);
  await ask(`${url}/v1/messages`, { method: 'GET', ...asked });
  await ask(`${url}/v1/complete`, { method: 'GET', ...asked });
  expect(await receipt()).toMatchObject({
    models: [{ served: 'served', answers: 1 }],
    unattributed: [{ reason: 'request_unknown', request: 'GET /v1/complete', answers: 1 }],
  });
});

test('an error counts where a model could have answered, and nowhere else', async () => {
  const { url, receipt } = await before([(_, response) => response.writeHead(404).end()]);
  await ask(`${url}/v1/models/x`, { method: 'GET' });
  await ask(`${url}/v1/responses/x`, { method: 'GET' });
  await ask(`${url}/v1/embeddings`, { body: '{}' });
  expect(await receipt()).not.toHaveProperty('failed_answers');
  await ask(`${url}/v1/unknown`, { body: '{}' });
  expect(await receipt()).toMatchObject({ failed_answers: 1, models: [] });
});

test('the path of an upstream is no part of what a request is known by', async () => {
  const provider = await startModelProvider(onTestFinished, [{ model: 'served' }]);
  const { base, receipt } = await observedRun(onTestFinished, [upstreamAt('up', `${provider.url}/team%20a/proxy/`)]);
  await ask(`${base('up')}/v1/embeddings`, asking());
  await ask(`${base('up')}/v1/models`, { method: 'GET' });
  expect(await receipt()).not.toHaveProperty('unattributed');
  await ask(`${base('up')}/v1/messages`, asking());
  expect(await receipt()).toMatchObject({ models: [{ served: 'served', answers: 1 }] });
});

test('two runs at once do not mix, also on one connection', async () => {
  const provider = await startModelProvider(onTestFinished, [
    (request, response) => {
      const model = String(request.headers['x-model']);
      response.end(JSON.stringify({ type: 'message', model, id: `id-${model}` }));
    },
  ]);
  const { witness, opened, base, key } = await observedRun(onTestFinished, [upstreamAt('up', provider.url)]);
  const second = witness.open({
    agentName: 'other',
    agentVersion: '2',
    promptHash: hashOf('other prompt'),
    policyPackHash: hashOf('rules'),
  });
  const urls = [base('up'), base('up').replace(opened.token, second.token)];
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      fetch(`${urls[index % 2]}/v1/messages`, {
        method: 'POST',
        headers: { 'x-model': `of-${index % 2}` },
        body: JSON.stringify({ messages: [{ role: 'user', content: index % 2 === 0 ? PROMPT : 'x' }] }),
      }).then((answer) => answer.text()),
    ),
  );
  for (const [index, { run }] of [opened, second].entries()) {
    await run.settled(5_000);
    const { models, input } = run.receipt({ key_id: key.kid, place: 'same-host' }, 0);
    expect(models).toEqual([{ upstream: 'up', served: `of-${index}`, answers: 10, uncounted: 10 }]);
    expect(input.prompt_seen).toBe(index === 0);
  }
});

test('two upstreams of one name both stand in the receipt, with the addresses that were reached', async () => {
  const one = await startModelProvider(onTestFinished, [{ model: 'a' }]);
  const other = await startModelProvider(onTestFinished, [{ model: 'b' }]);
  const name = 'self-hosted';
  const upstreams = [upstreamAt('one', one.url, { name }), upstreamAt('other', `${other.url}/v1`, { name })];
  const { base, receipt } = await observedRun(onTestFinished, [
    ...upstreams,
    upstreamAt('unused', 'http://127.0.0.1:1'),
  ]);
  await ask(`${base('one')}/v1/messages`, asking());
  await ask(`${base('other')}/messages`, asking());
  expect((await receipt()).upstreams).toEqual([
    { name, address: one.url },
    { name, address: `${other.url}/v1` },
  ]);
});
