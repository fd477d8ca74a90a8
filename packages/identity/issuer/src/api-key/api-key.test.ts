import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { seededBytes } from '@colophon/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apiKeyIdIn, createApiKey, isApiKey, isApiKeyId, parseApiKey } from './api-key.ts';
import { encodeBase62, randomBase62 } from './base62.ts';

let draws = 0;
const bytes = (length: number) => seededBytes(`draw ${draws++}`, length);
const key = () => createApiKey(bytes);

/** The text with the checksum that belongs to it. */
const checked = (unchecked: string) => unchecked + encodeBase62(BigInt(crc32(unchecked)), 6);

test('a key has one form, which a scanner finds by a pattern, and is read as it was made', () => {
  for (let i = 0; i < 200; i += 1) {
    const { id, text, secretHash } = key();
    expect(text).toMatch(/^colophon_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    expect(text).toHaveLength(71);
    expect(parseApiKey(text)).toEqual({ ok: true, id, secretHash });
    expect(Buffer.from(secretHash).toString('hex')).toBe(createHash('sha256').update(text).digest('hex'));
    expect(isApiKeyId(id)).toBe(true);
    expect(checked(text.slice(0, -6))).toBe(text);
  }
});

test('no prefix of a key is a key, nor is one with anything around it', () => {
  const { text } = key();
  for (let length = 0; length < text.length; length += 1) {
    expect(parseApiKey(text.slice(0, length))).toEqual({ ok: false, reason: 'malformed' });
  }
  for (const other of [`${text}0`, ` ${text}`, `${text} `, `${text}\n`, `\n${text}`, `${text}=`, `${text}${text}`]) {
    expect(parseApiKey(other)).toEqual({ ok: false, reason: 'malformed' });
  }
});

test('a key with one character mistyped, or two exchanged, is told by its checksum', () => {
  const { text } = key();
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  for (let at = 9; at < text.length; at += 1) {
    if (text[at] === '_') continue;
    for (const digit of digits) {
      if (digit === text[at]) continue;
      const mistyped = text.slice(0, at) + digit + text.slice(at + 1);
      expect(parseApiKey(mistyped).ok, `${at}`).toBe(false);
    }
    const [one = '', other = ''] = text.slice(at, at + 2);
    if (other === '' || other === '_' || one === other) continue;
    expect(parseApiKey(text.slice(0, at) + other + one + text.slice(at + 2)).ok).toBe(false);
  }
  const wrong = text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
  expect(parseApiKey(wrong)).toEqual({ ok: false, reason: 'checksum' });
});

test('other spellings of a key are none', () => {
  const { text } = key();
  const [, id, rest = ''] = text.split('_');
  for (const other of [
    text.toUpperCase(),
    text.replace('colophon', 'Colophon'),
    text.replaceAll('_', '-'),
    `colophon_${id}__${rest.slice(1)}`,
    `colophon_${id}_-${rest.slice(1)}`,
    `colophon_${id}_０${rest.slice(1)}`,
  ]) {
    expect(parseApiKey(other)).toEqual({ ok: false, reason: 'malformed' });
  }
});

test('a secret is a number of 256 bits: the largest is read, one more is malformed though its checksum is right', () => {
  const of = (secret: bigint) => parseApiKey(checked(`colophon_AAAAAAAAAAAA_${encodeBase62(secret, 43)}`));
  expect(of(0n).ok).toBe(true);
  expect(of(2n ** 256n - 1n).ok).toBe(true);
  expect(of(2n ** 256n)).toEqual({ ok: false, reason: 'malformed' });
  expect(of(62n ** 43n - 1n)).toEqual({ ok: false, reason: 'malformed' });
});

test('whatever is read, nothing is thrown, and what is read is a key', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^colophon_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/)), (text) => {
      const parsed = parseApiKey(text);
      expect(parsed.ok).toBe(parsed.ok && checked(text.slice(0, -6)) === text);
    }),
  );
});

test('digits of an id are drawn again where a byte would make some likelier than others', () => {
  const drawn = [Uint8Array.of(255, 248, 0, 61), Uint8Array.of(62, 247)];
  const lengths: number[] = [];
  const text = randomBase62(4, (length) => {
    lengths.push(length);
    return drawn.shift()!;
  });
  expect([text, lengths]).toEqual(['0z0z', [4, 2]]);
});

test('an id always has a capital letter, so it is never the name of a caller', () => {
  const drawn = [new Uint8Array(12).fill(40), new Uint8Array(12).fill(10)];
  const { id } = createApiKey((length) => drawn.shift() ?? seededBytes('secret', length));
  expect(id).toBe('AAAAAAAAAAAA');
  const none = ['eeeeeeeeeeee', 'AAAA', 'AAAAAAAAAAAA_', '_AAAAAAAAAAAA', 'AAAAAAAAAAAAA', '012345678901'];
  expect(none.filter(isApiKeyId)).toEqual([]);
});

test('the id in what somebody took for a key is found in a whole, a cut and a mistyped one, and in nothing else', () => {
  const { id, text } = createApiKey((length) => new Uint8Array(length).fill(20));
  const found = [text, text.slice(0, 30), `colophon_${id}_`, `${text}x`].map(apiKeyIdIn);
  expect(found).toEqual([id, id, id, id]);
  const none = [
    '',
    id,
    `colophon_${id}`,
    `x${text}`,
    'colophon_abcdefghijkl_',
    'colophon_A_',
    `colophon_${'-'.repeat(12)}_`,
  ];
  expect(none.map(apiKeyIdIn)).toEqual(none.map(() => undefined));
});

test('a credential is meant as a key by its beginning', () => {
  expect(['colophon_', 'colophon_x', 'colophon', 'x_colophon_', 'eyJ'].map(isApiKey)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
