import { expect, it } from 'vitest';
import { agentBaseUrl, nameOfAddress, upstreamAddress } from './upstream.ts';

const base = (address: string) => ({ slot: 'slot', base: new URL(address) });

it.each([
  ['https://api.anthropic.com', 'http://w/T/slot', 'https://api.anthropic.com'],
  ['https://api.openai.com/v1', 'http://w/T/slot/v1', 'https://api.openai.com/v1'],
  ['https://gw.example:8443/a/b//', 'http://w/T/slot/a/b', 'https://gw.example:8443/a/b'],
  ['https://user:secret@gw.example/a?key=secret#x', 'http://w/T/slot/a', 'https://gw.example/a'],
])('%s is reached at %s, and written as %s', (address, reached, written) => {
  expect(agentBaseUrl('http://w', 'T', base(address))).toBe(reached);
  expect(upstreamAddress(base(address))).toBe(written);
});

it.each([
  ['https://api.anthropic.com', 'anthropic'],
  ['https://api.openai.com/v1', 'openai'],
  ['https://api.openai.com', 'self-hosted'],
  ['http://api.anthropic.com', 'self-hosted'],
  ['https://api.anthropic.com.evil.example', 'self-hosted'],
  ['https://api.anthropic.com:8443', 'self-hosted'],
  ['toString', 'self-hosted'],
])('the server at %s is called %s', (address, name) => {
  expect(nameOfAddress(address)).toBe(name);
});
