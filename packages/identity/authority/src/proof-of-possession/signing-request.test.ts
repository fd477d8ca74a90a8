import { derOid, derSequence, formatPem } from '@colophon/encoding';
import { expect, test } from 'vitest';
import { refusalCode } from '../../test/refusal.ts';
import { makeSigner } from '../../test/signer.ts';
import { signingRequestOf } from '../../test/signing-request.ts';
import { verifySigningRequest } from './signing-request.ts';

function codeOf(pem: Uint8Array): string | undefined {
  try {
    verifySigningRequest(pem);
  } catch (error) {
    return refusalCode(error);
  }
  return undefined;
}

test.each([
  ['P-256', 'sha256'],
  ['P-384', 'sha384'],
  ['P-521', 'sha512'],
  ['P-256', 'sha384'],
  ['rsa', 'sha256'],
  ['rsa', 'sha384'],
  ['rsa', 'sha512'],
  ['ed25519', null],
] as const)('a request by a %s key, signed with %s, proves possession', (kind, digest) => {
  const signer = makeSigner(kind);
  expect(verifySigningRequest(signingRequestOf(signer, digest)).equals(signer.publicKey)).toBe(true);
  const other = signingRequestOf(signer, digest, { by: makeSigner(kind) });
  expect(codeOf(other)).toBe('authority.proof_invalid');
});

test('the old label of a request is read too, another is not, nor two requests', () => {
  const signer = makeSigner();
  const request = signingRequestOf(signer, 'sha256');
  expect(codeOf(signingRequestOf(signer, 'sha256', { label: 'NEW CERTIFICATE REQUEST' }))).toBeUndefined();
  expect(codeOf(signingRequestOf(signer, 'sha256', { label: 'CERTIFICATE' }))).toBe(
    'authority.signing_request_invalid',
  );
  expect(codeOf(Buffer.concat([request, request]))).toBe('authority.signing_request_invalid');
});

test('a signature algorithm that is unknown, or of another kind of key, is refused', () => {
  const signer = makeSigner();
  expect(codeOf(signingRequestOf(signer, 'sha256', { oid: '1.2.840.10045.4.1' }))).toBe(
    'authority.signing_request_invalid',
  );
  expect(codeOf(signingRequestOf(signer, 'sha256', { oid: '1.2.840.113549.1.1.11' }))).toBe('authority.proof_invalid');
});

test('weak and unreadable keys are refused', () => {
  expect(codeOf(signingRequestOf(makeSigner('rsa', 1024), 'sha256'))).toBe('authority.public_key_weak');
});

test.each([
  ['nothing', new Uint8Array()],
  ['text', Buffer.from('hello')],
  ['PEM that is not DER', Buffer.from(formatPem('CERTIFICATE REQUEST', Uint8Array.of(1, 2, 3)))],
  ['an empty sequence', Buffer.from(formatPem('CERTIFICATE REQUEST', derSequence()))],
  [
    'no key',
    Buffer.from(formatPem('CERTIFICATE REQUEST', derSequence(derSequence(), derSequence(derOid('1.3.101.112'))))),
  ],
])('%s is not a request', (_, pem) => {
  expect(codeOf(pem)).toBe('authority.signing_request_invalid');
});
