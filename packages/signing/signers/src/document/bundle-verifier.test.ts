import { createIdentityPolicy } from '@colophon/sigstore';
import { ARTIFACT, draftBlob, draftStatement, toBytes } from '@colophon/testkit/local-sigstore/draft-bundle';
import { emailName, ISSUER, LocalSigstore, uriName } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, test } from 'vitest';
import { verifySignedDocument } from './bundle-verifier.ts';

const local = new LocalSigstore();
const policy = createIdentityPolicy({ issuer: ISSUER, subjectRegExp: '^agent:.*' });
const signed = { artifact: ARTIFACT, bundle: toBytes(draftBlob(local)) };

test('a signature over a document says who signed, under which names, when, where it is logged, and that an agent is no person', () => {
  const { certificate_identity, log_entry, checks, ...verified } = verifySignedDocument(
    signed,
    { policy },
    local.trust,
  );
  const subject = certificate_identity?.subject;
  expect(verified).toEqual({
    kind: 'sigstore',
    signer: subject,
    names: [subject, `${subject} certified by ${ISSUER}`],
    is_person: false,
    signed_at: expect.stringMatching(/Z$/),
  });
  expect(log_entry).toMatchObject({ log_index: expect.any(Number), integrated_at: verified.signed_at });
  expect(checks.length).toBeGreaterThan(2);
});

test('who attests something about a document has not signed it', () => {
  const bundle = toBytes(draftStatement(local));
  expect(() => verifySignedDocument({ artifact: ARTIFACT, bundle }, { policy }, local.trust)).toThrow(
    expect.objectContaining({ code: 'signature.not_a_signature' }),
  );
});

test('another document, or another signer, is refused', () => {
  const other = { ...signed, artifact: Buffer.from('another') };
  expect(() => verifySignedDocument(other, { policy }, local.trust)).toThrow();
  const somebody = createIdentityPolicy({ issuer: ISSUER, subject: 'reviewer:dana@example.com' });
  expect(() => verifySignedDocument(signed, { policy: somebody }, local.trust)).toThrow(
    expect.objectContaining({ code: 'identity.subject_mismatch' }),
  );
});

test('whoever pins an issuer by its name takes its addresses for people; a pattern says nothing of them', () => {
  const SSO = 'https://sso.example';
  const by = (san: Uint8Array, pinned: object) => {
    const leaf = { claims: { iss: SSO }, sans: [san] };
    const bundle = toBytes(draftBlob(local, ARTIFACT, leaf));
    const byAnybody = createIdentityPolicy({ gatedElsewhere: true, ...pinned });
    return verifySignedDocument({ artifact: ARTIFACT, bundle }, { policy: byAnybody }, local.trust).is_person;
  };
  expect(by(emailName('dana@example.com'), { issuer: SSO })).toBe(true);
  expect(by(emailName('dana@example.com'), { issuerRegExp: 'https://(sso|ci)[.]example' })).toBe(false);
  expect(by(emailName('builder@acme.iam.gserviceaccount.com'), { issuer: SSO })).toBe(false);
  expect(by(uriName('dana@example.com'), { issuer: SSO })).toBe(false);
});
