import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificateRequest as requestOf } from '../../test/certificate-request.ts';
import { JSON_TYPE, type RunningAuthority, runAuthority } from '../../test/running-authority.ts';
import { base64, makeSigner, proofOver } from '../../test/signer.ts';
import { signingRequestOf } from '../../test/signing-request.ts';
import { agentClaims, ISSUER, makeIssuerKey, mintToken } from '../../test/token-issuer.ts';

const key = makeIssuerKey();
const signer = makeSigner();
const certificateRequest = (token: string, by = signer, proof?: Uint8Array) => requestOf(token, by, proof);

let running: RunningAuthority;
beforeAll(async () => {
  running = await runAuthority({}, key);
});
afterAll(() => running.remove());

test('a token and a proof buy a certificate over Fulcio’s v2 path', async () => {
  const answer = await running.post('/api/v2/signingCert', certificateRequest(mintToken(key)));
  expect(answer.statusCode).toBe(200);
  const { certificates } = answer.json().signedCertificateEmbeddedSct.chain;
  expect(certificates).toHaveLength(3);
  expect(
    certificates.every((pem: string) => pem.startsWith('-----BEGIN CERTIFICATE-----\n') && pem.endsWith('E-----')),
  ).toBe(true);
  expect(certificates.slice(1).map((pem: string) => `${pem}\n`)).toEqual(running.authority.trust.caCertificates);
});

test('the v1 path takes the token as bearer and the key as base64, and answers 201 with PEM', async () => {
  const bearer = { ...JSON_TYPE, authorization: `Bearer ${mintToken(key)}` };
  const signedEmailAddress = base64(proofOver(signer, 'agent:code-writer'));
  const der = signer.publicKey.export({ type: 'spki', format: 'der' });
  for (const content of [base64(der), base64(signer.pem), signer.pem]) {
    const answer = await running.post(
      '/api/v1/signingCert',
      { publicKey: { algorithm: 'ecdsa', content }, signedEmailAddress },
      bearer,
    );
    expect(answer.statusCode).toBe(201);
    expect(answer.headers['content-type']).toBe('application/pem-certificate-chain');
    expect(answer.body.match(/BEGIN CERTIFICATE/g)).toHaveLength(3);
  }
});

test('a certificate signing request serves as proof on both paths, in either spelling of protobuf’s JSON', async () => {
  const certificateSigningRequest = base64(signingRequestOf(signer, 'sha256'));
  const credentials = { oidcIdentityToken: mintToken(key) };
  expect((await running.post('/api/v2/signingCert', { credentials, certificateSigningRequest })).statusCode).toBe(200);
  const bearer = { ...JSON_TYPE, authorization: `Bearer ${credentials.oidcIdentityToken}` };
  expect((await running.post('/api/v1/signingCert', { certificateSigningRequest }, bearer)).statusCode).toBe(201);
  const snake = {
    credentials: { oidc_identity_token: mintToken(key) },
    certificate_signing_request: certificateSigningRequest,
  };
  expect((await running.post('/api/v2/signingCert', snake)).statusCode).toBe(200);
});

/** The same proof to whoever skips what is no base64. */
function wronglyPadded({ credentials, publicKeyRequest }: ReturnType<typeof certificateRequest>) {
  const proofOfPossession = publicKeyRequest.proofOfPossession.replace(/=*$/, (end) => (end === '=' ? '==' : '='));
  return { credentials, publicKeyRequest: { ...publicKeyRequest, proofOfPossession } };
}

test.each([
  ['no token', { publicKeyRequest: {} }, 'authority.public_key_invalid'],
  ['an empty token', certificateRequest(''), 'authority.token_missing'],
  ['null for everything', { credentials: null, publicKeyRequest: null }, 'authority.public_key_invalid'],
  ['a token of dots', certificateRequest('.'.repeat(20_000)), 'authority.token_too_large'],
  [
    'a foreign issuer',
    certificateRequest(mintToken(key, agentClaims({ iss: 'https://evil.example' }))),
    'authority.token_issuer_untrusted',
  ],
  [
    'another’s key',
    certificateRequest(mintToken(makeIssuerKey('ES256', key.kid))),
    'authority.token_signature_invalid',
  ],
  [
    'a wrong audience',
    certificateRequest(mintToken(key, agentClaims({ aud: 'other' }))),
    'authority.token_audience_wrong',
  ],
  ['an expired token', certificateRequest(mintToken(key, agentClaims({ iat: 1, exp: 2 }))), 'authority.token_expired'],
  [
    'another name than the subject’s',
    certificateRequest(mintToken(key, agentClaims({ agent_name: 'b' }))),
    'authority.token_subject_mismatch',
  ],
  [
    'a proof over another string',
    certificateRequest(mintToken(key), signer, proofOver(signer, 'agent:other')),
    'authority.proof_invalid',
  ],
  [
    'a proof by another key',
    certificateRequest(mintToken(key), signer, proofOver(makeSigner(), 'agent:code-writer')),
    'authority.proof_invalid',
  ],
  [
    'a proof in base64 with the wrong padding',
    wronglyPadded(certificateRequest(mintToken(key))),
    'authority.proof_invalid',
  ],
  [
    'no proof',
    { ...certificateRequest(mintToken(key)), publicKeyRequest: { publicKey: { content: signer.pem } } },
    'authority.proof_invalid',
  ],
  [
    'an unreadable key',
    {
      ...certificateRequest(mintToken(key)),
      publicKeyRequest: { publicKey: { content: 'x' }, proofOfPossession: 'AA==' },
    },
    'authority.public_key_invalid',
  ],
])('%s: refused in the shape of Fulcio’s errors, and nothing is logged', async (_, body, reason) => {
  const before = (await running.get('/ct/v1/get-sth')).json();
  const answer = await running.post('/api/v2/signingCert', body);
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ code: 3, details: [{ reason }] });
  expect((await running.get('/ct/v1/get-sth')).json()).toEqual(before);
});

test.each([
  ['not JSON', '{', JSON_TYPE, 400, 'authority.request_malformed'],
  ['a list', '[]', JSON_TYPE, 400, 'authority.request_malformed'],
  ['a member twice', '{"credentials":{},"credentials":{}}', JSON_TYPE, 400, 'authority.request_malformed'],
  ['nothing', '', JSON_TYPE, 400, 'authority.request_malformed'],
  ['too much', `{"x":"${'x'.repeat(70_000)}"}`, JSON_TYPE, 413, 'authority.request_too_large'],
  ['another media type', '{}', { 'content-type': 'text/plain' }, 415, 'authority.content_type_unsupported'],
  ['no media type', '{}', {}, 415, 'authority.content_type_unsupported'],
  [
    'a media type that only begins so',
    '{}',
    { 'content-type': 'application/json-patch+json' },
    415,
    'authority.content_type_unsupported',
  ],
])('a body that is %s is refused on every API', async (_, body, headers, status, reason) => {
  const fulcio = await running.post('/api/v2/signingCert', body, headers as Record<string, string>);
  expect([fulcio.statusCode, fulcio.json().details[0].reason]).toEqual([status, reason]);
  if (status === 413) return;
  const rekor = await running.post('/api/v1/log/entries', body, headers as Record<string, string>);
  expect([rekor.statusCode, rekor.json().code]).toEqual([status, status]);
  expect(rekor.json().message).toContain(reason);
  const ct = await running.post('/ct/v1/add-pre-chain', body, headers as Record<string, string>);
  expect([ct.statusCode, ct.body.includes(reason)]).toEqual([status, true]);
});

test('trust bundle, root certificates and configuration are Fulcio’s', async () => {
  expect((await running.get('/api/v2/trustBundle')).json()).toEqual({
    chains: [{ certificates: running.authority.trust.caCertificates }],
  });
  expect((await running.get('/api/v1/rootCert')).body).toBe(running.authority.trust.caCertificates.join('').trimEnd());
  expect((await running.get('/api/v2/configuration')).json().issuers).toMatchObject([
    { issuerUrl: ISSUER, audience: 'sigstore', challengeClaim: 'sub', issuerType: 'ci-provider' },
  ]);
});
