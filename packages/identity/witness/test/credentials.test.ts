import { startModelProvider } from '@colophon/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { observedRun, PROMPT, upstreamAt } from './observed.ts';
import { ask, codeIn } from './wire.ts';

const CANARY = 'sk-canary-0123456789';
const OF_WITNESS = 'sk-of-the-witness';
const AGENTS_HEADERS = {
  Authorization: `Bearer ${CANARY}`,
  'X-Api-Key': CANARY,
  'api-key': CANARY,
  'x-goog-api-key': CANARY,
  Cookie: `session=${CANARY}`,
  'X-Auth-Token': CANARY,
  'cf-aig-authorization': CANARY,
  'Proxy-Authorization': `Basic ${CANARY}`,
  'anthropic-version': '2023-06-01',
};

describe.each([
  { header: 'x-api-key', value: OF_WITNESS },
  { header: 'Authorization', value: `Bearer ${OF_WITNESS}` },
])('with a credential of the witness in $header', (credential) => {
  test.each([AGENTS_HEADERS, { ...AGENTS_HEADERS, Connection: `close, ${credential.header}` }, {}])(
    'nothing of the agent is sent to the upstream: %#',
    async (headers) => {
      const provider = await startModelProvider(onTestFinished, [{ model: 'm' }]);
      const { base } = await observedRun(onTestFinished, [upstreamAt('up', provider.url, { credential })]);
      await ask(`${base('up')}/v1/messages`, { headers, body: '{}' });
      const got = provider.requests[0]!.headers;
      expect(got[credential.header.toLowerCase()]).toBe(credential.value);
      expect(JSON.stringify(got)).not.toContain(CANARY);
      expect(got['anthropic-version']).toBe((headers as typeof AGENTS_HEADERS)['anthropic-version']);
    },
  );
});

test('a gateway is told no other server than the one that was set up', async () => {
  const provider = await startModelProvider(onTestFinished, [{ model: 'm' }, { model: 'm' }]);
  const elsewhere = {
    'X-Portkey-Custom-Host': 'a',
    'Helicone-Target-URL': 'a',
    'X-Original-URL': '/a',
    'target-url': 'a',
    'x-api-base': 'a',
    'openai-base-url': 'a',
    'X-Forwarded-Host': 'a',
    'x-gateway-destination-endpoint': 'a',
    'x-custom-host': 'a',
    'x-bf-vk': 'a',
    'x-rewrite-url': '/a',
  };
  const credential = { header: 'x-api-key', value: OF_WITNESS };
  const upstreams = [upstreamAt('up', provider.url, { credential }), upstreamAt('open', provider.url)];
  const { base } = await observedRun(onTestFinished, upstreams);
  for (const slot of ['up', 'open']) await ask(`${base(slot)}/v1/messages`, { headers: elsewhere, body: '{}' });
  const passed = provider.requests.map(({ headers }) =>
    Object.keys(elsewhere).filter((name) => headers[name.toLowerCase()] !== undefined),
  );
  expect(passed).toEqual([[], Object.keys(elsewhere)]);
});

test('a place where a credential might be made is refused by name, and the run goes on', async () => {
  const provider = await startModelProvider(onTestFinished, [{ model: 'm' }]);
  const credential = { header: 'x-api-key', value: OF_WITNESS };
  const { base, receipt } = await observedRun(onTestFinished, [upstreamAt('up', provider.url, { credential })]);
  for (const place of ['/key/generate', '/v1/models/m/keys']) {
    const refused = await ask(`${base('up')}${place}`, { body: '{}' });
    expect([refused.status, codeIn(refused.text)], place).toEqual([403, 'witness.endpoint_refused']);
  }
  await ask(`${base('up')}/v1/messages`, { body: '{}' });
  expect(provider.requests.map(({ target }) => target)).toEqual(['/v1/messages']);
  expect(await receipt()).not.toHaveProperty('unattributed');
});

test('without a credential of the witness those of the agent pass as they are', async () => {
  const provider = await startModelProvider(onTestFinished, [{ model: 'm' }]);
  const { base } = await observedRun(onTestFinished, [upstreamAt('up', provider.url)]);
  await ask(`${base('up')}/v1/messages`, { headers: AGENTS_HEADERS, body: '{}' });
  const got = provider.requests[0]!.headers;
  const { 'Proxy-Authorization': _, ...passing } = AGENTS_HEADERS;
  for (const [name, value] of Object.entries(passing)) expect(got[name.toLowerCase()], name).toBe(value);
});

test('no key and no prompt is in a receipt, or in an error of the witness', async () => {
  const provider = await startModelProvider(onTestFinished, [
    { model: 'm', text: CANARY, tool: { name: 'edit', input: { text: CANARY } } },
    (_, response) => response.writeHead(500).end(CANARY),
    (_, response) => response.end(CANARY),
  ]);
  const credential = { header: 'x-api-key', value: OF_WITNESS };
  const upstreams = [
    upstreamAt('up', provider.url, { credential }),
    upstreamAt('down', 'http://127.0.0.1:1', { credential }),
  ];
  const { base, witness, opened, receipt } = await observedRun(onTestFinished, upstreams);
  const asked = {
    headers: AGENTS_HEADERS,
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: PROMPT }], metadata: { user_id: CANARY } }),
  };
  for (let i = 0; i < 3; i += 1) await ask(`${base('up')}/v1/messages?key=${CANARY}`, asked);
  await ask(`${base('up')}/v1/completions?key=${CANARY}`, asked);
  const refusals = [
    `${base('down')}/v1/messages?key=${CANARY}`,
    `${base('up')}/../${CANARY}%2f`,
    `${base('up').replace(/up$/, CANARY)}/x`,
    `${base('up').replace(opened.token, CANARY.padEnd(43, 'x'))}/x`,
  ];
  const secret = new RegExp(`${CANARY}|${OF_WITNESS}|${PROMPT}|${opened.token}`);
  for (const url of refusals) {
    const { status, text, rawHeaders } = await ask(url, asked);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(rawHeaders.join() + text).not.toMatch(secret);
  }
  const { input, failed_answers, unattributed } = await receipt();
  expect([input.prompt_seen, failed_answers, unattributed?.length]).toEqual([true, 1, 2]);
  const envelope = await witness.receipt(opened.run);
  expect(Buffer.from(envelope.payload, 'base64').toString()).not.toMatch(secret);
});
