import { expect, test } from 'vitest';
import { documentWithoutSecrets, withoutSecrets } from './secrets.ts';

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZ2VudDp4In0.c2lnbmF0dXJl';
const API_KEY = `colophon_AbCdEfGhIjKl_${'x9'.repeat(24)}x`;

test.each([
  [`too many arguments: a, ${TOKEN}.`, 'too many arguments: a, <token>'],
  [`'${TOKEN.slice(0, 30)}' is no file`, "'<token>' is no file"],
  ['http://user:hunter2@localhost:7080/x is no issuer', 'http://<login>@localhost:7080/x is no issuer'],
  [
    '-----BEGIN PRIVATE KEY-----\\nMC4C\\n-----END PRIVATE KEY-----: there is no such file',
    '<private key>: there is no such file',
  ],
  ['x -----BEGIN PGP PRIVATE KEY BLOCK-----\nlFgEZ', 'x <private key>'],
  [`no '${API_KEY}' here`, "no '<API key>' here"],
  [`--key=${API_KEY.slice(0, 30)}`, '--key=<API key>'],
  ['HTTPS://hunter2@h', 'HTTPS://<login>@h'],
])('%s', (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown);
});

test.each([
  'agent:code-writer of http://localhost:7080, alice@example.com',
  'localhost:7080/webshop@sha256:42382dfa9e0c17089bbd2e7696fa2ebe6c174c82a53303cfa85759722abf9d83',
  'authority.entry_not_found',
  'colophon_signing_config, colophon_AbCdEfGhIjKl',
  'http://localhost:7080/a@b',
])('%s is no secret', (text) => {
  expect(withoutSecrets(text)).toBe(text);
});

test('a document is cleaned in every text, and otherwise the same', () => {
  expect(documentWithoutSecrets({ a: [TOKEN, 1, null], b: { c: `x ${TOKEN}` } })).toEqual({
    a: ['<token>', 1, null],
    b: { c: 'x <token>' },
  });
});
