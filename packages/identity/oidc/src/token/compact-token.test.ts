import { encodeSegment, makeIssuerKey, mintToken } from '@colophon/testkit';
import { expect, test } from 'vitest';
import { faultOf } from '../../test/refusal.ts';
import { MAX_TOKEN_LENGTH, parseCompactToken } from './compact-token.ts';

const token = mintToken(makeIssuerKey('RS256'), { iss: 'x' });
const [head, body, signature] = token.split('.') as [string, string, string];

function codeOf(value: unknown): string | undefined {
  try {
    parseCompactToken(value);
  } catch (error) {
    return faultOf(error);
  }
  return undefined;
}

test('a token comes apart into what was signed and the signature', () => {
  const parts = parseCompactToken(token);
  expect(parts.header).toEqual({ alg: 'RS256', kid: 'kid-RS256', typ: 'JWT' });
  expect(parts.payload).toEqual({ iss: 'x' });
  expect(parts.signingInput).toBe(`${head}.${body}`);
  expect(Buffer.from(parts.signature).toString('base64url')).toBe(signature);
});

test.each([[undefined], [null], [''], [7], [['a.b.c']]])('%j is no token', (value) => {
  expect(codeOf(value)).toBe('token_missing');
});

test.each([
  ['a trailing space', `${token} `],
  ['a leading space', ` ${token}`],
  ['a trailing newline', `${token}\n`],
  ['padding', `${token}=`],
  ['a newline inside the signature', `${head}.${body}.${signature.slice(0, 10)}\n${signature.slice(10)}`],
  ['standard base64 instead of base64url', `${head}.${body}.${signature.slice(0, -4)}+/AA`],
  ['an empty header', `.${body}.${signature}`],
  ['an empty payload', `${head}..${signature}`],
  ['an empty signature', `${head}.${body}.`],
  ['two segments', `${head}.${body}`],
  ['one segment', head],
  ['four segments', `${token}.${signature}`],
  ['five segments, as an encrypted token has', `${token}.${signature}.${signature}`],
  ['a header that is not JSON', `${encodeSegment('{')}.${body}.${signature}`],
  ['a header that is a list', `${encodeSegment('[]')}.${body}.${signature}`],
  ['a payload that is a list', `${head}.${encodeSegment('[]')}.${signature}`],
  ['a payload with a claim twice', `${head}.${encodeSegment('{"iss":"a","iss":"b"}')}.${signature}`],
  ['a payload that is not UTF-8', `${head}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.${signature}`],
])('%s is refused', (_, malleated) => {
  expect(codeOf(malleated)).toBe('token_malformed');
});

test('set trailing bits in the last character are refused: they would decode to the same signature', () => {
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const changed = last[last.indexOf(signature.at(-1)!) ^ 1]!;
  const twin = `${head}.${body}.${signature.slice(0, -1)}${changed}`;
  expect(Buffer.from(twin.split('.')[2]!, 'base64url').equals(Buffer.from(signature, 'base64url'))).toBe(true);
  expect(codeOf(twin)).toBe('token_malformed');
});

test('a token is at most 16 KiB, whatever it consists of', () => {
  expect(codeOf('.'.repeat(1_000_000))).toBe('token_too_large');
  expect(codeOf('a'.repeat(MAX_TOKEN_LENGTH + 1))).toBe('token_too_large');
  expect(codeOf('.'.repeat(MAX_TOKEN_LENGTH))).toBe('token_malformed');
  const filler = 'A'.repeat(MAX_TOKEN_LENGTH - head.length - body.length - 2);
  expect(codeOf(`${head}.${body}.${filler}`)).toBeUndefined();
});

test('a refusal says which part of the token is wrong', () => {
  const bad = `${encodeSegment('{')}`;
  for (const [malleated, part] of [
    [`${bad}.${body}.${signature}`, 'header'],
    [`${head}.${bad}.${signature}`, 'payload'],
    [`${head}.${body}.A`, 'signature'],
    [`${head}.${body}`, 'three segments'],
  ]) {
    expect(() => parseCompactToken(malleated)).toThrow(part);
  }
});
