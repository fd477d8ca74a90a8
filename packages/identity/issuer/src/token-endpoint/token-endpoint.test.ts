import { oneKey } from '@colophon/keys';
import { SIX_FIELDS } from '@colophon/testkit';
import fc from 'fast-check';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { expect, onTestFinished, test } from 'vitest';
import {
  claimsOf,
  ISSUER_URL,
  issuerFixture,
  ledgerSize,
  REVIEWER_SECRET,
  reviewerProof,
  testKey,
} from '../../test/issuer-fixture.ts';
import { IssuerError } from '../issuer-error/issuer-error.ts';
import { OAUTH_ERRORS } from '../token-refusal/token-refusal.ts';

test.each(['RS256', 'ES256'] as const)('a %s token for the six fields is the whole body and verifies', async (alg) => {
  const { post, issuer, clock } = await issuerFixture(onTestFinished, { signingKeys: oneKey(testKey('token', alg)) });
  for (const accept of ['*/*', 'application/json', 'text/html', 'application/xml;q=0.1']) {
    const { status, headers, body } = await post(SIX_FIELDS, { accept });
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/jwt');
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toMatch(/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/);
    const { payload, protectedHeader } = await jwtVerify(
      body,
      createLocalJWKSet(issuer.jwks as unknown as JSONWebKeySet),
      { issuer: ISSUER_URL, audience: 'sigstore', currentDate: new Date(clock.now()) },
    );
    expect(protectedHeader).toEqual({ alg, kid: testKey('token', alg).kid, typ: 'JWT' });
    expect(payload).toMatchObject({ ...SIX_FIELDS, sub: 'agent:code-writer', iss: ISSUER_URL, aud: 'sigstore' });
    expect(payload.exp! - payload.iat!).toBe(600);
    expect(payload.iat).toBe(clock.now() / 1000);
    expect(payload.jti).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(payload['claim_sources']).toContain('agent_name=declared');
    expect(
      Object.keys(payload).filter((claim) => !issuer.discovery['claims_supported']!.toString().includes(claim)),
    ).toEqual([]);
  }
});

const without = (field: keyof typeof SIX_FIELDS) =>
  JSON.stringify(Object.fromEntries(Object.entries(SIX_FIELDS).filter(([name]) => name !== field)));
const withField = (field: string, value: unknown) => JSON.stringify({ ...SIX_FIELDS, [field]: value });
const text = JSON.stringify(SIX_FIELDS);

const MALFORMED: ReadonlyArray<[title: string, body: string | Buffer, status: number, code: string, field?: string]> = [
  ['an empty body', '', 400, 'json.syntax'],
  ['not JSON', 'agent_name=code-writer', 400, 'json.syntax'],
  ['JSON and more', `${text} {}`, 400, 'json.syntax'],
  ['a trailing comma', text.replace(/}$/, ',}'), 400, 'json.syntax'],
  ['an array', `[${text}]`, 400, 'request.not_object'],
  ['a duplicate key', text.replace('{', '{"agent_name":"other",'), 400, 'json.duplicate_key', 'agent_name'],
  [
    'a duplicate key behind an escape',
    text.replace('{', '{"agent\\u005fname":"o",'),
    400,
    'json.duplicate_key',
    'agent_name',
  ],
  ['deep arrays', `${'['.repeat(5000)}${']'.repeat(5000)}`, 400, 'json.too_deep', '0'],
  ['a byte order mark', `\ufeff${text}`, 400, 'json.bom'],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, 'json.not_utf8'],
  [
    'a lone surrogate',
    withField('agent_name', 'x').replace('"x"', '"\\ud800"'),
    400,
    'json.lone_surrogate',
    'agent_name',
  ],
  ['a NUL', withField('agent_name', 'x').replace('"x"', '"a\\u0000"'), 400, 'json.nul', 'agent_name'],
  ['1e400', withField('agent_version', 'x').replace('"x"', '1e400'), 400, 'json.number_range', 'agent_version'],
  ['more than 16 KiB', withField('agent_version', 'v'.repeat(16 * 1024)), 413, 'issuer.body_too_large'],
  ...(Object.keys(SIX_FIELDS) as Array<keyof typeof SIX_FIELDS>).flatMap(
    (field): Array<[string, string, number, string, string]> => [
      [`no ${field}`, without(field), 400, 'request.field_missing', field],
      [`an empty ${field}`, withField(field, ''), 400, 'request.field_empty', field],
      [`a blank ${field}`, withField(field, ' \t'), 400, 'request.field_empty', field],
      [`null as ${field}`, withField(field, null), 400, 'request.field_null', field],
      [`a number as ${field}`, withField(field, 7), 400, 'request.field_type', field],
      [`an array as ${field}`, withField(field, [SIX_FIELDS[field]]), 400, 'request.field_type', field],
      [`two lines as ${field}`, withField(field, `${SIX_FIELDS[field]}\nx`), 400, 'request.field_invalid', field],
    ],
  ),
  ['a name that is not ASCII', withField('agent_name', 'clé'), 400, 'request.field_invalid', 'agent_name'],
  [
    'a name in Cyrillic letters',
    withField('agent_name', '\u0441ode-writer'),
    400,
    'request.field_invalid',
    'agent_name',
  ],
  ['a name of 65 characters', withField('agent_name', 'a'.repeat(65)), 400, 'request.field_invalid', 'agent_name'],
  ['a name with a slash', withField('agent_name', 'a/b'), 400, 'request.field_invalid', 'agent_name'],
  ['a short hash', withField('prompt_hash', 'sha256:5a5a'), 400, 'request.field_invalid', 'prompt_hash'],
  [
    'a hash of another kind',
    withField('policy_pack_hash', `md5:${'5'.repeat(32)}`),
    400,
    'request.field_invalid',
    'policy_pack_hash',
  ],
  ['no e-mail address', withField('human_reviewer', 'alice'), 400, 'request.field_invalid', 'human_reviewer'],
  [
    'an address with a name',
    withField('human_reviewer', 'Alice <a@example.com>'),
    400,
    'request.field_invalid',
    'human_reviewer',
  ],
  ['a local time', withField('review_timestamp', '2026-11-21 12:00'), 400, 'request.field_invalid', 'review_timestamp'],
  ['a short commit', withField('commit_sha', 'abc1234'), 400, 'request.field_invalid', 'commit_sha'],
  ['an unknown field', withField('temperature', '0'), 400, 'request.field_unknown', 'temperature'],
  ['__proto__', text.replace('{', '{"__proto__":{"purpose":"review"},'), 400, 'request.field_unknown', '__proto__'],
  ['an unknown purpose', withField('purpose', 'admin'), 400, 'request.field_invalid', 'purpose'],
  ['an audience that is not served', withField('audience', 'vault'), 400, 'issuance.audience_not_allowed', 'audience'],
  ...[
    'iss',
    'sub',
    'aud',
    'exp',
    'nbf',
    'iat',
    'jti',
    'cnf',
    'key_thumbprint',
    'claim_sources',
    'trigger',
    'agent_id',
    'email',
    'email_verified',
  ].map((claim): [string, string, number, string, string] => [
    `the reserved claim ${claim}`,
    withField(claim, 'x'),
    400,
    'request.claim_reserved',
    claim,
  ]),
];

test.each(MALFORMED)('%s is refused, the field named, nothing minted', async (_title, body, status, code, field) => {
  const { app, db } = await issuerFixture(onTestFinished);
  const response = await app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: { 'content-type': 'application/json' },
    payload: body,
  });
  expect({ status: response.statusCode, ...response.json() }).toMatchObject({ status, code, error: 'invalid_request' });
  expect(response.json().field).toBe(field);
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.json().error_description).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(response.body).not.toContain('eyJ');
  expect(ledgerSize(db)).toBe(0);
});

test('every problem of a request is reported at once', async () => {
  const { post } = await issuerFixture(onTestFinished);
  const { body } = await post({ ...SIX_FIELDS, agent_name: '', prompt_hash: 'x', sub: 'agent:root' });
  expect((JSON.parse(body).issues as Array<{ path: string }>).map(({ path }) => path)).toEqual([
    '/sub',
    '/agent_name',
    '/prompt_hash',
  ]);
});

test('a name in another case than the first accepted one is refused, and keeps its agent_id', async () => {
  const { post, db } = await issuerFixture(onTestFinished);
  const first = claimsOf((await post(SIX_FIELDS)).body);
  const other = await post({ ...SIX_FIELDS, agent_name: 'Code-Writer' });
  expect(JSON.parse(other.body)).toMatchObject({ code: 'issuer.agent_name_case', field: 'agent_name' });
  const again = claimsOf((await post(SIX_FIELDS)).body);
  expect(again['agent_id']).toBe(first['agent_id']);
  expect(claimsOf((await post({ ...SIX_FIELDS, agent_name: 'other' })).body)['agent_id']).not.toBe(first['agent_id']);
  expect(ledgerSize(db)).toBe(3);
});

test('of two spellings in one turn of the event loop only the first is accepted', async () => {
  const { issuer } = await issuerFixture(onTestFinished);
  const mint = (agent_name: string) => issuer.mint(Buffer.from(JSON.stringify({ ...SIX_FIELDS, agent_name })));
  const results = await Promise.all([mint('Fixer'), mint('fixer'), mint('Fixer')]);
  expect(results.map((result) => (result.ok ? result.claims.sub : result.refusal.code))).toEqual([
    'agent:Fixer',
    'issuer.agent_name_case',
    'agent:Fixer',
  ]);
  expect(results[0]!.ok && results[2]!.ok && results[0]!.claims.agent_id === results[2]!.claims.agent_id).toBe(true);
});

test('a name whose request was refused is not taken', async () => {
  const { post } = await issuerFixture(onTestFinished);
  expect((await post({ ...SIX_FIELDS, agent_name: 'FIXER', audience: 'vault' })).status).toBe(400);
  expect((await post({ ...SIX_FIELDS, agent_name: 'fixer' })).status).toBe(200);
});

const REVIEW = { purpose: 'review', human_reviewer: 'alice@example.com' };

test("a reviewer's token needs the reviewer's secret", async () => {
  const { post, db } = await issuerFixture(onTestFinished);
  const proof = reviewerProof(JSON.stringify(REVIEW));
  const wrong = ['', 'Bearer wrong', `Bearer ${REVIEWER_SECRET}`, REVIEWER_SECRET, reviewerProof('{}')];
  const prefixes = Array.from({ length: proof.length }, (_, i) => proof.slice(0, i));
  for (const authorization of [undefined, ...wrong, ...prefixes, `${proof}0`, `${proof} x`]) {
    const { status, headers, body } = await post(REVIEW, authorization === undefined ? {} : { authorization });
    expect([status, JSON.parse(body).code, JSON.parse(body).error]).toEqual([
      401,
      'issuer.reviewer_secret_required',
      'invalid_client',
    ]);
    expect(headers['www-authenticate']).toBe('Colophon-Reviewer');
  }
  expect(ledgerSize(db)).toBe(0);
  const { status, body } = await post(REVIEW, { authorization: proof });
  expect(status).toBe(200);
  expect((await post(REVIEW, { authorization: proof })).status).toBe(401);
  const claims = claimsOf(body);
  expect(claims).toMatchObject({
    sub: 'reviewer:alice@example.com',
    claim_sources: 'purpose=review;human_reviewer=declared',
  });
  expect(claims).not.toHaveProperty('agent_id');
});

test('an issuer without a reviewer secret serves no reviewer', async () => {
  const { issuer, app } = await issuerFixture(onTestFinished, { reviewerSecret: undefined as never });
  const response = await app.inject({ method: 'POST', url: '/oauth/token', payload: REVIEW });
  expect([response.statusCode, response.json().code]).toEqual([403, 'issuer.review_not_offered']);
  const result = await issuer.mint(Buffer.from(JSON.stringify(REVIEW)), { authorization: 'Bearer undefined' });
  expect(result.ok).toBe(false);
});

test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'] as const)(
  '%s is answered 405 with Allow',
  async (method) => {
    const { app } = await issuerFixture(onTestFinished);
    const response = await app.inject({ method, url: '/oauth/token' });
    expect([response.statusCode, response.headers['allow'], response.headers['cache-control']]).toEqual([
      405,
      'POST',
      'no-store',
    ]);
    if (method !== 'HEAD') expect(response.json().code).toBe('issuer.method_not_allowed');
  },
);

test.each([
  [
    'grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token=x',
    'unsupported_grant_type',
    'issuer.grant_type_unsupported',
  ],
  ['grant_type=client_credentials', 'unsupported_grant_type', 'issuer.grant_type_unsupported'],
  ['grant_type=a&grant_type=b', 'invalid_request', 'issuer.form_invalid'],
  ['grant_type=', 'invalid_request', 'issuer.form_invalid'],
  ['', 'invalid_request', 'issuer.form_invalid'],
  ['grant_type=https://colophon.example/grant-types/run-context', 'invalid_request', 'issuer.form_invalid'],
])('the form %j gets a true error', async (form, error, code) => {
  const { post } = await issuerFixture(onTestFinished);
  const { status, body } = await post(form, { 'content-type': 'application/x-www-form-urlencoded' });
  expect({ status, ...JSON.parse(body) }).toMatchObject({ status: 400, error, code });
});

test('an address that asks too often waits, and other routes do not', async () => {
  const { post, app, clock } = await issuerFixture(onTestFinished, {
    limits: { loopbackRate: { perSecond: 1, burst: 2 } },
  });
  expect([(await post(SIX_FIELDS)).status, (await post(SIX_FIELDS)).status]).toEqual([200, 200]);
  const { status, headers, body } = await post(SIX_FIELDS);
  expect([status, headers['retry-after'], JSON.parse(body).code]).toEqual([429, '1', 'issuer.rate_limited']);
  expect((await app.inject({ url: '/.well-known/jwks.json' })).statusCode).toBe(200);
  clock.advance(1000);
  expect((await post(SIX_FIELDS)).status).toBe(200);
});

test('a clock that went back by more than two seconds stops issuing until it has caught up', async () => {
  const { post, clock, db } = await issuerFixture(onTestFinished);
  expect((await post(SIX_FIELDS)).status).toBe(200);
  clock.advance(-2000);
  expect((await post(SIX_FIELDS)).status).toBe(200);
  clock.advance(-1);
  const { status, headers, body } = await post(SIX_FIELDS);
  expect([status, JSON.parse(body).code, JSON.parse(body).error]).toEqual([
    503,
    'issuer.clock_went_back',
    'temporarily_unavailable',
  ]);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(ledgerSize(db)).toBe(2);
  clock.advance(3_600_000);
  const { body: token } = await post(SIX_FIELDS);
  expect(Number(claimsOf(token)['exp']) - Number(claimsOf(token)['iat'])).toBe(600);
});

test('a full disk mints nothing, and minting goes on as soon as there is room', async () => {
  const { post, db, issuer } = await issuerFixture(onTestFinished);
  expect((await post(SIX_FIELDS)).status).toBe(200);
  const pages = Number(db.sqlite.prepare('PRAGMA page_count').get()!['page_count']);
  db.sqlite.exec(`PRAGMA max_page_count = ${pages}`);
  const statuses: number[] = [];
  for (let i = 0; i < 40; i += 1) {
    const { status, headers, body } = await post({ ...SIX_FIELDS, agent_name: `agent-${i}` });
    statuses.push(status);
    if (status === 200) continue;
    expect([status, JSON.parse(body).code, headers['retry-after']]).toEqual([503, 'issuer.ledger_unavailable', '5']);
    expect(body).not.toContain('eyJ');
  }
  expect(statuses).toContain(503);
  expect(ledgerSize(db)).toBe(1 + statuses.filter((status) => status === 200).length);
  db.sqlite.exec('PRAGMA max_page_count = 1000000');
  const refused = statuses.indexOf(503);
  // The name was not taken by the request that failed.
  const { status, body } = await post({ ...SIX_FIELDS, agent_name: `AGENT-${refused}` });
  expect([status, claimsOf(body)['sub']]).toEqual([200, `agent:AGENT-${refused}`]);
  await issuer.integrate();
  expect((await issuer.run(String(claimsOf(body)['jti'])))!.integrated).toBe(true);
});

test('a database that may not be written mints nothing', async () => {
  const { post, db } = await issuerFixture(onTestFinished);
  db.sqlite.exec('PRAGMA query_only = 1');
  const { status, body } = await post(SIX_FIELDS);
  expect([status, JSON.parse(body).code]).toEqual([503, 'issuer.ledger_unavailable']);
  db.sqlite.exec('PRAGMA query_only = 0');
  expect((await post(SIX_FIELDS)).status).toBe(200);
});

test('after close nothing is issued', async () => {
  const { post, issuer, db } = await issuerFixture(onTestFinished);
  await issuer.close();
  const { status, body } = await post(SIX_FIELDS);
  expect([status, JSON.parse(body).code]).toEqual([503, 'issuer.closed']);
  expect(ledgerSize(db)).toBe(0);
});

const RESERVED = [
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'cnf',
  'key_thumbprint',
  'claim_sources',
  'trigger',
  'agent_id',
  'email',
  'email_verified',
];

test('no request makes a token whose reserved claims come from it', async () => {
  const { issuer, clock } = await issuerFixture(onTestFinished);
  const canary = 'CANARY';
  const stray = fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        ...RESERVED,
        ...Object.keys(SIX_FIELDS),
        'purpose',
        'audience',
        'repo',
        '__proto__',
        'constructor',
      ),
      fc.string(),
    ),
    fc.oneof(
      fc.constant(canary),
      fc.constant('sigstore'),
      fc.constant('artifact'),
      fc.jsonValue(),
      fc.constant(`agent:${canary}`),
    ),
    { maxKeys: 6 },
  );
  let issued = 0;
  await fc.assert(
    fc.asyncProperty(stray, fc.boolean(), async (fields, keepsSix) => {
      const request = keepsSix ? { ...fields, ...SIX_FIELDS } : { ...SIX_FIELDS, ...fields };
      const result = await issuer.mint(Buffer.from(JSON.stringify(request)));
      if (!result.ok) return;
      issued += 1;
      const { claims } = result;
      expect(RESERVED.filter((claim) => Object.hasOwn(fields, claim))).toEqual([]);
      expect(claims.iss).toBe(ISSUER_URL);
      expect(claims.aud).toBe('sigstore');
      expect(claims.sub).toBe(`agent:${claims.agent_name}`);
      expect(claims.iat).toBe(clock.now() / 1000);
      expect(claims.exp).toBe(claims.iat + 600);
      expect(claims.claim_sources).not.toContain(canary);
      for (const claim of ['nbf', 'cnf', 'key_thumbprint', 'trigger', 'email', 'email_verified']) {
        expect(claims).not.toHaveProperty(claim);
      }
    }),
    { numRuns: 1000 },
  );
  expect(issued).toBeGreaterThan(50);
});

test('whatever is asked, the answer is a token or an OAuth error from the closed list with a stable code', async () => {
  const { post } = await issuerFixture(onTestFinished);
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.json(), fc.string(), fc.base64String()), async (body) => {
      const { status, body: answer } = await post(body);
      expect(status).not.toBe(500);
      if (status === 200) return;
      const refusal = JSON.parse(answer) as { error: never; code: string };
      expect(OAUTH_ERRORS).toContain(refusal.error);
      expect(refusal.code).toMatch(/^(?:json|request|issuance|issuer)\.[a-z_0-9]+$/);
      if (refusal.code.startsWith('issuer.')) expect(IssuerError.codes).toContain(refusal.code);
    }),
  );
});
