import type { ServerResponse } from 'node:http';
import { deadUrl, startPeer } from '@colophon/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { fetchEvidence, queryEvidence, storeEvidence } from './evidence-client.ts';

const BUNDLE = new TextEncoder().encode('{}');
const problem = (status: number, body: object) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify({ status, ...body }));

const store = (answer: (response: ServerResponse) => void) =>
  startPeer(onTestFinished, (_request, response) => answer(response));

test('hands over the bundle, and answers with what it was kept as', async () => {
  const { url, requests } = await store((response) => response.writeHead(201).end('{"id":"ab","kind":"run","log":{}}'));
  expect(await storeEvidence(`${url}/`, BUNDLE, 'file')).toEqual({ id: 'ab', kind: 'run' });
  expect(requests[0]).toMatchObject({ body: '{}', head: { method: 'POST', url: '/evidence' } });
});

test('asks a question as one parameter, whatever is in it', async () => {
  const { url, requests } = await store((response) => response.end('{"rows":[]}'));
  expect(await queryEvidence(url, 'runs where a = "&q=x#"')).toEqual({ rows: [] });
  expect(new URL(requests[0]!.head.url!, url).searchParams.getAll('q')).toEqual(['runs where a = "&q=x#"']);
});

test('a store that is down is a peer that is down, and the question is not part of what was checked', async () => {
  const url = await deadUrl();
  await expect(queryEvidence(url, 'runs')).rejects.toMatchObject({
    code: 'evidence.unreachable',
    kind: 'peer',
    facts: { checked: `${url}/query`, found: 'ECONNREFUSED', next: 'colophon up' },
  });
});

test.each([
  ['a page for people', (response: ServerResponse) => response.end('<html>')],
  ['a list', (response: ServerResponse) => response.end('[]')],
  ['a redirect', (response: ServerResponse) => response.writeHead(302, { location: '/elsewhere' }).end()],
  ['404 for people', (response: ServerResponse) => response.writeHead(404).end('<html>')],
  ['500', problem(500, { code: 'evidence.internal', detail: 'Something went wrong here.' })],
  ['503', problem(503, { code: 'store.unavailable', detail: 'Nothing can be stored now.' })],
])('whoever answers with %s is as good as down', async (_title, answer) => {
  const { url } = await store(answer);
  await expect(storeEvidence(url, BUNDLE, 'file')).rejects.toMatchObject({
    code: 'evidence.unreachable',
    kind: 'peer',
  });
});

test('a wrong question is the caller’s, and its place is told', async () => {
  const { url } = await store(
    problem(400, {
      code: 'query.unknown_field',
      detail: 'No such field.',
      expected: 'agent.name',
      position: 12,
      did_you_mean: 'agent',
    }),
  );
  await expect(queryEvidence(url, 'runs where agnet = a')).rejects.toMatchObject({
    code: 'query.unknown_field',
    kind: 'usage',
    facts: {
      expected: 'agent.name',
      issues: [{ code: 'query.unknown_field', message: 'No such field. Did you mean agent?', position: 12 }],
    },
  });
});

test('a bundle that is not kept is refused, with the verifier’s reason and the file', async () => {
  const { url } = await store(
    problem(422, { code: 'evidence.not_verified', detail: 'does not verify', reason: 'signature.invalid' }),
  );
  await expect(storeEvidence(url, BUNDLE, 'bundle.json')).rejects.toMatchObject({
    code: 'evidence.not_verified',
    kind: 'refused',
    facts: { checked: `bundle.json at ${url}/evidence`, found: 'signature.invalid' },
  });
});

test.each(['cli.usage', 'query.Syntax', 'evidence', '__proto__', 7, undefined])(
  'a code %s is not taken from a peer',
  async (code) => {
    const { url } = await store(problem(400, { code, detail: 'x' }));
    await expect(storeEvidence(url, BUNDLE, 'file')).rejects.toMatchObject({
      code: 'evidence.refused',
      kind: 'refused',
    });
  },
);

// SHA-256 of "{}".
const ID = '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a';

test('fetches a bundle by the digest of its bytes, and takes no others', async () => {
  const { url, requests } = await store((response) => response.end('{}'));
  expect(await fetchEvidence(`${url}/`, ID)).toEqual(Buffer.from(BUNDLE));
  expect(requests[0]?.head.url).toBe(`/evidence/${ID}`);
  await expect(fetchEvidence(url, 'a'.repeat(64))).rejects.toMatchObject({
    code: 'evidence.refused',
    kind: 'refused',
    facts: { found: `sha256:${ID}` },
  });
});

test.each([
  [
    'that is not there',
    problem(404, { code: 'evidence.not_found', detail: 'No bundle.' }),
    'evidence.not_found',
    'refused',
  ],
  ['of a store that fails', problem(500, { code: 'evidence.internal' }), 'evidence.unreachable', 'peer'],
  ['of no store', (response: ServerResponse) => response.writeHead(404).end('<html>'), 'evidence.unreachable', 'peer'],
])('a bundle %s', async (_title, answer, code, kind) => {
  const { url } = await store(answer);
  const error = await fetchEvidence(url, ID).catch((thrown) => thrown);
  expect([error.code, error.kind]).toEqual([code, kind]);
});
