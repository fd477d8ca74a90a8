import type { ServerResponse } from 'node:http';
import { parseReviewerProof, reviewerMac } from '@colophon/records';
import { deadUrl, startPeer } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { requestToken } from './request-token.ts';

const TOKEN = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZ2VudDp4In0.c2lnbmF0dXJl';
const SECRET = 'secret-of-the-local-reviewers-0123456789ab';
const REQUEST = new TextEncoder().encode('{"agent_name":"x"}');

/** Everything that an error says of itself. */
function shown(error: unknown): string {
  const { message, ...members } = error as Error;
  return JSON.stringify({ message, ...members });
}

/** What is thrown when an issuer answers like this. */
async function refusalOf(answer: (response: ServerResponse) => void) {
  const issuer = await startPeer(onTestFinished, (_request, response) => answer(response));
  const error: unknown = await requestToken(issuer.url, REQUEST, { secret: SECRET }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Error);
  const said = shown(error);
  expect(said).not.toContain(SECRET);
  expect(said).not.toContain(TOKEN);
  const refusal = error as Error & { code: string; facts: { checked?: string; issues?: unknown; found?: string } };
  expect(refusal.facts.checked).toBe(`${issuer.url}/oauth/token`);
  return refusal;
}

const json = (status: number, body: unknown) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

test('sends the context as it is, and answers with the token as it came', async () => {
  const issuer = await startPeer(onTestFinished, (_request, response) => response.end(TOKEN));
  expect(await requestToken(`${issuer.url}/`, REQUEST)).toBe(TOKEN);
  const [sent] = issuer.requests;
  expect(sent).toMatchObject({ body: '{"agent_name":"x"}', head: { method: 'POST', url: '/oauth/token' } });
  expect(sent?.head.headers).toMatchObject({ 'content-type': 'application/json' });
  expect(sent?.head.headers.authorization).toBeUndefined();
});

test('proves a reviewer’s secret, and does not send it', async () => {
  const issuer = await startPeer(onTestFinished, (_request, response) => response.end(TOKEN));
  await requestToken(issuer.url, REQUEST, { secret: SECRET });
  const { authorization = '' } = issuer.requests[0]?.head.headers ?? {};
  const { issuedAt, nonce, mac } = parseReviewerProof(authorization) ?? { issuedAt: 0, nonce: '', mac: '' };
  expect(mac).toBe(reviewerMac({ secret: SECRET, issuer: issuer.url, body: REQUEST, issuedAt, nonce }));
  expect(JSON.stringify(issuer.requests[0]?.head.headers) + issuer.requests[0]?.body).not.toContain(SECRET);
});

test('an issuer that is down is a peer that is down', async () => {
  const url = await deadUrl();
  await expect(requestToken(url, REQUEST, { secret: SECRET })).rejects.toMatchObject({
    code: 'issuer.unreachable',
    kind: 'peer',
    facts: { checked: `${url}/oauth/token`, found: 'ECONNREFUSED', next: expect.stringMatching('colophon up') },
  });
});

test('a secret that no header can carry is not repeated', async () => {
  const error = await requestToken(await deadUrl(), REQUEST, { secret: `${SECRET}\nx` }).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'issuer.unreachable' });
  expect(shown(error)).not.toContain(SECRET);
});

test.each([
  ['a page for people', '<html><body>Welcome</body></html>'],
  ['a token and a newline', `${TOKEN}\n`],
  ['a token in an envelope', JSON.stringify({ access_token: TOKEN })],
  ['two parts of a token', 'a.b'],
  ['nothing', ''],
])('whoever answers 200 with %s is no issuer', async (_title, body) => {
  const error = await refusalOf((response) => response.end(body));
  expect(error).toMatchObject({ code: 'issuer.unreachable', kind: 'peer' });
});

test.each([301, 302, 303, 307, 308])('a redirect (%i) is not followed, wherever it leads', async (status) => {
  const other = await startPeer(onTestFinished, (_request, response) => response.end(TOKEN));
  const error = await refusalOf((response) => response.writeHead(status, { location: other.url }).end());
  expect(error).toMatchObject({
    code: 'issuer.unreachable',
    kind: 'peer',
    facts: { found: expect.stringMatching('redirect') },
  });
  expect(other.requests).toEqual([]);
});

test('an answer without end is not read to its end', async () => {
  const error = await refusalOf((response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(16_384)));
    };
    response.on('drain', more);
    more();
  });
  expect(error).toMatchObject({ code: 'issuer.unreachable', kind: 'peer' });
  expect(error.facts.found).toMatch('more than');
});

test('an answer that is cut off is none', async () => {
  const error = await refusalOf((response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('eyJ');
    setTimeout(() => response.destroy(), 20);
  });
  expect(error).toMatchObject({ code: 'issuer.unreachable', kind: 'peer' });
});

test.each([
  [400, 'refused'],
  [401, 'unauthorized'],
  [403, 'unauthorized'],
  [413, 'refused'],
  [415, 'refused'],
  [429, 'peer'],
  [500, 'peer'],
  [503, 'peer'],
])('HTTP %i is an error of the kind %s', async (status, kind) => {
  const error = await refusalOf(json(status, {}));
  expect(error).toMatchObject({ code: 'issuer.refused', kind });
  expect(await refusalOf((response) => response.writeHead(status).end('<html>'))).toMatchObject({ kind });
});

test('what the issuer says is wrong is told: description, code, field and every issue with its place', async () => {
  const issues = [
    { path: '/prompt_hash', code: 'request.field_invalid', message: 'no hash', expected: 'sha256:<hex>', value: 'x' },
    { path: '/sub', code: 'request.claim_reserved', message: 'never from a request' },
    'not an issue',
    null,
    { code: 7, message: 'not one either' },
  ];
  const body = {
    error: 'invalid_request',
    error_description: 'two things',
    code: 'request.field_invalid',
    field: 'prompt_hash',
    issues,
  };
  const error = await refusalOf(json(400, body));
  expect(error.message).toBe('the issuer refused the request: two things [request.field_invalid] (field prompt_hash)');
  expect(error.facts.issues).toEqual([
    { path: '/prompt_hash', code: 'request.field_invalid', message: 'no hash', expected: 'sha256:<hex>' },
    { path: '/sub', code: 'request.claim_reserved', message: 'never from a request' },
  ]);
});

test('an issuer that repeats what it was sent does not get it printed', async () => {
  const said = `you sent Bearer ${SECRET} and ${TOKEN}`;
  const issues = [{ path: SECRET, code: 'x.y', message: said, expected: said }];
  await refusalOf(json(400, { error_description: said, code: SECRET, field: TOKEN, issues }));
});

test.each([null, [], 'text', 7, { error_description: 7, code: {}, field: [], issues: {} }])(
  'an error document of another form (%j) is an error all the same',
  async (body) => {
    const error = await refusalOf(json(400, body));
    expect(error.message).toBe('the issuer refused the request: HTTP 400');
  },
);
