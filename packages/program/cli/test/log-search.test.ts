import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { cleanupAt } from '@colophon/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CONTEXT, type Installation, install } from './installation.ts';

const CONTENT = 'report';
const hash = (algorithm: string, encoding: 'hex' | 'base64') => createHash(algorithm).update(CONTENT).digest(encoding);
const HEX = hash('sha256', 'hex');

const cleanup = cleanupAt(afterAll);
let here: Installation;
let file: string;
beforeAll(async () => {
  here = await install(cleanup);
  file = here.file('report.txt', CONTENT);
  await here.document('sign-blob', file, ...CONTEXT);
});
const indexes = ({ entries }: { entries: { log_index: number }[] }) => entries.map((entry) => entry.log_index);

test.each([
  HEX,
  HEX.toUpperCase(),
  `sha256:${HEX}`,
  `SHA256:${HEX.toUpperCase()}`,
  hash('sha256', 'base64'),
  `sha256-${hash('sha256', 'base64')}`,
  `registry.example/my-shop:1.0@sha256:${HEX}`,
])('an entry is found by %s, whichever flag gives it', async (digest) => {
  expect(indexes(await here.document('log', 'search', '--sha', digest))).toEqual([0]);
  expect(indexes(await here.document('log', 'search', '--artifact', digest))).toEqual([0]);
});

test('an entry is found by the file, and by no file that is not there', async () => {
  expect(indexes(await here.document('log', 'search', '--artifact', file))).toEqual([0]);
  expect(await here.refusal('log', 'search', '--artifact', `${file}x`)).toMatchObject({
    exitCode: 1,
    code: 'cli.file_unreadable',
    expected: expect.stringMatching(/^a file, or a digest by sha256/),
  });
});

test.each(['sha1', 'sha512'])('a statement is found by the %s of its subject', async (algorithm) => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })).toString('base64');
  const payload = JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'report', digest: { [algorithm]: hash(algorithm, 'hex') } }],
    predicateType: 'https://example.com/made/v1',
    predicate: {},
  });
  const payloadType = 'application/vnd.in-toto+json';
  const signed = `DSSEv1 ${payloadType.length} ${payloadType} ${payload.length} ${payload}`;
  const sig = sign('sha256', Buffer.from(signed), privateKey).toString('base64');
  const envelope = JSON.stringify({
    payload: Buffer.from(payload).toString('base64'),
    payloadType,
    signatures: [{ sig }],
  });
  const logged = await fetch(`${here.url}/api/v1/log/entries`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      apiVersion: '0.0.1',
      kind: 'dsse',
      spec: { proposedContent: { envelope, verifiers: [pem] } },
    }),
  });
  expect(logged.status).toBe(201);
  const digest = `${algorithm}-${hash(algorithm, 'base64')}`;
  const { entries } = await here.document('log', 'search', '--sha', digest);
  expect(entries).toHaveLength(1);
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const keyHex = createHash('sha256').update(spki).digest('hex');
  expect(entries[0].signers).toEqual([{ key_digest: `sha256:${keyHex}`, trusted: false }]);
  const { stdout } = await here.run('log', 'search', '--sha', digest);
  expect(stdout).toMatch(`dsse  key sha256:${keyHex.slice(0, 12)}\n`);
});

test('an algorithm that finds nothing is refused, with those that do', async () => {
  const sha384 = `sha384:${hash('sha384', 'hex')}`;
  for (const flag of ['--sha', '--artifact']) {
    expect(await here.refusal('log', 'search', flag, sha384)).toMatchObject({
      exitCode: 1,
      code: 'cli.usage',
      checked: flag,
      expected: expect.stringMatching(/^a digest by sha256, sha512, sha1: /),
      found: sha384,
    });
  }
});

test('people and scripts see who signed', async () => {
  const { entries } = await here.document('log', 'search', '--artifact', file);
  expect(entries[0].signers).toEqual([
    { subject: 'agent:code-writer', issuer: here.url, trusted: true, root: 'embedded' },
  ]);
  const { stdout } = await here.run('log', 'search', '--artifact', file);
  expect(stdout).toMatch(
    /^INDEX {2}TIME +KIND +SIGNER\n0 +\S+Z {2}hashedrekord {2}agent:code-writer \(root embedded\)\n--wide shows also: UUID\n$/,
  );
  const [{ uuid }] = entries;
  expect((await here.run('log', 'search', '--artifact', file, '--wide')).stdout).toContain(uuid);
  expect((await here.run('log', 'get', '--log-index', '0')).stdout).toContain(uuid);
  expect((await here.run('log', 'get', '--uuid', uuid)).stdout).toContain(uuid);
  expect((await here.run('log', 'get', '--log-index', '0')).stdout).toMatch(
    /^signer {2}agent:code-writer \(root embedded\)$/m,
  );
});

test('a signer that the trusted root does not vouch for is a claim of the entry', async () => {
  const other = await install(cleanup);
  const copy = other.file('report.txt', CONTENT);
  await other.document('sign-blob', copy, ...CONTEXT);
  const entry = await fetch(`${other.url}/api/v1/log/entries?logIndex=0`);
  const [{ body }] = Object.values((await entry.json()) as Record<string, { body: string }>) as [{ body: string }];
  await fetch(`${here.url}/api/v1/log/entries`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(body, 'base64').toString(),
  });
  const { entries } = await here.document('log', 'search', '--artifact', file);
  expect(entries.map(({ signers: [signer] }: { signers: [object] }) => signer)).toEqual([
    { subject: 'agent:code-writer', issuer: here.url, trusted: true, root: 'embedded' },
    { subject: 'agent:code-writer', issuer: other.url, trusted: false },
  ]);
  const { stdout } = await here.run('log', 'search', '--artifact', file);
  expect(stdout).toContain('claimed: agent:code-writer\n');
  expect(stdout).toMatch(/\nclaimed: the certificate is not from an authority in the trusted root\n$/);
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test('sbom attribute takes the runs about a file, or about a digest in any form', async () => {
  const bom = here.file('app.cdx.json', { bomFormat: 'CycloneDX', specVersion: '1.6', components: [] });
  const marked = (artifact: string) =>
    here.refusal('sbom', 'attribute', bom, '--artifact', artifact, ...here.pinned, '--out', `${bom}.out`);
  for (const artifact of [file, HEX.toUpperCase(), `sha256-${hash('sha256', 'base64')}`, `shop@sha256:${HEX}`]) {
    const asked = { code: 'evidence.no_run', checked: `runs where artifact in (sha256:${HEX})` };
    expect(await marked(artifact)).toMatchObject(asked);
  }
  expect(await marked(`sha512:${hash('sha512', 'hex')}`)).toMatchObject({ code: 'cli.usage', checked: '--artifact' });
  expect(await marked(`${file}x`)).toMatchObject({ code: 'cli.file_unreadable' });
});
