import { type ForeignIssuer, TOKEN_TIME as NOW, startForeignIssuer } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { createDiscoveredKeys, createPublishedKeys, type TrustedIssuer, verifyCallerToken } from '../src/index.ts';
import { faultOf } from './refusal.ts';

const US = 'https://agents.example';
const COMMIT = '5f2a1c9e8b7d6a5f4e3d2c1b0a9f8e7d6c5b4a39';
const WORKFLOW = 'acme/shop/.github/workflows/agent.yml@refs/heads/main';

/** The claims that each platform documents, with values of our own. */
const PLATFORMS = {
  'GitHub Actions': {
    alg: 'RS256',
    header: { x5t: 'eBZ_cn3sXYAd0ch4THBKHIgOwOE' },
    claims: {
      jti: '3f1c2b9a-56d4-4e0f-8a7b-2c9d1e0f4a5b',
      sub: 'repo:acme/shop:ref:refs/heads/main',
      aud: US,
      ref: 'refs/heads/main',
      sha: COMMIT,
      repository: 'acme/shop',
      repository_owner: 'acme',
      actor_id: '17',
      repository_visibility: 'private',
      repository_id: '42',
      repository_owner_id: '7',
      run_id: '9001',
      run_number: '12',
      run_attempt: '1',
      runner_environment: 'github-hosted',
      actor: 'alice',
      workflow: 'agent',
      head_ref: '',
      base_ref: '',
      event_name: 'push',
      ref_protected: 'true',
      ref_type: 'branch',
      workflow_ref: WORKFLOW,
      workflow_sha: COMMIT,
      job_workflow_ref: WORKFLOW,
      job_workflow_sha: COMMIT,
      nbf: NOW - 600,
      iat: NOW - 10,
      exp: NOW + 290,
    },
  },
  'GitLab CI': {
    alg: 'RS256',
    header: {},
    claims: {
      namespace_id: '72',
      namespace_path: 'acme',
      project_id: '20',
      project_path: 'acme/shop',
      project_visibility: 'private',
      user_id: '1',
      user_login: 'alice',
      user_email: 'alice@example.com',
      user_access_level: 'developer',
      user_identities: [{ provider: 'saml', extern_uid: '1' }],
      pipeline_id: '574',
      pipeline_source: 'push',
      job_id: '302',
      ref: 'main',
      ref_type: 'branch',
      ref_path: 'refs/heads/main',
      ref_protected: 'true',
      groups_direct: ['acme'],
      runner_id: 1,
      runner_environment: 'self-hosted',
      sha: COMMIT,
      ci_config_ref_uri: 'gitlab.example/acme/shop//.gitlab-ci.yml@refs/heads/main',
      ci_config_sha: COMMIT,
      jti: '235b3a54-b797-45c7-ae9a-f72d7bc6ef5b',
      iat: NOW - 10,
      nbf: NOW - 15,
      exp: NOW + 3590,
      sub: 'project_path:acme/shop:ref_type:branch:ref:main',
      aud: US,
    },
  },
  Kubernetes: {
    alg: 'ES256',
    header: { typ: undefined },
    claims: {
      aud: [US],
      exp: NOW + 3000,
      iat: NOW - 600,
      jti: '8d3f0a1e-7c44-4a4e-9f53-0d5b5c1a7e21',
      'kubernetes.io': {
        namespace: 'ci',
        node: { name: 'node-1', uid: '4f3a1b62-7c1d-4b68-8f3e-9f1d2c3b4a51' },
        pod: { name: 'agent-1', uid: '5e0bd49b-f040-43b0-99b7-22765a53f7f3' },
        serviceaccount: { name: 'agent', uid: '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798' },
      },
      nbf: NOW - 600,
      sub: 'system:serviceaccount:ci:agent',
    },
  },
} as const;

async function trusted(issuer: ForeignIssuer) {
  onTestFinished(issuer.stop);
  const clock = { now: () => new Date(NOW * 1000) };
  const one: TrustedIssuer = {
    issuer: issuer.url,
    kind: 'oidc',
    audience: US,
    maxAgeSeconds: 3600,
    keys: createDiscoveredKeys({ fetch, clock }),
  };
  const url = issuer.jwksUrl;
  const domain: TrustedIssuer = {
    ...one,
    issuer: 'spiffe://prod.example',
    kind: 'spiffe',
    keys: createPublishedKeys({ url, contents: 'spiffe-bundle', fetch, clock }),
  };
  return new Map([one, domain].map((known) => [known.issuer, known]));
}

test.each(Object.entries(PLATFORMS))('a token of %s is verified by discovery', async (_, { alg, header, claims }) => {
  const issuer = await startForeignIssuer({ alg });
  const known = await trusted(issuer);
  const said = await verifyCallerToken(issuer.sign(claims, header), known, NOW);
  expect(said).toMatchObject({ issuer: issuer.url, jti: claims.jti, payload: { iss: issuer.url, ...claims } });
  expect(said.acceptedUntil).toBe(Math.min(claims.exp, claims.iat + 3600) + 30);
  // The same for another service, and the same of an issuer that is a neighbour.
  for (const [change, fault] of [
    [{ aud: [US, 'https://kubernetes.default.svc'] }, 'token_audience_wrong'],
    [{ aud: 'https://github.com/acme' }, 'token_audience_wrong'],
    [{ iss: `${issuer.url}/enterprise` }, 'token_issuer_untrusted'],
  ] as const) {
    expect(await verifyCallerToken(issuer.sign({ ...claims, ...change }, header), known, NOW).catch(faultOf)).toBe(
      fault,
    );
  }
  expect(issuer.requests()).toHaveLength(2);
});

test('a JWT-SVID is verified by the bundle of its trust domain', async () => {
  const issuer = await startForeignIssuer({ alg: 'ES384' });
  const [{ alg: _, ...key } = { alg: '' }] = issuer.published;
  issuer.published.splice(0, 1, { ...key, use: 'jwt-svid' }, { ...key, kid: 'x', use: 'x509-svid' });
  const known = await trusted(issuer);
  const claims = { iss: undefined, sub: 'spiffe://prod.example/ns/ci/sa/agent', aud: [US], exp: NOW + 300 };
  for (const header of [{}, { typ: undefined }, { kid: undefined }]) {
    const said = await verifyCallerToken(issuer.sign({ ...claims, iat: NOW }, header), known, NOW);
    expect(said).toMatchObject({ issuer: 'spiffe://prod.example', jti: undefined, acceptedUntil: NOW + 330 });
  }
  const other = { ...claims, sub: 'spiffe://other.example/ns/ci/sa/agent' };
  expect(await verifyCallerToken(issuer.sign(other), known, NOW).catch(faultOf)).toBe('token_issuer_untrusted');
  expect(await verifyCallerToken(issuer.sign(claims, { kid: 'x' }), known, NOW).catch(faultOf)).toBe(
    'token_key_unknown',
  );
  expect(issuer.requests().map(({ url }) => url)).toEqual(['/jwks']);
});

test('a JWT-SVID without kid is refused where its trust domain publishes two keys', async () => {
  const issuer = await startForeignIssuer({ alg: 'ES256' });
  const [key] = issuer.published;
  issuer.published.splice(0, 1, { ...key, use: 'jwt-svid' }, { ...key, kid: 'x', use: 'jwt-svid' });
  const known = await trusted(issuer);
  const claims = { iss: undefined, sub: 'spiffe://prod.example/agent', aud: US, exp: NOW + 300 };
  const fault = await verifyCallerToken(issuer.sign(claims, { kid: undefined }), known, NOW).catch(faultOf);
  expect(fault).toBe('token_key_unknown');
  expect(await verifyCallerToken(issuer.sign(claims), known, NOW)).toMatchObject({ issuer: 'spiffe://prod.example' });
});

test('Kubernetes’ tokens of a year are refused: they are for its own server alone', async () => {
  const issuer = await startForeignIssuer({ alg: 'RS256' });
  const { claims } = PLATFORMS.Kubernetes;
  const year = { ...claims, exp: claims.iat + 365 * 24 * 3600 };
  expect(await verifyCallerToken(issuer.sign(year), await trusted(issuer), NOW).catch(faultOf)).toBe(
    'token_lifetime_too_long',
  );
});

test('an issuer that cannot be asked is told apart from a token that is wrong', async () => {
  const issuer = await startForeignIssuer();
  const claims = { aud: US, iat: NOW, exp: NOW + 60 };
  // Each time nothing is known of the issuer yet.
  const fault = async () => verifyCallerToken(issuer.sign(claims), await trusted(issuer), NOW).catch(faultOf);
  issuer.published.length = 65;
  expect(await fault()).toBe('issuer_metadata_invalid');
  issuer.published.length = 1;
  expect(await fault()).toMatchObject({ issuer: issuer.url });
  await issuer.stop();
  expect(await fault()).toBe('issuer_unreachable');
});
