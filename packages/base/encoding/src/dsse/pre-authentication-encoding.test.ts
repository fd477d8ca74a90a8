import { expect, it } from 'vitest';
import { preAuthenticationEncoding } from './pre-authentication-encoding.ts';

const text = (payloadType: string, payload: string) =>
  new TextDecoder().decode(preAuthenticationEncoding({ payloadType, payload: new TextEncoder().encode(payload) }));

it('is the one of the DSSE specification', () => {
  expect(text('http://example.com/HelloWorld', 'hello world')).toBe(
    'DSSEv1 29 http://example.com/HelloWorld 11 hello world',
  );
});

it('counts bytes, not characters', () => {
  expect(text('ü', 'ä')).toBe('DSSEv1 2 ü 2 ä');
  expect(text('', '')).toBe('DSSEv1 0  0 ');
});
