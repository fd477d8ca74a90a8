import { expect, test } from 'vitest';
import { isPrivateAddress } from './private-address.ts';

test.each([
  ...['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0', '10.1.2.3', '172.31.255.255', '192.168.0.1'],
  ...['169.254.169.254', '100.64.0.1', 'localhost', 'LOCALHOST.', 'a.localhost', '[::1]', '[::]', '[::ffff:127.0.0.1]'],
  ...['[::ffff:a9fe:a9fe]', '[64:ff9b::a9fe:a9fe]', '[fc00::1]', '[fd12::1]', '[fe80::1]', '①②⑦.0.0.1'],
  ...['198.18.0.1', '192.0.0.170', '224.0.0.1', '255.255.255.255', '[fec0::1]', '[ff02::1]', '[::7f00:1]'],
  ...['[2002:7f00:1::]', '[64:ff9b:1::1]', '[::ffff:0:a00:1]', '[2001:0:1::]', '[100::1]', '192.88.99.1'],
])('%s is private', (host) => {
  expect(isPrivateAddress(new URL(`https://${host}/`))).toBe(true);
});

test.each([
  'registry.example',
  '8.8.8.8',
  '172.32.0.1',
  '198.20.0.1',
  '192.0.1.1',
  '223.255.255.255',
  '[2001:db8::1]',
  '[::ffff:8.8.8.8]',
  'localhost.example',
  '10.example',
])('%s is not', (host) => {
  expect(isPrivateAddress(new URL(`https://${host}/`))).toBe(false);
});
