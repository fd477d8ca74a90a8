import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPem, parsePem } from './pem.ts';

test('what is written is read back, alone and among others', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }), { minLength: 1, maxLength: 4 }), (list) => {
      const text = list.map((der) => formatPem('CERTIFICATE', der)).join('');
      expect(parsePem(text)?.map(({ der }) => Buffer.from(der).toString('hex'))).toEqual(
        list.map((der) => Buffer.from(der).toString('hex')),
      );
    }),
  );
});

test('the written form is the one that OpenSSL writes', () => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' });
  expect(formatPem('PUBLIC KEY', publicKey.export({ type: 'spki', format: 'der' }))).toBe(pem);
});

test('Windows line ends and white space around blocks are fine', () => {
  const pem = formatPem('X', Uint8Array.of(1, 2, 3));
  expect(parsePem(`\n  ${pem.replaceAll('\n', '\r\n')}\r\n\r\n${pem}  `)).toHaveLength(2);
});

test.each([
  ['nothing', ''],
  ['text', 'hello'],
  ['text before', `hello\n${formatPem('X', Uint8Array.of(1))}`],
  ['text after', `${formatPem('X', Uint8Array.of(1))}hello`],
  ['another end', formatPem('X', Uint8Array.of(1)).replace('END X', 'END Y')],
  ['no end', '-----BEGIN X-----\nAQ==\n'],
  ['no content', '-----BEGIN X-----\n-----END X-----\n'],
  ['bad base64', '-----BEGIN X-----\nAQ=\n-----END X-----\n'],
  ['headers', '-----BEGIN X-----\nProc-Type: 4,ENCRYPTED\n\nAQ==\n-----END X-----\n'],
])('%s is refused', (_, text) => {
  expect(parsePem(text)).toBeUndefined();
});
