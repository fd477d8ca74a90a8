import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { canonicalJson, type JsonValue } from '@colophon/json';
import { startModelProvider } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { hashOf, observedRun, PROMPT, upstreamAt } from './observed.ts';
import { ask } from './wire.ts';

type Script = Parameters<typeof startModelProvider>[1];

async function before(script: Script = [{ model: 'm' }]) {
  const provider = await startModelProvider(onTestFinished, script);
  const run = await observedRun(onTestFinished, [upstreamAt('up', provider.url)]);
  const send = (path: string, body: unknown) => ask(run.base('up') + path, { body: JSON.stringify(body) });
  return { ...run, send, provider };
}

const user = (content: unknown) => ({ role: 'user', content });

test.each([
  ['/v1/messages', { messages: [user(PROMPT)] }, true],
  ['/v1/messages', { messages: [user(`${PROMPT}\n`)] }, true],
  [
    '/v1/messages',
    {
      messages: [
        user([
          { type: 'text', text: 'x' },
          { type: 'text', text: PROMPT },
        ]),
      ],
    },
    true,
  ],
  ['/v1/messages', { system: PROMPT, messages: [user('x')] }, true],
  ['/v1/responses', { input: PROMPT }, true],
  ['/v1/responses', { input: [user([{ type: 'input_text', text: PROMPT }])] }, true],
  ['/v1/responses', { instructions: PROMPT, input: 'x' }, true],
  ['/v1/chat/completions', { messages: [{ role: 'system', content: 'x' }, user(PROMPT)] }, true],
  ['/v1/messages', { messages: [user(`${PROMPT}!`)] }, false],
  ['/v1/messages', { messages: [{ role: 'assistant', content: PROMPT }] }, false],
  ['/v1/messages', { messages: [user([{ type: 'tool_result', content: PROMPT }])] }, false],
  ['/v1/chat/completions', { messages: [{ role: 'tool', content: PROMPT }] }, false],
  ['/v1/responses', { input: [{ type: 'function_call_output', output: PROMPT }] }, false],
  ['/v1/chat/completions', { instructions: PROMPT, messages: [user('x')] }, false],
  ['/v1/responses', { system: PROMPT, input: 'x' }, false],
  ['/v1/messages/count_tokens', { messages: [user(PROMPT)] }, false],
  ['/v1/unknown', { messages: [user(PROMPT)] }, false],
])('the prompt in a request to %s with %j is seen: %s', async (path, body, isSeen) => {
  const { send, receipt } = await before();
  await send(path, body);
  const { input } = await receipt();
  expect(input.prompt_seen).toBe(isSeen);
  expect(input.prompt_hash).toBe(hashOf(PROMPT));
});

test.each<[string, Script[number]]>([
  ['that the provider refuses', (_, response) => response.writeHead(400).end('{"type":"error"}')],
  ['that names no model', { model: undefined }],
])('a prompt is not seen by an answer %s, and is by the next', async (_, first) => {
  const { send, receipt } = await before([first, { model: 'm' }]);
  await send('/v1/messages', { messages: [user(PROMPT)] });
  expect((await receipt()).input.prompt_seen).toBe(false);
  await send('/v1/messages', { messages: [user(PROMPT), user('more')] });
  expect((await receipt()).input.prompt_seen).toBe(true);
});

test('an answered request without the prompt does not confirm that of a refused one', async () => {
  const { send, receipt } = await before([(_, response) => response.writeHead(400).end(), { model: 'm' }]);
  await send('/v1/messages', { messages: [user(PROMPT)] });
  await send('/v1/messages', { messages: [user('x')] });
  expect((await receipt()).input.prompt_seen).toBe(false);
});

test('a prompt that nobody told is that of the first request, confirmed by the first answer to it', async () => {
  const { witness, base, opened, key } = await before([(_, response) => response.writeHead(529).end(), { model: 'm' }]);
  const untold = witness.open({ agentName: 'a', agentVersion: '1', policyPackHash: hashOf('rules') });
  const url = `${base('up').replace(opened.token, untold.token)}/v1/messages`;
  const input = async () => {
    await untold.run.settled(5_000);
    return untold.run.receipt({ key_id: key.kid, place: 'same-host' }, 0).input;
  };
  const messages = [user(PROMPT)];
  const hash = hashOf(Buffer.from(canonicalJson(messages as JsonValue)).toString());
  await ask(url, { body: JSON.stringify({ messages }) });
  expect(await input()).toMatchObject({ prompt_hash: hash, prompt_seen: false });
  await ask(url, { body: JSON.stringify({ messages: [user('x')] }) });
  expect(await input()).toMatchObject({ prompt_hash: hash, prompt_seen: false });
  await ask(url, { body: JSON.stringify({ messages }) });
  expect(await input()).toMatchObject({ prompt_hash: hash, prompt_seen: true });
});

test('what follows an answered request that nobody could read is no first prompt', async () => {
  const { witness, base, opened, key } = await before();
  const untold = witness.open({ agentName: 'a', agentVersion: '1', policyPackHash: hashOf('rules') });
  const url = `${base('up').replace(opened.token, untold.token)}/v1/messages`;
  const body = JSON.stringify({ messages: [user(PROMPT)] });
  await ask(url, { body, headers: { 'content-encoding': 'unknown' } });
  await untold.run.settled(5_000);
  await ask(url, { body });
  await untold.run.settled(5_000);
  const { input } = untold.run.receipt({ key_id: key.kid, place: 'same-host' }, 0);
  expect(input).toMatchObject({ prompt_hash: hashOf(''), prompt_seen: false });
});

test('a prompt of several messages is seen as all of them', async () => {
  const messages = [{ role: 'system', content: 'x' }, user(PROMPT)];
  const { witness, base, opened, key } = await before();
  const asked = witness.open({
    agentName: 'a',
    agentVersion: '1',
    promptHash: hashOf(Buffer.from(canonicalJson(messages as JsonValue)).toString()),
    policyPackHash: hashOf('rules'),
  });
  const url = `${base('up').replace(opened.token, asked.token)}/v1/chat/completions`;
  const isSeen = () => asked.run.receipt({ key_id: key.kid, place: 'same-host' }, 0).input.prompt_seen;
  await ask(url, { body: JSON.stringify({ messages: messages.slice(1) }) });
  expect(isSeen()).toBe(false);
  await ask(url, { body: JSON.stringify({ messages }, null, 2) });
  expect(isSeen()).toBe(true);
});

test('a prompt in a compressed request is seen', async () => {
  const { base, receipt } = await before();
  const body = gzipSync(JSON.stringify({ messages: [user(PROMPT)] }));
  await ask(`${base('up')}/v1/messages`, { body, headers: { 'content-encoding': 'gzip' } });
  expect((await receipt()).input.prompt_seen).toBe(true);
});

test('a prompt is looked for in the first 16 requests', async () => {
  const first = await before();
  for (let i = 0; i < 15; i += 1) await first.send('/v1/messages', { messages: [user('x')] });
  await first.send('/v1/messages', { messages: [user(PROMPT)] });
  expect((await first.receipt()).input.prompt_seen).toBe(true);

  const later = await before();
  for (let i = 0; i < 16; i += 1) await later.send('/v1/messages', { messages: [user('x')] });
  await later.send('/v1/messages', { messages: [user(PROMPT)] });
  expect((await later.receipt()).input.prompt_seen).toBe(false);
});

test('nor is the first prompt looked for any longer, where nobody told it', async () => {
  const refused = (_: unknown, response: ServerResponse) => response.writeHead(400).end();
  const { witness, base, opened, key } = await before([...Array(16).fill(refused), { model: 'm' }]);
  const untold = witness.open({ agentName: 'a', agentVersion: '1', policyPackHash: hashOf('rules') });
  const url = `${base('up').replace(opened.token, untold.token)}/v1/messages`;
  // It has no canonical form, so no hash.
  for (let i = 0; i < 16; i += 1) await ask(url, { body: '{"messages":[1e999]}' });
  await ask(url, { body: JSON.stringify({ messages: [user(PROMPT)] }) });
  await untold.run.settled(5_000);
  const { input } = untold.run.receipt({ key_id: key.kid, place: 'same-host' }, 0);
  expect(input).toMatchObject({ prompt_hash: hashOf(''), prompt_seen: false });
});
