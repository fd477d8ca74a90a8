import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto';
import { SigningKey } from '@colophon/keys';
import { expect, it } from 'vitest';
import type { Upstream } from '../upstream/upstream.ts';
import { Witness, type WitnessOptions } from './witness.ts';

const es256 = new SigningKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey);
const upstream = (slot: string, more: Partial<Upstream> = {}): Upstream => ({
  slot,
  name: slot,
  base: new URL('http://a'),
  ...more,
});
const witnessWith = (more: Partial<WitnessOptions>) => () =>
  new Witness({
    key: es256,
    place: 'isolated',
    upstreams: [upstream('up')],
    random: { bytes: (length) => randomBytes(length), uuid: () => randomUUID() },
    ...more,
  });

it('signs with ES256 alone', () => {
  const rsa = new SigningKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
  expect(witnessWith({})).not.toThrow();
  expect(witnessWith({ key: rsa })).toThrow(TypeError);
});

it('has no more upstreams than a receipt can name', () => {
  const upstreams = Array.from({ length: 17 }, (_, index) => upstream(`up-${index}`));
  expect(witnessWith({ upstreams: upstreams.slice(1) })).not.toThrow();
  expect(witnessWith({ upstreams })).toThrow(TypeError);
});

it('refuses a credential that no header can hold before it starts, and does not show it', () => {
  const credential = (header: string, value: string) =>
    witnessWith({ upstreams: [upstream('up', { credential: { header, value } })] });
  expect(credential('x-api-key', 'canary')).not.toThrow();
  for (const wrong of [credential('x-api-key', 'canary\n'), credential('x api key', 'canary')]) {
    expect(wrong).toThrow(TypeError);
    expect(wrong).not.toThrow('canary');
  }
});

it('gives every run its own token and id', () => {
  const witness = witnessWith({})();
  const asked = { agentName: 'a', agentVersion: '1', policyPackHash: `sha256:${'a'.repeat(64)}` };
  const runs = [witness.open(asked), witness.open(asked)];
  expect(new Set(runs.map(({ token }) => token)).size).toBe(2);
  expect(new Set(runs.map(({ run }) => run.opening.runId)).size).toBe(2);
  for (const { token } of runs) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
});
