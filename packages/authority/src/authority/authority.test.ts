import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashLeaf, verifyConsistency, verifyInclusion } from '@colophon/merkle';
import { type Database, openDatabase } from '@colophon/store';
import Fastify, { type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { base64, dsseOf, hashedRekordOf, makeSigner, proofOver } from '../../test/signer.ts';
import { signingRequestOf } from '../../test/signing-request.ts';
import { agentClaims, fixedClock, ISSUER, keySourceOf, makeIssuerKey, mintToken } from '../../test/token-issuer.ts';
import { verifyLogs } from '../log-verification/log-verification.ts';
import { type Authority, type AuthorityOptions, createAuthority } from './authority.ts';

const key = makeIssuerKey();
const signer = makeSigner();
const JSON_TYPE = { 'content-type': 'application/json' };

let dataDir: string;
let db: Database;
let authority: Authority;
let app: FastifyInstance;

async function start(options: Partial<AuthorityOptions> = {}): Promise<void> {
  db = openDatabase(join(dataDir, 'colophon.db'));
  authority = await createAuthority({
    db,
    dataDir,
    clock: fixedClock,
    baseUrl: ISSUER,
    trustedIssuers: [ISSUER],
    keySource: keySourceOf([key]),
    fetch: () => Promise.reject(new Error('nothing is fetched here')),
    ...options,
  });
  app = Fastify();
  authority.register(app);
}

async function stop(): Promise<void> {
  await app.close();
  db.close();
}

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'authority-'));
  await start();
});

afterEach(async () => {
  await stop();
  rmSync(dataDir, { recursive: true });
});

const post = (url: string, body: unknown, headers: Record<string, string> = JSON_TYPE) =>
  app.inject({ method: 'POST', url, headers, payload: typeof body === 'string' ? body : JSON.stringify(body) });
const get = (url: string) => app.inject({ method: 'GET', url });

const certificateRequest = (token: string, by = signer, proof = proofOver(by, 'agent:code-writer')) => ({
  credentials: { oidcIdentityToken: token },
  publicKeyRequest: { publicKey: { algorithm: 'ECDSA', content: by.pem }, proofOfPossession: base64(proof) },
});

test('a token and a proof buy a certificate over Fulcio’s v2 path', async () => {
  const answer = await post('/api/v2/signingCert', certificateRequest(mintToken(key)));
  expect(answer.statusCode).toBe(200);
  const { certificates } = answer.json().signedCertificateEmbeddedSct.chain;
  expect(certificates).toHaveLength(3);
  expect(
    certificates.every((pem: string) => pem.startsWith('-----BEGIN CERTIFICATE-----\n') && pem.endsWith('E-----')),
  ).toBe(true);
  expect(certificates.slice(1).map((pem: string) => `${pem}\n`)).toEqual(authority.trust.caCertificates);
});

test('the v1 path takes the token as bearer and the key as base64, and answers 201 with PEM', async () => {
  const bearer = { ...JSON_TYPE, authorization: `Bearer ${mintToken(key)}` };
  const signedEmailAddress = base64(proofOver(signer, 'agent:code-writer'));
  const der = signer.publicKey.export({ type: 'spki', format: 'der' });
  for (const content of [base64(der), base64(signer.pem), signer.pem]) {
    const answer = await post(
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
  expect((await post('/api/v2/signingCert', { credentials, certificateSigningRequest })).statusCode).toBe(200);
  const bearer = { ...JSON_TYPE, authorization: `Bearer ${credentials.oidcIdentityToken}` };
  expect((await post('/api/v1/signingCert', { certificateSigningRequest }, bearer)).statusCode).toBe(201);
  const snake = {
    credentials: { oidc_identity_token: mintToken(key) },
    certificate_signing_request: certificateSigningRequest,
  };
  expect((await post('/api/v2/signingCert', snake)).statusCode).toBe(200);
});

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
  const answer = await post('/api/v2/signingCert', body);
  expect(answer.statusCode).toBe(400);
  expect(answer.json()).toMatchObject({ code: 3, details: [{ reason }] });
  expect((await get('/ct/v1/get-sth')).json().tree_size).toBe(0);
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
  const fulcio = await post('/api/v2/signingCert', body, headers as Record<string, string>);
  expect([fulcio.statusCode, fulcio.json().details[0].reason]).toEqual([status, reason]);
  if (status === 413) return;
  const rekor = await post('/api/v1/log/entries', body, headers as Record<string, string>);
  expect([rekor.statusCode, rekor.json().code]).toEqual([status, status]);
  expect(rekor.json().message).toContain(reason);
  const ct = await post('/ct/v1/add-pre-chain', body, headers as Record<string, string>);
  expect([ct.statusCode, ct.body.includes(reason)]).toEqual([status, true]);
});

test('trust bundle, root certificates and configuration are Fulcio’s', async () => {
  expect((await get('/api/v2/trustBundle')).json()).toEqual({
    chains: [{ certificates: authority.trust.caCertificates }],
  });
  expect((await get('/api/v1/rootCert')).body).toBe(authority.trust.caCertificates.join('').trimEnd());
  expect((await get('/api/v2/configuration')).json().issuers).toMatchObject([
    { issuerUrl: ISSUER, audience: 'sigstore', challengeClaim: 'sub', issuerType: 'ci-provider' },
  ]);
});

test('a token is exchanged once where that is asked for, also by a thousand at once and after a restart', async () => {
  await stop();
  await start({ singleUseTokens: true });
  const token = mintToken(key);
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => post('/api/v2/signingCert', certificateRequest(token))),
  );
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  const refused = answers.find(({ statusCode }) => statusCode !== 200)!;
  expect(refused.json().details[0].reason).toBe('authority.token_reused');
  await stop();
  await start({ singleUseTokens: true });
  expect((await post('/api/v2/signingCert', certificateRequest(token))).statusCode).toBe(400);
  expect((await get('/ct/v1/get-sth')).json().tree_size).toBe(1);
});

test('without that a token buys as many certificates as its time allows, as at Fulcio', async () => {
  const token = mintToken(key);
  for (let i = 0; i < 2; i += 1)
    expect((await post('/api/v2/signingCert', certificateRequest(token))).statusCode).toBe(200);
});

test('an entry is answered with 201 and found by index, id, leaf hash, proposal, digest and key', async () => {
  const proposed = hashedRekordOf(signer, 'artifact');
  const created = await post('/api/v1/log/entries', proposed);
  expect(created.statusCode).toBe(201);
  const [uuid] = Object.keys(created.json()) as [string];
  expect(uuid).toMatch(/^[0-9a-f]{80}$/);
  expect(created.headers['etag']).toBe(uuid);
  expect(created.headers['location']).toBe(`/api/v1/log/entries/${uuid}`);
  const expected = { body: created.json()[uuid].body, logIndex: 0 };
  for (const url of [
    '/api/v1/log/entries?logIndex=0',
    `/api/v1/log/entries/${uuid}`,
    `/api/v1/log/entries/${uuid.slice(16).toUpperCase()}`,
  ]) {
    expect((await get(url)).json()[uuid], url).toMatchObject(expected);
  }
  for (const query of [{ entryUUIDs: [uuid] }, { logIndexes: [0] }, { entries: [proposed] }]) {
    expect((await post('/api/v1/log/entries/retrieve', query)).json()[0][uuid]).toMatchObject(expected);
  }
  const digest = (proposed['spec'] as { data: { hash: { value: string } } }).data.hash.value;
  for (const query of [
    { hash: digest },
    { hash: `sha256:${digest.toUpperCase()}` },
    { publicKey: { format: 'x509', content: base64(signer.pem) } },
  ]) {
    expect((await post('/api/v1/index/retrieve', query)).json()).toEqual([uuid]);
  }
});

test('the same entry again is a conflict that says where it is', async () => {
  const proposed = hashedRekordOf(signer, 'artifact');
  const created = await post('/api/v1/log/entries', proposed);
  const again = await post('/api/v1/log/entries', proposed);
  expect(again.statusCode).toBe(409);
  expect(again.headers['location']).toBe(created.headers['location']);
  expect(again.json().code).toBe(409);
  expect((await get('/api/v1/log')).json().treeSize).toBe(1);
});

test('the same entry many times at once is logged once', async () => {
  const proposed = hashedRekordOf(signer, 'artifact');
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('/api/v1/log/entries', proposed)));
  expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([201, ...Array(19).fill(409)]);
  expect((await get('/api/v1/log')).json().treeSize).toBe(1);
});

test('an entry that is signed with a certificate is found by its name and by the reviewer’s address', async () => {
  const claims = agentClaims({
    sub: 'reviewer:Me@example.com',
    agent_name: undefined,
    human_reviewer: 'Me@example.com',
  });
  const { chainPem } = await authority.issueCertificate(mintToken(key, claims), {
    publicKey: Buffer.from(signer.pem),
    proofOfPossession: proofOver(signer, 'reviewer:Me@example.com'),
  });
  const { uuid } = await authority.addLogEntry(hashedRekordOf(signer, 'artifact', chainPem[0]));
  for (const query of [
    { subject: 'REVIEWER:me@example.com' },
    { email: 'me@example.com' },
    { email: 'me@example.com', subject: 'nobody' },
  ]) {
    expect((await post('/api/v1/index/retrieve', query)).json()).toEqual([uuid]);
  }
  const both = { email: 'me@example.com', subject: 'nobody', operator: 'and' };
  expect((await post('/api/v1/index/retrieve', both)).json()).toEqual([]);
  expect((await post('/api/v1/index/retrieve', {})).json()).toEqual([]);
});

test('an entry may come with the whole chain of its certificate, but not with somebody else’s', async () => {
  const issue = async () =>
    (
      await authority.issueCertificate(mintToken(key), {
        publicKey: Buffer.from(signer.pem),
        proofOfPossession: proofOver(signer, 'agent:code-writer'),
      })
    ).chainPem;
  const chain = await issue();
  await authority.addLogEntry(hashedRekordOf(signer, 'artifact', chain.join('')));
  await expect(authority.addLogEntry(hashedRekordOf(signer, 'b', [chain[0], chain[2]].join('')))).rejects.toMatchObject(
    {
      code: 'authority.entry_invalid',
    },
  );
});

test.each([
  ['GET', '/api/v1/log/entries?logIndex=0', undefined, 404],
  ['GET', '/api/v1/log/entries?logIndex=-1', undefined, 400],
  ['GET', '/api/v1/log/entries?logIndex=1.5', undefined, 400],
  ['GET', '/api/v1/log/entries?logIndex=99999999999999999999', undefined, 400],
  ['GET', '/api/v1/log/entries?logIndex=1&logIndex=2', undefined, 400],
  ['GET', '/api/v1/log/entries', undefined, 400],
  ['GET', `/api/v1/log/entries/${'0'.repeat(80)}`, undefined, 404],
  ['GET', `/api/v1/log/entries/${'0'.repeat(64)}`, undefined, 404],
  ['GET', '/api/v1/log/entries/xyz', undefined, 400],
  ['GET', '/api/v1/log/proof?lastSize=1', undefined, 400],
  ['GET', '/api/v1/log/proof?firstSize=0&lastSize=0', undefined, 400],
  ['GET', '/api/v1/log/proof', undefined, 400],
  ['GET', '/api/v1/log/publicKey?treeID=7', undefined, 400],
  ['POST', '/api/v1/log/entries/retrieve', { logIndexes: Array(11).fill(0) }, 422],
  ['POST', '/api/v1/log/entries/retrieve', { logIndexes: ['0'] }, 400],
  ['POST', '/api/v1/log/entries/retrieve', { logIndexes: 0 }, 400],
  ['POST', '/api/v1/log/entries/retrieve', { entryUUIDs: ['x'] }, 400],
  ['POST', '/api/v1/log/entries/retrieve', { entryUUIDs: [null] }, 400],
  ['POST', '/api/v1/log/entries/retrieve', { entries: [null] }, 400],
  ['POST', '/api/v1/index/retrieve', { hash: 'x' }, 400],
  ['POST', '/api/v1/index/retrieve', { hash: `sha1:${'a'.repeat(64)}` }, 400],
  ['POST', '/api/v1/index/retrieve', { publicKey: { format: 'pgp', content: 'AA==' } }, 400],
  ['POST', '/api/v1/index/retrieve', { publicKey: { format: 'x509', content: 'AA==' } }, 400],
  ['POST', '/api/v1/index/retrieve', { email: ['x'] }, 400],
  ['POST', '/api/v1/index/retrieve', { operator: 'xor' }, 400],
  ['POST', '/api/v1/log/entries', { kind: 'rpm', apiVersion: '0.0.1', spec: {} }, 400],
] as const)('%s %s %j is answered with %i in Rekor’s shape', async (method, url, body, status) => {
  const answer = method === 'GET' ? await get(url) : await post(url, body);
  expect(answer.statusCode).toBe(status);
  expect(answer.json().code).toBe(status);
});

test('ids that are not in the log are left out of an answer, whatever their tree', async () => {
  const answer = await post('/api/v1/log/entries/retrieve', {
    entryUUIDs: ['0'.repeat(80), '0'.repeat(64)],
    logIndexes: [9],
  });
  expect([answer.statusCode, answer.json()]).toEqual([200, []]);
});

test('every two tree sizes have a consistency proof, and every entry an inclusion proof in every later tree', async () => {
  const roots: Uint8Array[] = [];
  const leaves: Uint8Array[] = [];
  const count = 9;
  for (let i = 0; i < count; i += 1) {
    const entry = await authority.addLogEntry(hashedRekordOf(signer, `artifact ${i}`));
    const { inclusionProof } = entry.verification;
    expect(inclusionProof.treeSize).toBe(i + 1);
    roots.push(Buffer.from(inclusionProof.rootHash, 'hex'));
    leaves.push(hashLeaf(Buffer.from(entry.body, 'base64')));
  }
  for (let first = 1; first <= count; first += 1) {
    for (let second = first; second <= count; second += 1) {
      const { hashes, rootHash } = (await get(`/api/v1/log/proof?firstSize=${first}&lastSize=${second}`)).json();
      const proof = hashes.map((hash: string) => new Uint8Array(Buffer.from(hash, 'hex')));
      expect(rootHash).toBe(Buffer.from(roots[second - 1]!).toString('hex'));
      expect(
        verifyConsistency({
          first,
          second,
          firstRoot: new Uint8Array(roots[first - 1]!),
          secondRoot: new Uint8Array(roots[second - 1]!),
          proof,
        }),
      ).toBe(true);
    }
  }
  const read = (await get('/api/v1/log/entries?logIndex=3')).json();
  const { inclusionProof } = Object.values(
    read as Record<string, { verification: { inclusionProof: { hashes: string[]; treeSize: number } } }>,
  )[0]!.verification;
  expect(inclusionProof.treeSize).toBe(count);
  const proof = inclusionProof.hashes.map((hash) => new Uint8Array(Buffer.from(hash, 'hex')));
  expect(
    verifyInclusion({ index: 3, size: count, leafHash: leaves[3]!, proof, root: new Uint8Array(roots.at(-1)!) }),
  ).toBe(true);
});

test('a restart continues the same logs with the same keys and certificates', async () => {
  await post('/api/v2/signingCert', certificateRequest(mintToken(key)));
  await authority.addLogEntry(hashedRekordOf(signer, 'artifact'));
  const before = {
    trust: authority.trust,
    log: (await get('/api/v1/log')).json(),
    sth: (await get('/ct/v1/get-sth')).json(),
  };
  await stop();
  await start();
  expect(authority.trust).toEqual(before.trust);
  expect((await get('/api/v1/log')).json()).toEqual(before.log);
  expect((await get('/ct/v1/get-sth')).json()).toEqual(before.sth);
  const { logIndex, verification } = await authority.addLogEntry(hashedRekordOf(signer, 'another'));
  expect([logIndex, verification.inclusionProof.treeSize]).toEqual([1, 2]);
  expect(verifyLogs(db, authority.trust).flatMap(({ problems }) => problems)).toEqual([]);
});

test('keys are readable by their owner alone', () => {
  for (const name of ['ca-root', 'ca-intermediate', 'certificate-log', 'transparency-log']) {
    expect(statSync(join(dataDir, 'keys', `${name}.pem`)).mode & 0o777, name).toBe(0o600);
  }
});

test('a certificate that is not for the key beside it is refused at the start', async () => {
  await stop();
  const file = join(dataDir, 'ca', 'root.crt');
  const root = readFileSync(file, 'utf8');
  writeFileSync(file, readFileSync(join(dataDir, 'ca', 'intermediate.crt')));
  await expect(start()).rejects.toMatchObject({ code: 'authority.ca_certificate_mismatch' });
  db.close();
  writeFileSync(file, 'x');
  await expect(start()).rejects.toMatchObject({ code: 'authority.ca_certificate_mismatch' });
  db.close();
  writeFileSync(file, root);
  await start();
});

test('a database that can be written no more is 503 in every API’s shape, and certificates are not given out', async () => {
  db.sqlite.exec('PRAGMA query_only = ON');
  const fulcio = await post('/api/v2/signingCert', certificateRequest(mintToken(key)));
  expect([fulcio.statusCode, fulcio.json().code]).toEqual([503, 14]);
  const rekor = await post('/api/v1/log/entries', dsseOf([signer]));
  expect([rekor.statusCode, rekor.json().code]).toEqual([503, 503]);
  db.sqlite.exec('PRAGMA query_only = OFF');
  expect((await post('/api/v2/signingCert', certificateRequest(mintToken(key)))).statusCode).toBe(200);
});

test('an address that is none is the caller’s mistake', async () => {
  await stop();
  await expect(start({ baseUrl: 'nowhere' })).rejects.toThrow(TypeError);
  db.close();
  await expect(start({ trustedIssuers: ['nobody'] })).rejects.toThrow(TypeError);
  db.close();
  await start();
});
