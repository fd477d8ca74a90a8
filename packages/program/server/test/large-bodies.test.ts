import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { signStatement } from '@colophon/sigstore';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { json, runServer, type TestServer } from './running-server.ts';

const MIB = 1024 * 1024;
const JSON_TYPE = { 'content-type': 'application/json' };
const MANIFEST = { 'content-type': 'application/vnd.oci.image.manifest.v1+json' };
const ENTRIES = '/api/v1/log/entries';

let undo: Array<() => unknown> = [];
let server: TestServer;
beforeAll(async () => {
  server = await runServer((work) => undo.unshift(work));
});
afterAll(async () => {
  for (const work of undo) await work();
  undo = [];
});

const post = (path: string, body: Uint8Array | string, headers: object = JSON_TYPE, method = 'POST') =>
  fetch(`${server.url}${path}`, { method, headers: { ...headers }, body });

const statementOf = (bytes: number) => ({
  _type: 'https://in-toto.io/Statement/v1' as const,
  subject: [{ name: 'app', digest: { sha256: 'a'.repeat(64) } }],
  predicateType: 'https://cyclonedx.org/bom',
  predicate: {
    components: Array.from({ length: Math.ceil(bytes / 50) }, (_, i) => ({ name: `component-${i}-${'x'.repeat(24)}` })),
  },
});

/** An attestation about so many bytes of SBOM, as it is proposed to the log. */
function proposedAttestation(bytes: number) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const payloadType = 'application/vnd.in-toto+json';
  const payload = Buffer.from(JSON.stringify(statementOf(bytes)));
  const message = Buffer.concat([
    Buffer.from(`DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} `),
    payload,
  ]);
  const signatures = [{ sig: sign('sha256', message, privateKey).toString('base64'), keyid: '' }];
  const envelope = JSON.stringify({ payload: payload.toString('base64'), payloadType, signatures });
  const verifiers = [Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })).toString('base64')];
  return { apiVersion: '0.0.1', kind: 'dsse', spec: { proposedContent: { envelope, verifiers } } };
}

/** A request whose header announces a body that never comes whole. */
async function holdOpen(path: string, length: number | 'chunked', method = 'POST'): Promise<Socket> {
  const { port } = new URL(server.url);
  const socket = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  const framing = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  socket.write(
    `${method} ${path} HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n`,
  );
  socket.write(length === 'chunked' ? '1\r\n{\r\n' : '{');
  await once(socket, 'connect');
  return socket;
}

test('bodies beyond one budget are refused in the form of their API, and small ones are served', async () => {
  // 9 MiB is the longest entry, and what an entry that announces nothing may become.
  const held = [
    await holdOpen(ENTRIES, 9 * MIB),
    await holdOpen(ENTRIES, 'chunked'),
    await holdOpen(`${ENTRIES}/retrieve`, 9 * MIB),
    await holdOpen('/evidence', 4 * MIB),
    ...(await Promise.all(Array.from({ length: 4 }, () => holdOpen('/ct/v1/add-chain', 256 * 1024)))),
  ];
  const large = JSON.stringify({ a: 'x'.repeat(100_000) });
  await expect.poll(async () => (await post('/ct/v1/add-chain', large)).status, { timeout: 60_000 }).toBe(503);

  const entry = await post(ENTRIES, large);
  expect([entry.status, entry.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await json(entry)).toMatchObject({ code: 503, message: expect.stringContaining('[authority.busy]') });
  const chain = await post('/ct/v1/add-chain', large);
  expect([chain.headers.get('retry-after'), await chain.text()]).toEqual([
    '1',
    expect.stringContaining('[authority.busy]'),
  ]);
  const evidence = await post('/evidence', large);
  expect([evidence.status, evidence.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await json(evidence)).toMatchObject({ status: 503, code: 'evidence.busy' });
  const manifest = await post('/v2/app/manifests/v1', large, MANIFEST, 'PUT');
  expect([manifest.status, manifest.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await json(manifest)).toMatchObject({ errors: [{ code: 'UNAVAILABLE' }] });

  // A token, a certificate and an entry over a digest go through meanwhile, and so does a blob.
  await server.sign('meanwhile');
  expect(await pushBlob('x'.repeat(2 * MIB))).toBe(201);

  for (const socket of held) socket.destroy();
  await expect.poll(async () => (await post(ENTRIES, large)).status, { timeout: 60_000 }).toBe(400);
});

test('a token that is asked for after a large body was sent is answered before it', async () => {
  const answered: string[] = [];
  // As many values as fit: reading them takes long.
  const body = `{"spec":[${'[],'.repeat(2.9 * MIB)}[]]}`;
  const sent = request(`${server.url}${ENTRIES}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, 'content-length': body.length },
  });
  const entry = once(sent, 'response').then(([answer]) => {
    answered.push('entry');
    answer.resume();
    return answer.statusCode;
  });
  sent.end(body);
  await once(sent, 'finish');
  const token = await server.mint();
  answered.push('token');
  expect(token.status).toBe(200);
  expect(await entry).toBeGreaterThanOrEqual(400);
  expect(answered).toEqual(['token', 'entry']);
});

test('an attestation of several megabytes is logged, found by what it would be, and kept as evidence', async () => {
  const proposed = JSON.stringify(proposedAttestation(3 * MIB));
  const created = await post(ENTRIES, proposed);
  expect(created.status).toBe(201);
  const [uuid] = Object.keys(await json(created));
  expect((await post(ENTRIES, proposed)).status).toBe(409);
  const found = await json(post(`${ENTRIES}/retrieve`, `{"entries":[${proposed}]}`));
  expect(found.map((entry: object) => Object.keys(entry)[0])).toEqual([uuid]);

  const signing = {
    fulcioUrl: server.url,
    rekorUrl: server.url,
    identityToken: async () => (await server.mint()).text(),
  };
  const { bundle } = await signStatement({ ...signing, statement: statementOf(2 * MIB) });
  expect(bundle.length).toBeGreaterThan(2 * MIB);
  const stored = await post('/evidence', Buffer.from(bundle));
  expect(stored.status).toBe(201);
  const { location } = Object.fromEntries(stored.headers);
  expect(Buffer.from(await (await fetch(`${server.url}${location}`)).arrayBuffer()).equals(bundle)).toBe(true);
  expect((await post('/evidence', Buffer.from(bundle))).status).toBe(200);
});

test('a large body is refused for the same reason as a small one', async () => {
  const entry = proposedAttestation(2 * MIB);
  entry.spec.proposedContent.envelope = entry.spec.proposedContent.envelope.replace('"sig":"', '"sig":"AAAA');
  expect((await json(post(ENTRIES, JSON.stringify(entry)))).message).toContain('[authority.entry_signature_invalid]');
  expect((await json(post(ENTRIES, `{"a":1,"a":"${'x'.repeat(2 * MIB)}"}`))).message).toContain(
    '[authority.request_malformed]',
  );
  const many = `{"logIndexes":[${Array(600_000).fill(0)}]}`;
  expect((await post(`${ENTRIES}/retrieve`, many)).status).toBe(422);
  const bundle = await post('/evidence', `{"a":"${'x'.repeat(2 * MIB)}"}`);
  expect(await json(bundle)).toMatchObject({ status: 400, code: 'evidence.bundle_malformed' });
  const manifest = await post(
    '/v2/app/manifests/v1',
    `{"schemaVersion":1,"a":"${'x'.repeat(2 * MIB)}"}`,
    MANIFEST,
    'PUT',
  );
  expect([manifest.status, (await json(manifest)).errors[0].code]).toEqual([400, 'MANIFEST_INVALID']);
});

test('a manifest of more than a megabyte is kept', async () => {
  const config = '{}';
  expect(await pushBlob(config)).toBe(201);
  const descriptor = { mediaType: 'application/vnd.oci.empty.v1+json', digest: digestOf(config), size: 2 };
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: MANIFEST['content-type'],
    config: descriptor,
    layers: Array(3000).fill({ ...descriptor, annotations: { a: 'x'.repeat(500) } }),
  });
  expect(manifest.length).toBeGreaterThan(MIB);
  expect((await post('/v2/app/manifests/v1', manifest, MANIFEST, 'PUT')).status).toBe(201);
  expect(await (await fetch(`${server.url}/v2/app/manifests/v1`)).text()).toBe(manifest);
});

const digestOf = (content: string) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

async function pushBlob(content: string): Promise<number> {
  return (await post(`/v2/app/blobs/uploads/?digest=${digestOf(content)}`, content, {})).status;
}
