import { expect, test } from 'vitest';
import { isKeyAddress } from './key-address.ts';

test.each([
  'https://ci.example',
  'https://ci.example/org/jwks?a=b',
  'https://10.0.0.1:6443/openid/v1/jwks',
  'http://localhost:7080/jwks',
  'http://127.0.0.1:7080',
  'http://[::1]:7080',
])('%j is an address for keys', (address) => {
  expect(isKeyAddress(address)).toBe(true);
});

test.each([
  '',
  'ci.example',
  'http://ci.example',
  'http://localhost.evil.example',
  'http://127.0.0.1.evil.example',
  'http://localhost@evil.example',
  'https://user@ci.example',
  'https://user:secret@ci.example',
  'https://ci.example/#',
  'https://ci.example\n',
  ' https://ci.example',
  'https://ci.exa\tmple',
  'https://сi.example',
  'file:///etc/keys.json',
  'data:application/json,{}',
  'ftp://ci.example',
])('%j is none', (address) => {
  expect(isKeyAddress(address)).toBe(false);
});
