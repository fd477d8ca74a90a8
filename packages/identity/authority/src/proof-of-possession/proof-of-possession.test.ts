import { sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { refusalCode } from '../../test/refusal.ts';
import { makeSigner, proofOver, type Signer } from '../../test/signer.ts';
import { digestOf, verifyProofOfPossession } from './proof-of-possession.ts';

const SUBJECT = 'agent:code-writer';

function codeOf(signer: Signer, proof: Uint8Array, subject = SUBJECT): string | undefined {
  try {
    verifyProofOfPossession({ content: Buffer.from(signer.pem), proof, subject });
  } catch (error) {
    return refusalCode(error);
  }
  return undefined;
}

test.each([
  ['P-256', 'sha256'],
  ['P-384', 'sha384'],
  ['P-521', 'sha512'],
  ['rsa', 'sha256'],
  ['ed25519', null],
] as const)('a %s key signs the subject with %s', (kind, digest) => {
  const signer = makeSigner(kind);
  expect(digestOf(signer.publicKey)).toBe(digest);
  const proof = proofOver(signer, SUBJECT, digest);
  const key = verifyProofOfPossession({ content: Buffer.from(signer.pem), proof, subject: SUBJECT });
  expect(key.equals(signer.publicKey)).toBe(true);
  expect(codeOf(signer, proof, `${SUBJECT}2`)).toBe('authority.proof_invalid');
  for (const other of ['sha256', 'sha384', 'sha512'].filter((name) => name !== digest && digest !== null)) {
    expect(codeOf(signer, proofOver(signer, SUBJECT, other)), other).toBe('authority.proof_invalid');
  }
});

test('a proof by another key, over another string, empty or cut off is refused', () => {
  const signer = makeSigner();
  const proof = proofOver(signer, SUBJECT);
  expect(codeOf(signer, proofOver(makeSigner(), SUBJECT))).toBe('authority.proof_invalid');
  expect(codeOf(signer, proofOver(signer, ''))).toBe('authority.proof_invalid');
  expect(codeOf(signer, proofOver(signer, 'reviewer@example.com'))).toBe('authority.proof_invalid');
  expect(codeOf(signer, new Uint8Array())).toBe('authority.proof_invalid');
  expect(codeOf(signer, proof.subarray(0, -1))).toBe('authority.proof_invalid');
  expect(
    codeOf(signer, sign('sha256', Buffer.from(SUBJECT), { key: signer.privateKey, dsaEncoding: 'ieee-p1363' })),
  ).toBe('authority.proof_invalid');
});

test('a subject is signed in UTF-8', () => {
  const signer = makeSigner();
  expect(codeOf(signer, proofOver(signer, 'é'), 'é')).toBeUndefined();
});

test('a key that is unreadable or weak is refused, however good its proof', () => {
  const weak = makeSigner('rsa', 1024);
  expect(codeOf(weak, proofOver(weak, SUBJECT))).toBe('authority.public_key_weak');
  expect(codeOf({ ...weak, pem: 'x' }, proofOver(weak, SUBJECT))).toBe('authority.public_key_invalid');
});
