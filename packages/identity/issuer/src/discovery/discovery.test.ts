import { oneKey } from '@colophon/keys';
import { openDatabase, SqliteLedger } from '@colophon/store';
import { SIX_FIELDS } from '@colophon/testkit';
import Fastify from 'fastify';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { allowInsecureRequests, discovery as discover } from 'openid-client';
import { expect, onTestFinished, test } from 'vitest';
import { ISSUER_URL, issuerFixture, testKey } from '../../test/issuer-fixture.ts';
import { createIssuer } from '../index.ts';
import { discoveryDocument } from './discovery.ts';

const PATHS = ['/.well-known/openid-configuration', '/.well-known/jwks.json'];

test.each(PATHS)('%s is the same bytes whatever Host and forwarding headers say', async (url) => {
  const { app } = await issuerFixture(onTestFinished);
  const plain = await app.inject({ url });
  expect(plain.statusCode).toBe(200);
  expect(plain.headers['content-type']).toBe('application/json');
  expect(plain.headers['cache-control']).toBe('public, max-age=300');
  for (const headers of [
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' },
    { forwarded: 'host=evil.example;proto=https' },
    { 'x-original-url': '/evil', 'x-forwarded-prefix': '/evil' },
    { accept: 'text/html', 'accept-language': 'de' },
  ]) {
    const { rawPayload, headers: answered } = await app.inject({ url, headers });
    expect(rawPayload.equals(plain.rawPayload)).toBe(true);
    expect(answered['etag']).toBe(plain.headers['etag']);
  }
});

test.each(PATHS)('%s is not sent again to who has it', async (url) => {
  const { app } = await issuerFixture(onTestFinished);
  const etag = String((await app.inject({ url })).headers['etag']);
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const answer = await app.inject({ url, headers: { 'if-none-match': known } });
    expect([answer.statusCode, answer.body, answer.headers['etag']]).toEqual([304, '', etag]);
  }
  expect((await app.inject({ url, headers: { 'if-none-match': '"x"' } })).statusCode).toBe(200);
  expect((await app.inject({ url, method: 'HEAD' })).statusCode).toBe(200);
});

test('the document says what is so', async () => {
  const { app, issuer } = await issuerFixture(onTestFinished);
  expect((await app.inject({ url: PATHS[0]! })).json()).toEqual({
    issuer: ISSUER_URL,
    token_endpoint: `${ISSUER_URL}/oauth/token`,
    jwks_uri: `${ISSUER_URL}/.well-known/jwks.json`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    grant_types_supported: ['https://colophon.example/grant-types/run-context'],
    token_endpoint_auth_methods_supported: ['none'],
    claims_supported: issuer.discovery['claims_supported'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  });
});

test('an issuer below a path keeps its address byte for byte', () => {
  expect(discoveryDocument('https://ci.example/agents', 'RS256')).toMatchObject({
    issuer: 'https://ci.example/agents',
    token_endpoint: 'https://ci.example/agents/oauth/token',
  });
  expect(discoveryDocument('https://ci.example/', 'RS256')).toMatchObject({
    issuer: 'https://ci.example/',
    jwks_uri: 'https://ci.example/.well-known/jwks.json',
  });
});

test('the key set has the public half of the one key and nothing private', async () => {
  const { app } = await issuerFixture(onTestFinished, { signingKeys: oneKey(testKey('token', 'RS256')) });
  const { keys } = (await app.inject({ url: PATHS[1]! })).json() as { keys: Array<Record<string, string>> };
  expect(keys.map((key) => Object.keys(key).sort())).toEqual([['alg', 'e', 'kid', 'kty', 'n', 'use']]);
  expect(keys[0]).toMatchObject({ alg: 'RS256', use: 'sig', kty: 'RSA', kid: testKey('token', 'RS256').kid });
});

test('openid-client discovers a listening issuer, and its key set verifies a token', async () => {
  let issuerUrl = '';
  // The address stands in the documents before anything listens, so a free port is tried for.
  for (let port = 42_000 + (process.pid % 10_000); issuerUrl === ''; port += 1) {
    const candidate = Fastify();
    const issuer = await createIssuer({
      issuerUrl: `http://127.0.0.1:${port}`,
      ledger: new SqliteLedger(openDatabase(':memory:')),
      signingKeys: oneKey(testKey('token', 'ES256')),
      ledgerKey: testKey('ledger', 'ES256'),
    });
    await issuer.register(candidate);
    try {
      await candidate.listen({ host: '127.0.0.1', port });
    } catch {
      continue;
    }
    onTestFinished(() => candidate.close());
    issuerUrl = `http://127.0.0.1:${port}`;
  }
  const config = await discover(new URL(issuerUrl), 'client', undefined, undefined, {
    execute: [allowInsecureRequests],
  });
  const metadata = config.serverMetadata();
  expect(metadata.issuer).toBe(issuerUrl);
  expect(metadata.supportsPKCE()).toBe(false);
  const answer = await fetch(metadata.token_endpoint!, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(SIX_FIELDS),
  });
  const keySet = createRemoteJWKSet(new URL(metadata.jwks_uri!));
  const { payload } = await jwtVerify(await answer.text(), keySet, {
    issuer: issuerUrl,
    audience: 'sigstore',
    algorithms: metadata.id_token_signing_alg_values_supported as string[],
  });
  expect(payload.sub).toBe('agent:code-writer');
});
