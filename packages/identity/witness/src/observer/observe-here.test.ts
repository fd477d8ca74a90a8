import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { SigningKey } from '@colophon/keys';
import { startModelProvider } from '@colophon/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { readReceipt } from '../receipt/receipt-envelope.ts';
import { nameOfAddress } from '../upstream/upstream.ts';
import { observeHere } from './observe-here.ts';

const key = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const hash = (digit: string) => `sha256:${digit.repeat(64)}`;
const asked = { agentName: 'code-writer', agentVersion: '1', promptHash: hash('a'), policyPackHash: hash('b') };
const random = { bytes: (length: number) => new Uint8Array(length).fill(7), uuid: () => crypto.randomUUID() };

/** An observation of a run whose models a local server plays. */
async function observing() {
  const provider = await startModelProvider(onTestFinished, [{ model: 'opus-1' }]);
  const upstream = (slot: string, base: string) => ({ slot, base: new URL(base), name: nameOfAddress(base) });
  const observation = await observeHere(asked, {
    key,
    upstreams: [upstream('anthropic', provider.url), upstream('openai', `${provider.url}/v1`)],
    random,
  });
  onTestFinished(() => observation.close());
  return { provider, observation };
}

it('a run is observed at addresses of its own, on this machine alone', async () => {
  const { provider, observation } = await observing();
  const { anthropic = '', openai = '' } = observation.baseUrls;
  expect(anthropic).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\w-]{43}\/anthropic$/);
  expect(openai).toBe(`${anthropic.replace(/anthropic$/, 'openai')}/v1`);
  expect(observation.addsCredentials).toBe(false);
  const request = { method: 'POST', body: '{"model":"opus-1","messages":[]}', headers: { 'x-api-key': 'key' } };
  await (await fetch(`${anthropic}/v1/messages`, request)).text();
  await (await fetch(`${openai}/chat/completions`, request)).text();
  expect(provider.requests.map(({ target, headers }) => [target, headers['x-api-key']])).toEqual([
    ['/v1/messages', 'key'],
    ['/v1/chat/completions', 'key'],
  ]);
  const envelope = await observation.end({ reason: 'exited', exitCode: 3 });
  const read = readReceipt(JSON.parse(JSON.stringify(envelope)), () => key.publicKey, undefined);
  expect(read).toMatchObject({
    ok: true,
    receipt: {
      witness: { place: 'same-host', key_id: key.kid },
      outcome: { reason: 'exited', exit_code: 3 },
      upstreams: [{ name: 'self-hosted' }, { name: 'self-hosted' }],
      models: [{ upstream: 'self-hosted', served: 'opus-1', answers: 2 }],
    },
  });
});

it('after its end nothing passes, and no connection stays open', async () => {
  const { provider, observation } = await observing();
  const address = new URL(observation.baseUrls.anthropic ?? '');
  const idle = connect(Number(address.port), address.hostname);
  const ended = once(idle, 'close');
  await once(idle, 'connect');
  await observation.end({ reason: 'exited', exitCode: 0 });
  const late = await fetch(`${address.href}/v1/messages`, { method: 'POST', body: '{}' });
  expect([late.status, provider.requests.length]).toEqual([404, 0]);
  observation.close();
  await ended;
  await expect(fetch(address)).rejects.toThrow();
});
