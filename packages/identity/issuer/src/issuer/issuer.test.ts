import { oneKey } from '@colophon/keys';
import { openDatabase, SqliteLedger } from '@colophon/store';
import { SIX_FIELDS } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { ISSUER_URL, issuerFixture, testKey } from '../../test/issuer-fixture.ts';
import { createIssuer } from './issuer.ts';

test.each([
  ['an address that is none', { issuerUrl: 'localhost' }],
  ['another scheme', { issuerUrl: 'ftp://issuer.example' }],
  ['a query', { issuerUrl: 'https://issuer.example/?x' }],
  ['credentials', { issuerUrl: 'https://user@issuer.example' }],
  ['an address that a parser writes otherwise', { issuerUrl: 'https://ISSUER.example:443' }],
  ['an RSA key for checkpoints', { ledgerKey: testKey('ledger', 'RS256') }],
  ['no audience', { audiences: [] }],
  ['an empty audience', { audiences: [''] }],
  ['a lifetime of no seconds', { lifetimeSeconds: 0 }],
  ['a lifetime of half a second', { lifetimeSeconds: 0.5 }],
  ['a short reviewer secret', { reviewerSecret: 'short' }],
])("%s is the caller's mistake", async (_title, options) => {
  const db = openDatabase(':memory:');
  onTestFinished(() => db.close());
  const base = {
    issuerUrl: ISSUER_URL,
    ledger: new SqliteLedger(db),
    signingKeys: oneKey(testKey('token', 'ES256')),
    ledgerKey: testKey('ledger', 'ES256'),
  };
  await expect(createIssuer({ ...base, ...options })).rejects.toThrow(TypeError);
});

test('in process the same bytes make the same kind of token, in the same ledger', async () => {
  const { issuer } = await issuerFixture(onTestFinished, { lifetimeSeconds: 300, audiences: ['sigstore', 'staging'] });
  const result = await issuer.mint(Buffer.from(JSON.stringify({ ...SIX_FIELDS, audience: 'staging' })));
  expect(result).toMatchObject({ ok: true, claims: { aud: 'staging', sub: 'agent:code-writer' } });
  if (!result.ok) return;
  expect(result.claims.exp - result.claims.iat).toBe(300);
  expect((await issuer.run(result.claims.jti))?.claims).toEqual(result.claims);
});

test('the evidence store’s token names its host and is in the same ledger', async () => {
  const { issuer } = await issuerFixture(onTestFinished);
  const result = await issuer.mintForEvidence();
  expect(result).toMatchObject({ ok: true, claims: { iss: ISSUER_URL, sub: `evidence:${new URL(ISSUER_URL).host}` } });
  if (!result.ok) return;
  expect((await issuer.run(result.claims.jti))?.claims).toEqual(result.claims);
  expect(result.claims).not.toHaveProperty('claim_sources');
  await issuer.close();
  expect(await issuer.mintForEvidence()).toMatchObject({ ok: false, refusal: { code: 'issuer.closed' } });
});

test.each([
  { purpose: 'evidence' },
  { purpose: 'evidence', sub: 'evidence:issuer.example' },
  { ...SIX_FIELDS, sub: 'evidence:issuer.example' },
  { ...SIX_FIELDS, agent_name: 'evidence:issuer.example' },
  { purpose: 'review', human_reviewer: 'evidence:issuer.example' },
])('no request gets that name: %j', async (request) => {
  const { issuer } = await issuerFixture(onTestFinished, { reviewerSecret: 'a secret of the reviewers' });
  const result = await issuer.mint(Buffer.from(JSON.stringify(request)));
  expect(result).toMatchObject({ ok: false, refusal: { status: 400 } });
});

test('many tokens at once are all in the ledger, each once, under one checkpoint', async () => {
  const { issuer } = await issuerFixture(onTestFinished);
  const body = Buffer.from(JSON.stringify(SIX_FIELDS));
  const results = await Promise.all(Array.from({ length: 1500 }, () => issuer.mint(body)));
  const jtis = results.map((result) => (result.ok ? result.claims.jti : ''));
  expect(new Set(jtis).size).toBe(1500);
  await issuer.close();
  const records = (await Promise.all(jtis.map((jti) => issuer.run(jti)))).map((record) => record!);
  expect(records.every(({ integrated, proof }) => integrated && proof?.tree_size === 1500)).toBe(true);
  expect(new Set(records.map(({ seq }) => seq)).size).toBe(1500);
});
