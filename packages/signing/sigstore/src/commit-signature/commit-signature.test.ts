import { COMMIT, type CommitOptions, draftCommitSignature } from '@colophon/testkit/local-sigstore/draft-commit';
import { CLAIMS, ISSUER, LocalSigstore, newKeys } from '@colophon/testkit/local-sigstore/local-sigstore';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VerificationError } from '../verify/verification-error.ts';
import { readCommitSigner, verifyCommit } from './commit-signature.ts';

const local = new LocalSigstore();
const { trust } = local;

function codeOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof VerificationError) return error.code;
    throw error;
  }
  return 'accepted';
}

const verdict = (options: CommitOptions = {}, signed: Uint8Array = COMMIT) =>
  codeOf(() => verifyCommit({ armoured: draftCommitSignature(local, options), signed, trust }));

test('a commit that an agent signed verifies: content, signature, certificate, log, time', () => {
  const armoured = draftCommitSignature(local);
  const { signature, checks } = verifyCommit({ armoured, signed: COMMIT, trust });
  expect(signature.certificate_identity).toMatchObject({ subject: 'agent:code-writer', issuer: ISSUER });
  expect(signature.certificate_identity.claims).toMatchObject({
    model_id: CLAIMS.model_id,
    prompt_hash: CLAIMS.prompt_hash,
  });
  expect(checks.map(({ check }) => check)).toContain('log_entry.inclusion');
  expect(readCommitSigner(armoured)).toEqual(signature.certificate_identity);
});

describe('a commit is refused', () => {
  test.each<[what: string, code: string, options: CommitOptions, signed?: Uint8Array]>([
    ['that says something else than was signed', 'artifact.mismatch', {}, Buffer.concat([COMMIT, Buffer.from('\n')])],
    ['whose signature is about another commit', 'artifact.mismatch', { signed: Buffer.from('other') }],
    ['whose log entry is only in the log', 'log_entry.missing', { withoutEntry: true }],
    ['with the log entry of another signature', 'log_entry.inclusion_proof_invalid', { strangeEntry: true }],
    [
      'whose certificate has expired',
      'certificate.expired',
      { notBefore: new Date('2026-01-02'), notAfter: new Date('2026-01-03') },
    ],
    [
      'whose certificate is by a stranger',
      'certificate.untrusted',
      { issuer: { keys: newKeys(), name: 'intermediate' } },
    ],
    ['whose certificate is in no CT log', 'sct.missing', { sctBy: 'nobody' }],
    ['with a weak digest', 'signature.malformed', { digestAlgorithm: '1.3.14.3.2.26' }],
    ['with other content', 'signature.malformed', { contentType: '1.2.840.113549.1.7.2' }],
    ['that brings its own message', 'signature.malformed', { message: COMMIT }],
    ['with two signers', 'signature.malformed', { signers: 2 }],
    ['with no signer', 'signature.malformed', { signers: 0 }],
    ['whose certificate is another than the signer names', 'signature.malformed', { serial: 4712 }],
  ])('%s: %s', (_, code, options, signed) => {
    expect(verdict(options, signed)).toBe(code);
  });

  test.each([
    '',
    'x',
    '-----BEGIN PGP SIGNATURE-----\n\nAA==\n-----END PGP SIGNATURE-----',
    '-----BEGIN SIGNED MESSAGE-----\nAAAA\n-----END SIGNED MESSAGE-----',
  ])('with %j for a signature', (armoured) => {
    expect(codeOf(() => verifyCommit({ armoured, signed: COMMIT, trust }))).toBe('signature.malformed');
    expect(codeOf(() => readCommitSigner(armoured))).toBe('signature.malformed');
  });
});

// Of two blocks another reader may take the other one; the rest git does not verify with gitsign, whose decoder refuses
// what Node's leaves out: everything behind the first `=`.
test.each<[what: string, change: (armoured: string) => string]>([
  ['more behind its padding', (armoured) => armoured.replace('\n-----END', '====\nbW9yZQ\n-----END')],
  ['more padding than it needs', (armoured) => armoured.replace('\n-----END', '====\n-----END')],
  ['another signature behind it', (armoured) => armoured + draftCommitSignature(local)],
  ['another end', (armoured) => armoured.replace('END SIGNED MESSAGE', 'END CMS')],
])('a commit whose signature has %s is refused', (_what, change) => {
  const armoured = draftCommitSignature(local);
  expect(codeOf(() => verifyCommit({ armoured: `\n${armoured}\n`, signed: COMMIT, trust }))).toBe('accepted');
  expect(codeOf(() => verifyCommit({ armoured: change(armoured), signed: COMMIT, trust }))).toBe('signature.malformed');
});

test('a certificate whose parts are not where they belong is refused, and breaks nothing', () => {
  const der = Buffer.from(draftCommitSignature(local).replace(/-----[^-]+-----|\s/g, ''), 'base64');
  // The version, [0] EXPLICIT with an INTEGER in it, and before it the SEQUENCE of all parts with a length of three bytes.
  const version = der.indexOf(Buffer.from([0xa0, 0x03, 0x02, 0x01, 0x02]));
  expect([version > 0, der[version - 4]]).toEqual([true, 0x30]);
  for (const at of [version - 4, version])
    for (let tag = 0; tag < 256; tag += 1) {
      if (tag === der[at]) continue;
      const changed = Buffer.from(der);
      changed[at] = tag;
      const armoured = `-----BEGIN SIGNED MESSAGE-----\n${changed.toString('base64')}\n-----END SIGNED MESSAGE-----`;
      expect(codeOf(() => verifyCommit({ armoured, signed: COMMIT, trust }))).not.toBe('accepted');
    }
});

test('no byte of a signature can be another one', () => {
  const armoured = draftCommitSignature(local);
  const der = Buffer.from(armoured.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  // Not covered by anything: CMS's own version numbers, the algorithms named beside the signer's, and the issuer's name
  // in front of the serial number. None of them is used.
  const accepted: number[] = [];
  fc.assert(
    fc.property(fc.nat({ max: der.length - 1 }), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const changed = Buffer.from(der);
      changed[at] = (changed[at] as number) ^ flip;
      const text = `-----BEGIN SIGNED MESSAGE-----\n${changed.toString('base64')}\n-----END SIGNED MESSAGE-----`;
      let identity: unknown;
      try {
        identity = verifyCommit({ armoured: text, signed: COMMIT, trust }).signature.certificate_identity;
      } catch (error) {
        if (!(error instanceof VerificationError)) throw error;
        return;
      }
      accepted.push(at);
      expect(identity).toEqual(readCommitSigner(armoured));
    }),
    { numRuns: 400 },
  );
  expect(accepted.length).toBeLessThan(40);
});
