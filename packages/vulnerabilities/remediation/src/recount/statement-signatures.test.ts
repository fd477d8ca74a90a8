import type { RemediationRecord } from '@colophon/records';
import type { DocumentVerifier } from '@colophon/signers';
import { describe, expect, test } from 'vitest';
import { verifyStatements } from './statement-signatures.ts';

const digest = (kind: string, index: number) => `sha256:${kind}${String(index).padStart(62, '0')}`;
const record = (vex: number, signatures: number) =>
  ({
    evidence: [
      ...Array.from({ length: vex }, (_, index) => ({ kind: 'vex', digest: digest('a', index), name: 'v' })),
      ...Array.from({ length: signatures }, (_, index) => ({
        kind: 'signature',
        digest: digest('b', index),
        name: 's',
      })),
    ],
    closing_signature: null,
  }) as unknown as RemediationRecord;
const bytesOf = async (name: string) => new TextEncoder().encode(name);

/** Verifies the signature of this number, and says of every other what `otherwise` is. */
function verifier(right: number, otherwise: string): { verify: DocumentVerifier; tried: () => number } {
  let tried = 0;
  const verify = (async (_document, signature) => {
    tried += 1;
    if (new TextDecoder().decode(signature) === digest('b', right)) return { signer: 'dana' };
    throw Object.assign(new Error('no'), { code: otherwise });
  }) as DocumentVerifier;
  return { verify, tried: () => tried };
}

describe('a statement with several signatures', () => {
  test.each([
    [1, 'bundle.signature_invalid', { state: 'verified', signer: 'dana' }],
    [9, 'openpgp.other_key', { state: 'unchecked', code: 'openpgp.other_key' }],
    [9, 'bundle.signature_invalid', { state: 'broken', code: 'bundle.signature_invalid' }],
  ])('of which number %i is right and the others are %s is %o', async (right, otherwise, expected) => {
    const { verify } = verifier(right, otherwise);
    expect(await verifyStatements([record(1, 3)], bytesOf, verify)).toEqual([{ digest: digest('a', 0), ...expected }]);
  });

  test('of thousands is not verified without end, and does not pass for one that nobody checks', async () => {
    const { verify, tried } = verifier(-1, 'openpgp.other_key');
    const found = await verifyStatements([record(50, 5_000)], bytesOf, verify);
    expect(new Set(found.map(({ state }) => state))).toEqual(new Set(['broken']));
    expect(tried()).toBeLessThan(50 * 100);
  });
});
