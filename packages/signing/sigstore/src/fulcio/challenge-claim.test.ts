import { createPublicKey, verify } from 'node:crypto';
import { emailName, FULCIO_URL, LocalSigstore, REKOR_URL } from '@colophon/testkit/local-sigstore/local-sigstore';
import { expect, test } from 'vitest';
import { signingFailure as failure } from '../../test/signing-failure.ts';
import { signBlob } from '../sign/sign.ts';

const SSO = 'https://sso.example';
const DANA = { iss: SSO, sub: 'CgVkYW5h', email: 'dana@example.com', email_verified: true };
const CONFIGURATION = '/api/v2/configuration';

/** What Fulcio v1.8.8 answers, with the claim that it challenges for each issuer. */
const listed = (...issuers: ReadonlyArray<readonly [issuer: string, claim: unknown]>) => ({
  issuers: issuers.map(([issuerUrl, challengeClaim]) => ({ issuerUrl, audience: 'sigstore', challengeClaim })),
});

/** Signs by a token, at an authority with this answer to whoever asks for its configuration; says what was proven. */
async function provenBy(claims: object, configuration: unknown, status = 200, certified?: string) {
  const local = new LocalSigstore();
  const issue = local.issue.bind(local);
  const address = certified ?? DANA.email;
  local.issue = (publicKey) => issue(publicKey, { claims: { iss: SSO }, sans: [emailName(address)] });
  const proofs: string[] = [];
  const usual = local.answer.bind(local);
  local.answer = (method, url, body) => {
    if (url.pathname === CONFIGURATION) return Response.json(configuration, { status });
    if (url.pathname !== '/api/v2/signingCert') return usual(method, url, body);
    const { publicKey, proofOfPossession } = JSON.parse(body).publicKeyRequest;
    const key = createPublicKey(publicKey.content);
    const proof = Buffer.from(proofOfPossession, 'base64');
    for (const text of [DANA.sub, DANA.email]) if (verify('sha256', Buffer.from(text), key, proof)) proofs.push(text);
    const certificate = local.issue(key).toString('base64');
    const pem = `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----`;
    return Response.json({ signedCertificateEmbeddedSct: { chain: { certificates: [pem] } } });
  };
  const token = local.token(claims as never);
  await signBlob({
    ...{ artifact: Buffer.from('x'), fulcioUrl: FULCIO_URL, rekorUrl: REKOR_URL, retries: 0 },
    ...{ identityToken: async () => token, fetch: local.fetch },
  });
  return { proofs, isAsked: local.requests.some(({ path }) => path === CONFIGURATION) };
}

test('the key proves the claim that the authority challenges for exactly this issuer', async () => {
  const other = ['https://sso.example/', 'sub'] as const;
  expect((await provenBy(DANA, listed(other, [SSO, 'email']))).proofs).toEqual([DANA.email]);
  expect((await provenBy(DANA, listed(other, [SSO, 'sub']))).proofs).toEqual([DANA.sub]);
  // It may leave unverified addresses to the issuer; that is its own business.
  const unverified = { ...DANA, email_verified: false };
  expect((await provenBy(unverified, listed([SSO, 'email']))).proofs).toEqual([DANA.email]);
});

test.each([
  ['does not list the issuer', listed(['https://sso.example/', 'sub']), 200],
  [
    'lists it among patterns only',
    { issuers: [{ wildcardIssuerUrl: 'https://*.example', challengeClaim: 'sub' }] },
    200,
  ],
  ['shows no configuration', { code: 5, message: 'Not Found' }, 404],
])('where the authority %s, the key proves a verified address, else the subject', async (_title, answer, status) => {
  expect((await provenBy(DANA, answer, status)).proofs).toEqual([DANA.email]);
  expect((await provenBy({ ...DANA, email_verified: false }, answer, status)).proofs).toEqual([DANA.sub]);
  const { email_verified, ...unsaid } = DANA;
  expect((await provenBy(unsaid, answer, status)).proofs).toEqual([DANA.sub]);
});

test('a token without an address, and one with a subject of ours, prove the subject and ask nothing', async () => {
  const { email, email_verified, ...bare } = DANA;
  expect(await provenBy(bare, listed([SSO, 'email']))).toEqual({ proofs: [DANA.sub], isAsked: false });
});

test('a certificate for another address than the one that was proven is not ours', async () => {
  const error = await failure(provenBy(DANA, listed([SSO, 'email']), 200, 'mallory@example.com'));
  expect(error.code).toBe('signing.certificate_not_ours');
});

test.each([
  [503, listed(), DANA, 'signing.ca_unavailable'],
  [200, [], DANA, 'signing.ca_answer_invalid'],
  [200, listed([SSO, 'phone']), DANA, 'signing.token_malformed'],
  [200, listed([SSO, ['email']]), DANA, 'signing.token_malformed'],
  [200, listed([SSO, 'email']), { ...DANA, email: ['dana@example.com'] }, 'signing.token_malformed'],
])('HTTP %i with %j, and a token of %j: %s', async (status, answer, claims, code) => {
  expect((await failure(provenBy(claims, answer, status))).code).toBe(code);
});
