import { expect, test } from 'vitest';
import { isLoopback } from '../address/web-address.ts';
import { blockListOf, isDirect } from './direct-hosts.ts';

const networks = blockListOf(['10.0.0.0/8', 'fd00::/8', 'mirror.example', '1.2.3.4/33', '::/129', '192.168.1.1']);

test.each([
  'http://localhost:1',
  'http://registry.localhost',
  'http://127.0.0.1',
  'http://127.0.0.2:45998/api',
  'http://127.1',
  'http://0x7f000003',
  'http://0.0.0.0:5000',
  'http://[::1]:1',
  'http://[::]',
  'http://[::ffff:127.0.0.9]',
  'http://10.255.255.1',
  'http://[fd12::1]',
])('%s is asked without a proxy', (address) => {
  expect(isDirect(new URL(address), networks)).toBe(true);
});

test.each(['http://mirror.example', 'http://11.0.0.1', 'http://1.2.3.4', 'http://192.168.1.1', 'http://[fc00::1]'])(
  'of %s Node decides',
  (address) => {
    expect(isDirect(new URL(address), networks)).toBe(false);
  },
);

test('whatever counts as this machine where a credential is sent over plain http is never asked through a proxy', () => {
  const none = blockListOf([]);
  for (const host of ['localhost', '[::1]', ...Array.from({ length: 256 }, (_, n) => `127.${n}.${255 - n}.${n}`)]) {
    const url = new URL(`http://${host}:7080`);
    expect([host, isLoopback(url), isDirect(url, none)]).toEqual([host, true, true]);
  }
});
